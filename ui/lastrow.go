package ui

import (
	"cmp"
	"slices"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// keyGap separates two keys of the last row.
const keyGap = 3

// lastRow is a message for a while, otherwise the keys that work with the present focus,
// most important first. A click on one runs it.
func (p *program) lastRow(c *app.Canvas) string {
	r := p.pal.Row()
	r.Start(p.w, paint.Style{})
	r.Gap(1)
	if p.flash.text != "" {
		st := p.pal.Text
		if p.flash.wrong {
			st = p.pal.Warn
			r.Put(st, p.pal.WarnMark+" ")
		}
		r.Put(st, p.flash.text)
		return r.String()
	}
	hints, right := p.hints()
	put := func(h keyHint, at int) {
		r.Put(p.pal.AccentBold, h.key)
		r.Put(p.pal.Muted, " "+h.label)
		c.Click(at, p.h-1, h.width(), 1, func(int, int) { h.run() })
	}
	end := p.w - 1
	wait, cancel := p.waits()
	if n := paint.SpansWidth(wait); n > 0 {
		end -= n
		c.Click(end, p.h-1, n, 1, func(int, int) {
			if cancel != nil {
				p.carryOut(cancel)
			}
		})
	}
	if right.key != "" {
		end -= right.width()
	}
	for _, h := range hints {
		// One that does not fit leaves its place to the next.
		if h.key != "" && r.Used()+h.width()+keyGap <= end {
			put(h, r.Used())
			r.Gap(keyGap)
		}
	}
	if right.key != "" {
		r.To(end)
		put(right, end)
	}
	r.Spans(wait...)
	return r.String()
}

// waits says at the end of the last row what is pending, and what cancels it.
func (p *program) waits() (spans []paint.Span, cancel *keys.Command) {
	n, cancel := p.screen.waiting()
	if n == 0 || p.window() != nil {
		return nil, nil
	}
	spans = []paint.Span{{Style: p.pal.Warn, Text: "   " + p.tick.Waits(p.pal) + " " + paint.HumanCount(n) + " pending"}}
	if cancel != nil {
		key := p.keys.Name(cancel, p.painted.Field() != nil)
		spans = append(spans, paint.Span{Style: p.pal.Muted, Text: ", "}, paint.Span{Style: p.pal.AccentBold, Text: key}, paint.Span{Style: p.pal.Muted, Text: " cancels"})
	}
	return spans, cancel
}

// keyHint is a key that the last row names.
type keyHint struct {
	key, label string
	run        func()
}

func (h *keyHint) width() int { return paint.Width(h.key) + 1 + paint.Width(h.label) }

// hints are the keys that work now, and the one at the right: it leads to all others.
func (p *program) hints() (hints []keyHint, right keyHint) {
	typing, d := p.painted.Field() != nil, p.window()
	of := func(c *keys.Command, run func()) keyHint { return keyHint{p.keys.Name(c, typing), c.Does(), run} }
	_, alone := d.(app.Alone)
	if !alone {
		help := p.find("help")
		right = of(help, func() { p.carryOut(help) })
	}
	if l, ok := p.painted.Field().(app.Line); ok {
		return []keyHint{of(&keys.Apply, func() { l.End(true) }), of(&keys.Clear, func() { l.End(false) })}, right
	}
	var list []*keys.Command
	for _, commands := range p.lists() {
		for i := range commands {
			c := &commands[i]
			if c.Footer > 0 && (d == nil || c.Footer < everywhereFooter) && c.ID != "help" && p.runs(c) {
				list = append(list, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *keys.Command) int { return cmp.Compare(a.Footer, b.Footer) })
	for _, c := range list {
		hints = append(hints, of(c, func() { p.carryOut(c) }))
	}
	if d != nil && !alone {
		shut := of(p.find("back"), func() { p.move(keys.Back) })
		shut.label = "close"
		if named, ok := d.(app.Closed); ok {
			shut.label = named.Closes()
		}
		hints = append(hints, shut)
	}
	return hints, right
}
