package page

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// minDetail is the minimum number of rows of a detail under the list.
const minDetail = 5

// Paint implements [app.Pane].
func (p *Page[T, K]) Paint(c *app.Canvas, focused bool) {
	d := p.current()
	if p.pageW != c.W {
		p.pageW, p.high = c.W, 0
		p.list.Reset()
	}
	p.list.MeasureNear(c.Pal, c.H)
	p.border.of, p.border.common = 0, nil
	if p.Layout.beside(c.W, c.H) && !p.Layout.Texts {
		p.border.common = &c.ListShare
	}
	switch l := p.Layout; {
	case d == nil && p.Detail != nil && p.Filtering() && !c.Alone && l.beside(c.W, c.H): // the border stays where it is
		p.inside = false
		left, right := c.Neighbors(p.border.place(l.listWidth(c.W), c.W))
		p.paintList(left, focused)
		right.Box(nil, nil, false)
	case d == nil:
		p.inside = false
		p.paintList(c, focused)
	case (c.W < l.Alone || c.Alone) && p.inside:
		c.Lend(d, focused)
	case c.Alone:
		p.paintList(c, focused)
	case !l.beside(c.W, c.H):
		most := c.H / 3
		if l.Height > 0 {
			most = c.H * l.Height / 100
		}
		if p.Needs != nil && !l.Fixed {
			it, _ := p.Selected()
			if p.high = max(p.high, p.Needs(it, c.Screen, c.W, c.H)); p.high > 0 {
				most = max(most, c.H-p.high)
			}
		}
		if whole := p.listRows(c.H); !l.Fixed && whole <= c.H/2 {
			most = max(most, whole) // a short list is visible as a whole
		}
		rows := min(p.listRows(c.H), max(most, 4), c.H)
		if c.H-rows < minDetail {
			rows = c.H // the detail would have no room for its content
		}
		rows = min(p.border.place(rows, c.H), c.H)
		top, bottom := c.Over(rows)
		p.paintList(top, focused && !p.inside)
		bottom.Lend(d, focused && p.inside)
		c.Drag(0, rows-1, c.W, 1, func(_, y int) { p.border.move(rows + y) })
	default:
		n := p.border.place(l.listWidth(c.W), c.W)
		left, right := c.Neighbors(n)
		p.paintList(left, focused && !p.inside)
		right.Lend(d, focused && p.inside)
		c.Drag(n-1, 0, 1, c.H, func(x, _ int) { p.border.move(n + x) })
	}
	p.filter.line.Candidates(c) // the list is at the top left
}

func (p *Page[T, K]) paintList(c *app.Canvas, focused bool) {
	title := p.Title()
	title[0].Style = c.Pal.Text
	if focused {
		title[0].Style = c.Pal.TextBold
	}
	if !p.inside {
		p.list.Return()
	}
	in := c.Box(title, p.Note(c.Pal), focused)
	p.filter.paint(in, p)
	p.list.Share(in.W)
	if 2*p.Len() <= in.Left() { // counts all items, so that a filter does not change the heights
		p.list.Fold(in.W)
	}
	d := doc.On(in)
	if p.len() == 0 {
		if p.filter.match != nil {
			p.none(d)
		} else {
			p.Empty(d)
		}
		d.Fill()
	} else {
		if p.list.Named() {
			in.Line(func(r *paint.Row) { p.list.Head(r, c.Pal) })
		}
		d.List(rows[T, K]{p, focused}, func() {
			if it, ok := p.Selected(); ok && p.Open != nil {
				p.Open(it)
			}
		})
	}
	if p.Foot != nil {
		p.Foot(d)
	}
	d.Paint()
	if p.len() == 0 {
		return
	}
	above, below := p.list.Hidden()
	more := c.Pal.MoreItems(above, below)
	if len(more) == 0 {
		return
	}
	c.Foot(more)
	w, page := paint.SpansWidth(more), max(p.list.Screen()-1, 1)
	x := c.W - w - 4
	if above > 0 {
		up := display.Width(c.Pal.Up+" "+phrase.Digits(above)) + 2
		c.Button(x, c.H-1, up, 1, func() { p.turn(-page) })
		x += up
	}
	if below > 0 {
		c.Button(x, c.H-1, c.W-2-x, 1, func() { p.turn(page) })
	}
}

// none writes that no item passes the filter.
func (p *Page[T, K]) none(d *doc.Doc) {
	text, older := "No "+p.Noun, ""
	if p.filter.forgotten > 0 {
		text, older = "None of the newest "+phrase.Count(p.Len(), p.Noun), p.Older()+" "
	}
	text += " matches the filter. " + d.Names.Name("back") + " clears it. " + older + p.Missed
	if p.Behind() {
		text = paint.Spinner(d.Pal, p.spin) + " filtering"
	}
	d.Text(d.Pal.Muted, text, 6)
}

// rows is the list in its box, without the border.
type rows[T any, K comparable] struct {
	p       *Page[T, K]
	focused bool
}

// Len implements [doc.List]: the number of rows.
func (r rows[T, K]) Len() int { return r.p.list.Rows(maxHeight) }

// maxHeight is more rows than a screen has.
const maxHeight = 1000

// Move implements [doc.List] for the mouse wheel.
func (r rows[T, K]) Move(n int) { r.p.turn(n) }

// turn moves the selection by n items. While the detail has the focus, it only scrolls the list:
// the keys and the text that is being typed belong to the selected item.
func (p *Page[T, K]) turn(n int) {
	if p.inside {
		p.list.ScrollAway(n)
		return
	}
	p.list.Move(n)
	p.moved()
}

// Click implements [doc.List].
func (r rows[T, K]) Click(row int) (hit, again bool) {
	following := r.p.Following() // the user has not chosen the selected item
	r.p.inside, r.p.filter.wants = false, false
	hit, again = r.p.list.Click(row)
	return hit, again && !following
}

// Paint implements [doc.List].
func (r rows[T, K]) Paint(pal *paint.Palette, w, h int, _ bool) []string {
	return r.p.list.List.Paint(pal, w, h, r.focused) // paintList has measured
}
