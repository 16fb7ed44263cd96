package page

import (
	"cmp"
	"slices"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// Column is a cell of an item in a list of one row each. Columns with names have a row of
// names over the list.
type Column[T any] struct {
	Name   string
	Sorted func() bool // the list is sorted by it; nil is never
	Width  int         // cells at most; 0 is as wide as the content, and gives way to the others
	// Cells is the width of the widest cell of all items, also of those that a filter leaves out. The
	// border beside the list follows from it, see [Page.listWidth]; nil measures the items around the
	// selected one.
	Cells  func() int
	From   int  // width of the list from which it is shown although others are cut for it
	Yields bool // it gives way before the others, and goes when little is left of it
	Least  int  // cells that are little for it; 0 is 10
	Phrase bool // it is cut after a phrase, see [display.Phrase]
	Right  bool
	Cell   func(it T, pal *paint.Palette) []paint.Span
}

// columns writes the cells of an item.
func (p *Page[T, K]) columns(r *paint.Row, pal *paint.Palette, it T, selected bool) {
	if p.Sign != nil {
		sign := p.Sign(it, pal)
		r.Put(sign.Style, sign.Text)
	}
	r.To(1 + p.before())
	p.cells(r, func(c *Column[T]) []paint.Span {
		spans := c.Cell(it, pal)
		for i := range spans {
			spans[i].Text = display.Sanitize(spans[i].Text)
			if selected && spans[i].Style == pal.Text {
				spans[i].Style = pal.Strong
			}
		}
		return spans
	})
}

// before is how many cells are before the columns: a sign and a blank.
func (p *Page[T, K]) before() int {
	if p.Sign != nil {
		return 2
	}
	return 1
}

// widest is how wide a row is measured at most.
const widest = 240

// measured is what a column of a page needs: for its cells, and for a text that goes on in the
// empty cells after its own.
type measured struct{ cells, beyond int }

// fit measures the items around the selected one, for a list of h rows. A column is as wide as
// its content, one with a Width at most as wide as that says, and one without content is left
// out.
func (p *Page[T, K]) fit(pal *paint.Palette, h int) {
	if len(p.widths) != len(p.Columns) {
		p.widths = make([]measured, len(p.Columns))
	}
	from := max(0, min(p.list.Index()-h, p.len()-2*h))
	for i := range p.Columns {
		if c := &p.Columns[i]; c.Cells != nil {
			p.widths[i].cells = c.bounded(c.Cells())
		}
	}
	for i := from; i < min(from+2*h, p.len()); i++ {
		it, last := p.at(i), true
		for n := len(p.Columns) - 1; n >= 0; n-- {
			c, m := &p.Columns[n], &p.widths[n]
			if c.Cells != nil {
				last = false
				continue
			}
			cells := cellsOf(c.Cell(it, pal), widest)
			switch {
			case cells == 0:
				continue
			case last && n < len(p.Columns)-1:
				m.beyond, cells = max(m.beyond, cells), 1
			default:
				cells = c.bounded(cells)
			}
			m.cells, last = max(m.cells, display.Width(c.Name), cells), false
		}
	}
}

// wanted is the width inside the border in which the columns show the items in full, with the mark of the
// selected row and a blank at the end.
func (p *Page[T, K]) wanted() int {
	cells, longest := p.before(), 0
	for _, m := range p.widths {
		if longest = max(longest, cells+m.beyond+2); m.cells > 0 {
			cells += m.cells + 2
		}
	}
	return min(max(cells, longest), widest)
}

// cellsOf is the width of a cell as it is shown, at most so many.
func cellsOf(spans []paint.Span, most int) (w int) {
	const longest = 8 // bytes of a cell, usually
	for _, s := range spans {
		w += display.Width(display.Sanitize(s.Text[:min(len(s.Text), longest*most)]))
	}
	return min(w, most)
}

// bounded is a width, at most that which the column has.
func (c *Column[T]) bounded(cells int) int {
	if c.Width > 0 {
		return min(cells, c.Width)
	}
	return cells
}

// least is the width below which a column that yields is left out.
func (c *Column[T]) least() int { return cmp.Or(c.Least, 10) }

// share gives the columns of a list of w cells their widths: the widest give way first. What is
// left over is for texts that are longer than the empty cells after them, and then for one column.
func (p *Page[T, K]) share(w int) {
	all, rest := p.given[:0], w-p.before()
	short := w < p.wanted()
	for i := range p.Columns {
		c := &p.Columns[i]
		n := p.widths[i].cells
		if short && w < c.From || n == 0 {
			all = append(all, 0)
			continue
		}
		all = append(all, n)
		rest -= n + 2
	}
	for i := range p.Columns {
		if n := all[i]; rest < 0 && n > 0 && p.Columns[i].Yields {
			if all[i] = n + rest; all[i] < min(n, p.Columns[i].least()) {
				all[i], rest = 0, rest+n+2
			} else {
				rest = 0
			}
		}
	}
	for ; rest < 0; rest++ {
		at := -1
		for i, n := range all {
			if c := &p.Columns[i]; (c.Width == 0 || c.Cells != nil) && n > 1 && (at < 0 || n > all[at]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		all[at]--
	}
	after := 0 // cells of the columns after it
	for i := len(all) - 1; i >= 0; i-- {
		if most := cmp.Or(p.Columns[i].Width, widest); all[i] > 0 {
			more := max(0, min(p.widths[i].beyond-all[i]-after, most-all[i], rest))
			all[i] += more
			rest -= more
		}
		if all[i] > 0 {
			after += all[i] + 2
		}
	}
	if first := p.first(all); first >= 0 && rest > 0 {
		all[first] += rest
	}
	p.given = all
}

// first is the column that has what is left over: the first one without a Width, or else that knows how
// wide it is; -1 for none.
func (p *Page[T, K]) first(all []int) int {
	known := -1
	for i := range p.Columns {
		switch c := &p.Columns[i]; {
		case all[i] == 0:
		case c.Width == 0:
			return i
		case c.Cells != nil && known < 0:
			known = i
		}
	}
	return known
}

// cells writes one cell for each column that the list has. A text that is too wide goes on in
// the cells after its own, as far as they are empty.
func (p *Page[T, K]) cells(r *paint.Row, of func(c *Column[T]) []paint.Span) {
	texts := p.texts[:0]
	for i := range p.Columns {
		var spans []paint.Span
		if p.given[i] > 0 {
			spans = of(&p.Columns[i])
		}
		texts = append(texts, spans)
	}
	p.texts = texts
	at := r.Used()
	for i, spans := range texts {
		width := p.given[i]
		if width == 0 {
			continue
		}
		end := at + width
		for n := i + 1; n < len(texts) && paint.SpansWidth(texts[n]) == 0; n++ {
			if p.given[n] > 0 {
				end += p.given[n] + 2
			}
		}
		if p.Columns[i].Right {
			r.Gap(width - paint.SpansWidth(spans))
		}
		cut := paint.If(p.Columns[i].Phrase, display.Phrase, display.Cut)
		for _, s := range spans {
			r.Put(s.Style, cut(s.Text, max(end-r.Used(), 0)))
		}
		at += width + 2
		r.To(at)
	}
}

// named reports whether there is a row of names over the list.
func (p *Page[T, K]) named() bool {
	return slices.ContainsFunc(p.Columns, func(c Column[T]) bool { return c.Name != "" })
}

// head writes the names of the columns.
func (p *Page[T, K]) head(r *paint.Row, pal *paint.Palette) {
	r.Gap(1 + p.before())
	p.cells(r, func(c *Column[T]) []paint.Span {
		st := paint.If(c.Sorted != nil && c.Sorted(), pal.Accent, pal.Muted)
		return []paint.Span{{Style: st, Text: c.Name}}
	})
}
