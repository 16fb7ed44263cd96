package ui

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
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
	p.putKeys(c, r, p.ShortHelp(), end)
	r.Spans(wait...)
	return r.String()
}

// putKeys writes keys and what they do up to a column, the last one at the right. One that
// does not fit leaves its place to the next.
func (p *program) putKeys(c *app.Canvas, r *paint.Row, bindings []key.Binding, end int) {
	put := func(b key.Binding) {
		c.Click(r.Used(), p.h-1, widthOf(b), 1, func(int, int) { p.press(b.Keys()[0]) })
		r.Put(p.pal.AccentBold, b.Help().Key)
		r.Put(p.pal.Muted, " "+b.Help().Desc)
	}
	last := len(bindings) - 1
	right := bindings[last]
	if right.Enabled() {
		end -= widthOf(right)
	}
	for _, b := range bindings[:last] {
		if b.Enabled() && r.Used()+widthOf(b)+keyGap <= end {
			put(b)
			r.Gap(keyGap)
		}
	}
	if right.Enabled() {
		r.To(end)
		put(right)
	}
}

// widthOf is the width of a key and what it does, in cells.
func widthOf(b key.Binding) int {
	return display.Width(b.Help().Key) + 1 + display.Width(b.Help().Desc)
}

// waits says at the end of the last row what is pending, and what cancels it.
func (p *program) waits() (spans []paint.Span, cancel *keys.Command) {
	n, cancel := p.screen.waiting()
	if n == 0 || p.window() != nil {
		return nil, nil
	}
	spans = []paint.Span{{Style: p.pal.Warn, Text: "   " + p.tick.Waits(p.pal) + " " + phrase.Digits(n) + " pending"}}
	if cancel != nil {
		key := p.keys.Name(cancel, p.painted.Field() != nil)
		spans = append(spans, paint.Span{Style: p.pal.Muted, Text: ", "}, paint.Span{Style: p.pal.AccentBold, Text: key}, paint.Span{Style: p.pal.Muted, Text: " cancels"})
	}
	return spans, cancel
}

var _ help.KeyMap = (*program)(nil)

// ShortHelp implements [help.KeyMap]: the keys that work now, most important first. The last
// one leads to all others; it is disabled where nothing does.
func (p *program) ShortHelp() (bindings []key.Binding) {
	typing, d := p.painted.Field() != nil, p.window()
	of := func(c *keys.Command) key.Binding { return p.keys.Binding(c, typing) }
	var right key.Binding
	_, alone := d.(app.Alone)
	if !alone {
		right = of(p.find("help"))
	}
	if _, ok := p.painted.Field().(app.Line); ok {
		return []key.Binding{of(&keys.Apply), of(&keys.Clear), right}
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
		bindings = append(bindings, of(c))
	}
	if d != nil && !alone {
		shut, label := of(p.find("back")), "close"
		if named, ok := d.(app.Closed); ok {
			label = named.Closes()
		}
		shut.SetHelp(shut.Help().Key, label)
		bindings = append(bindings, shut)
	}
	return append(bindings, right)
}
