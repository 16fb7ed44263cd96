package program

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// keepText describes the key that keeps a text which typing would replace.
var keepText = key.NewBinding(key.WithKeys(keepKey), key.WithHelp(keys.KeyName(keepKey), "keep the selected text"))

// keyGap separates two keys of the last row.
const keyGap = 3

// maxMessage is the maximum number of rows of a message.
const maxMessage = 4

// lastRow returns a temporary message, in as many rows as it needs, or otherwise the keys that work with the
// current focus, most important first. A click on one runs it.
func (p *Program) lastRow(c *app.Canvas) []string {
	r := p.Pal.Row()
	r.Start(p.W, paint.Style{})
	r.Gap(1)
	if !p.HasKeys() {
		r.Put(p.Pal.AccentBold, p.Name("session.next"))
		if len(p.Around.Sessions()) > 2 {
			r.Put(p.Pal.AccentBold, " enter")
		}
		r.Put(p.Pal.Muted, " or a click gives this session the keys")
		if c := p.Find("compare.servers"); c != nil && c.Why() == "" {
			r.Put(p.Pal.AccentBold, "   "+p.Keys.Name(c, nil))
			r.Put(p.Pal.Muted, " "+c.Label)
		}
		return []string{r.String()}
	}
	if p.flashes() {
		if p.selected() { // the effect of the next letter cannot be undone
			r.Put(p.Pal.AccentBold, keepText.Help().Key)
			r.Put(p.Pal.Muted, " "+keepText.Help().Desc)
			r.Gap(keyGap)
		}
		st := p.Pal.Text
		if p.Flash.Wrong {
			st = p.Pal.Warn
			r.Put(st, p.Pal.WarnMark+" ")
		}
		var rows []string
		at := r.Used()
		for i, line := range p.Pal.WrapMost(p.Flash.Text, max(p.W-at, 1), maxMessage) {
			if i > 0 {
				r.Start(p.W, paint.Style{})
				r.Gap(at)
			}
			r.LinkPlace(st, line, p.Flash.File, p.Flash.Line)
			rows = append(rows, r.String())
		}
		return rows
	}
	end := p.W - 1
	wait, cancel := p.waits()
	if n := paint.SpansWidth(wait); n > 0 {
		end -= n
		c.Click(end, p.H-1, n, 1, func(int, int) {
			if cancel != nil {
				p.carryOut(cancel)
			}
		})
	}
	p.PutKeys(c, r, p.ShortHelp(), end)
	r.Spans(wait...)
	return []string{r.String()}
}

// PutKeys writes keys and their labels up to a column, with the last one on the right. A key that does not fit
// is skipped.
func (p *Program) PutKeys(c *app.Canvas, r *paint.Row, bindings []key.Binding, end int) {
	put := func(b key.Binding) {
		c.Click(r.Used(), p.H-1, widthOf(b), 1, func(int, int) { p.press(b.Keys()[0]) })
		r.Put(p.Pal.AccentBold, b.Help().Key)
		r.Put(p.Pal.Muted, " "+b.Help().Desc)
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

// widthOf returns the width of a key and its label, in cells.
func widthOf(b key.Binding) int {
	return display.Width(b.Help().Key) + 1 + display.Width(b.Help().Desc)
}

// waits returns the text at the end of the last row about pending requests, and the command that cancels them.
func (p *Program) waits() (spans []paint.Span, cancel *keys.Command) {
	n, cancel := p.Screen.Waiting()
	if n == 0 || p.Window() != nil {
		return nil, nil
	}
	spans = []paint.Span{{Style: p.Pal.Warn, Text: "   " + p.Tick.Waits(p.Pal) + " " + phrase.Digits(n) + " pending"}}
	if cancel != nil {
		key := p.Keys.Name(cancel, p.taken())
		spans = append(spans, paint.Span{Style: p.Pal.Muted, Text: ", "}, paint.Span{Style: p.Pal.AccentBold, Text: key}, paint.Span{Style: p.Pal.Muted, Text: " cancels"})
	}
	return spans, cancel
}

var _ help.KeyMap = (*Program)(nil)

// besideFooter is added to the ranks of the neighbor's keys. So they follow the keys of the focused
// part.
const besideFooter = 40

// mostKeys is the maximum number of keys in the last row, without the key of the help. Keys that work everywhere are only in
// the help and the list of commands.
const mostKeys = 5

// footer returns the commands for the last row, most important first. If the neighbor and the focused part
// have commands with the same id, the command of the focused part is used.
func (p *Program) footer(window bool) (list []*keys.Command) {
	place, seen := map[*keys.Command]int{}, map[string]bool{}
	for at, commands := range p.lists() {
		beside := at == besideList
		for i := range commands {
			c := &commands[i]
			at := footerOf(c)
			if at > 0 && (c.Now == nil || c.Now() != "") && at < everywhereFooter && c.ID != "help" && !(beside && seen[c.ID]) && p.runs(c) {
				list = append(list, c)
				place[c] = at + paint.If(beside, besideFooter, 0)
			}
			seen[c.ID] = true
		}
	}
	slices.SortStableFunc(list, func(a, b *keys.Command) int { return cmp.Compare(place[a], place[b]) })
	list = p.once(list)
	return list[:min(len(list), mostKeys-paint.If(window, 1, 0)-paint.If(p.selected(), 1, 0))] // esc closes a window; see keepText
}

// once leaves out the commands that the last row names already: with the same label at another key, or at its end.
func (p *Program) once(list []*keys.Command) []*keys.Command {
	labels, taken := map[string]bool{}, p.taken()
	if _, cancel := p.waits(); cancel != nil {
		end := p.Keys.Name(cancel, taken)
		list = slices.DeleteFunc(list, func(c *keys.Command) bool { return p.Keys.Name(c, taken) == end })
	}
	return slices.DeleteFunc(list, func(c *keys.Command) bool {
		label := p.Keys.Binding(c, taken).Help().Desc
		said := labels[label]
		labels[label] = true
		return said
	})
}

// helpsFooter is the place of a command that currently helps: after the commands of the selected row.
const helpsFooter = 12

// footerOf returns the current order of a command in the last row.
func footerOf(c *keys.Command) int {
	if c.Helps != nil && c.Helps() {
		return helpsFooter
	}
	return c.Footer
}

// ShortHelp implements [help.KeyMap]: the keys that work now, most important first. The last key leads to all
// others. It is disabled if there is no such key.
func (p *Program) ShortHelp() (bindings []key.Binding) {
	taken, d := p.taken(), p.Window()
	of := func(c *keys.Command) key.Binding { return p.Keys.Binding(c, taken) }
	var right key.Binding
	_, alone := d.(app.Alone)
	if _, lists := d.(*Palette); !alone && !lists { // the list of commands is what help leads to
		right = of(p.Find("help"))
	}
	_, line := p.Painted.Field().(app.Line)
	if line {
		bindings = append(bindings, of(&keys.Apply), of(&keys.Clear))
	} else {
		for _, c := range p.footer(d != nil) {
			bindings = append(bindings, of(c))
		}
	}
	if p.selected() {
		bindings = append(bindings, keepText)
	}
	if line {
		return append(bindings, right)
	}
	if d != nil && !alone {
		shut := of(p.Find("back"))
		shut.SetHelp(shut.Help().Key, dialog.Closes(d))
		bindings = append(bindings, shut)
	}
	return append(bindings, right)
}
