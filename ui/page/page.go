// Package page is a pane with a list, a filter and the selected item in full: side by
// side, one over the other, or on narrow screens the detail alone while it has the focus.
package page

import (
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Spec is what a page needs to know of its items. The functions must be cheap: they are
// called for the items in sight, for all of them only while one is looked for.
type Spec[T any, K comparable] struct {
	Noun  string // what an item is, for "No task is selected."
	Title func() []paint.Span
	Note  func(pal *paint.Palette) []paint.Span
	Len   func() int
	At    func(i int) T
	Key   func(it T) K // the selection follows the key
	// Parent is the key that is selected in the place of one that is gone; nil for the
	// neighbor.
	Parent func(k K) K
	Height func(it T) int // nil is 1
	// Row writes one row of an item. Without it the columns are written.
	Row     func(r *paint.Row, pal *paint.Palette, it T, row int, selected bool)
	Columns []Column[T]
	// Match compiles the words of the filter; nil for a page without one. Items are
	// looked at within a budget of time at each Refresh. When items only come at the
	// end, Growing saves looking at them again.
	Match   func(words string) func(it T) bool
	Growing bool
	Empty   func(d *doc.Doc, filtered bool)
	// Detail paints the selected item in full, its box too. It can have the focus when it
	// has commands.
	Detail func(it T) app.Pane
	Open   func(it T) // a click on the selected item
	// Stay keeps an item selected that the user did not select. Otherwise the first one is
	// selected until the user has selected one.
	Stay   func(it T) bool
	Spaced bool // an empty row between the items where all of them fit
	Layout masterdetail.Layout
}

// Column is a cell of an item in a list of one row each.
type Column[T any] struct {
	Width int // cells; 0 takes what is left, in the last one
	Right bool
	Text  func(it T, pal *paint.Palette) (text string, st paint.Style)
}

// Page is the pane. Set its Spec with Init.
type Page[T any, K comparable] struct {
	Spec[T, K]
	Own []keys.Command // the commands of the list

	list   masterdetail.List[K]
	inside bool // the detail has the focus
	filter filter[T, K]
}

// Init makes the page.
func (p *Page[T, K]) Init(s Spec[T, K]) {
	p.Spec = s
	p.list.Spaced = s.Spaced
	p.list.Items = masterdetail.Items[K]{
		Len: p.len, Key: func(i int) K { return s.Key(p.at(i)) },
		Row: func(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
			if s.Row == nil {
				p.columns(r, pal, p.at(i), selected)
				return
			}
			s.Row(r, pal, p.at(i), row, selected)
		},
	}
	if s.Height != nil {
		p.list.Items.Height = func(i int) int { return s.Height(p.at(i)) }
	}
}

func (p *Page[T, K]) columns(r *paint.Row, pal *paint.Palette, it T, selected bool) {
	for _, c := range p.Columns {
		text, st := c.Text(it, pal)
		if selected && st == pal.Text {
			st = pal.Strong
		}
		switch {
		case c.Width == 0:
			r.Put(st, text)
		case c.Right:
			r.CellRight(st, paint.Cut(paint.Sanitize(text), c.Width), c.Width)
		default:
			r.Cell(st, text, c.Width)
		}
		r.Gap(2)
	}
}

// Do makes a command about the selected item: it is off without one, or when off says so.
func (p *Page[T, K]) Do(c keys.Command, run func(it T), off ...func(it T) string) keys.Command {
	c.Run = func() {
		if it, ok := p.Selected(); ok {
			run(it)
		}
	}
	c.Off = func() string {
		it, ok := p.Selected()
		if !ok {
			return "No " + p.Noun + " is selected."
		}
		for _, why := range off {
			if text := why(it); text != "" {
				return text
			}
		}
		return ""
	}
	return c
}

// len and at are those of the items that pass the filter.
func (p *Page[T, K]) len() int {
	if p.filter.match != nil {
		return len(p.filter.shown)
	}
	return p.Len()
}

func (p *Page[T, K]) at(i int) T {
	if p.filter.match != nil {
		i = p.filter.shown[i]
	}
	return p.At(i)
}

// Selected is the item under the cursor.
func (p *Page[T, K]) Selected() (it T, ok bool) {
	if i := p.list.Index(); i >= 0 {
		return p.at(i), true
	}
	return it, false
}

// Select selects the item with a key, on behalf of the user.
func (p *Page[T, K]) Select(k K) bool {
	p.filter.wants = false
	p.list.Pin(true)
	return p.list.Select(k)
}

// Keep has the selected item stay selected, as if the user had selected it.
func (p *Page[T, K]) Keep() { p.list.Pin(true) }

// Inside reports whether the detail has the focus.
func (p *Page[T, K]) Inside() bool { return p.inside }

// Enter moves the focus into the detail, if that can have it.
func (p *Page[T, K]) Enter() {
	if d := p.current(); d != nil && len(d.Commands()) > 0 {
		p.inside = true
	}
}

// current is the detail of the selected item; nil without one.
func (p *Page[T, K]) current() app.Pane {
	if it, ok := p.Selected(); ok && p.Detail != nil {
		return p.Detail(it)
	}
	return nil
}

// Commands implements [app.Pane].
func (p *Page[T, K]) Commands() []keys.Command {
	if d := p.current(); p.inside && d != nil {
		return d.Commands()
	}
	return p.Own
}

// Changed has the page look again at its items, which have changed.
func (p *Page[T, K]) Changed() {
	k, had := p.list.Key()
	pinned := p.list.Pinned()
	if p.filter.match != nil && !p.Growing {
		p.filter.again(k, had && pinned)
	}
	p.scan()
	found := p.list.Refresh()
	switch it, ok := p.Selected(); {
	case !ok:
		p.inside = false
	case !found && had && pinned && p.Parent != nil && p.list.Select(p.Parent(k)):
		p.list.Pin(true)
	case !found:
		p.inside = false
		if !pinned {
			p.list.SelectIndex(0)
		}
	case !pinned && !p.inside && (p.Stay == nil || !p.Stay(it)):
		p.list.SelectIndex(0)
	}
}

// Refresh implements [app.Pane]. The pane around it calls Changed first.
func (p *Page[T, K]) Refresh(t app.Tick) (busy bool) {
	if p.Growing && p.filter.match != nil || p.filter.next < p.filter.end {
		busy = p.scan()
		p.list.Refresh()
	}
	if d := p.current(); d != nil {
		busy = d.Refresh(t) || busy
	}
	return busy
}

// Motion implements [app.Pane].
func (p *Page[T, K]) Motion(m keys.Motion) bool {
	d := p.current()
	switch {
	case p.inside && d != nil && d.Motion(m):
	case p.inside && (m == keys.Back || m == keys.Previous):
		p.inside = false
	case m == keys.Next && !p.inside && d != nil && len(d.Commands()) > 0:
		p.inside = true
	case m == keys.Back:
		return p.ClearFilter()
	case m == keys.Next || m == keys.Previous || p.inside:
		return false
	default:
		p.filter.wants = false
		return keys.Scroll(&p.list, m)
	}
	return true
}

// Paint implements [app.Pane].
func (p *Page[T, K]) Paint(c *app.Canvas, focused bool) {
	d := p.current()
	switch l := p.Layout; {
	case d == nil:
		p.inside = false
		p.paintList(c, focused)
	case c.W < l.Alone && p.inside:
		d.Paint(c, focused)
	case c.W < l.Beside:
		most := c.H / 3
		if l.Height > 0 {
			most = c.H * l.Height / 100
		}
		rows := 2
		if p.filter.Shown() {
			rows++
		}
		for i := 0; i < p.len() && rows < c.H; i++ {
			rows++
			if p.Height != nil {
				rows += p.Height(p.at(i)) - 1
			}
		}
		top, bottom := c.Over(min(rows, max(most, 4), c.H))
		p.paintList(top, focused)
		d.Paint(bottom, false)
	default:
		left, right := c.Beside(min(max(c.W*l.Percent/100, l.Min), l.Max))
		p.paintList(left, focused && !p.inside)
		d.Paint(right, focused && p.inside)
	}
}

func (p *Page[T, K]) paintList(c *app.Canvas, focused bool) {
	title := p.Title()
	title[0].Style = c.Pal.Text
	if focused {
		title[0].Style = c.Pal.TextBold
	}
	in := c.Box(title, p.Note(c.Pal), focused)
	p.filter.paint(in, p)
	if p.len() == 0 {
		d := doc.On(in)
		p.Empty(d, p.filter.match != nil)
		d.Paint()
		return
	}
	body := in.Below()
	body.Rows(p.list.Paint(c.Pal, body.W, body.H, focused)...)
	body.Click(0, 0, body.W, body.H, func(_, y int) {
		p.inside, p.filter.wants = false, false
		if _, again := p.list.Click(y); again && p.Open != nil {
			it, _ := p.Selected()
			p.Open(it)
		}
	})
	body.Wheel(func(n int) {
		p.filter.wants = false
		p.list.Move(n)
	})
}
