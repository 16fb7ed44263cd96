package page

import (
	"slices"

	"mcptea/ui/paint"
)

// Column is a cell of an item in a list of one row each. Columns with names have a row of
// names over the list.
type Column[T any] struct {
	Name   string
	Sorted func() bool // the list is sorted by it; nil is never
	Width  int         // cells at most; 0 is as wide as the content, and gives way to the others
	From   int         // width of the list from which it is shown
	Right  bool
	Cell   func(it T, pal *paint.Palette) []paint.Span
}

// columns writes the cells of an item.
func (p *Page[T, K]) columns(r *paint.Row, pal *paint.Palette, it T, selected bool) {
	if p.Sign != nil {
		sign := p.Sign(it, pal)
		r.Cell(sign.Style, sign.Text, 2)
	}
	p.cells(r, func(c *Column[T]) []paint.Span {
		spans := c.Cell(it, pal)
		for i := range spans {
			spans[i].Text = paint.Sanitize(spans[i].Text)
			if selected && spans[i].Style == pal.Text {
				spans[i].Style = pal.Strong
			}
		}
		return spans
	})
}

// widest is how wide a row is measured at most.
const widest = 240

// fit measures the items around the selected one, for a list of h rows. A column is as wide as
// its content, one with a Width at most as wide as that says, and one without content is left
// out.
func (p *Page[T, K]) fit(pal *paint.Palette, h int) {
	if len(p.widths) != len(p.Columns) {
		p.widths = make([]int, len(p.Columns))
	}
	from := max(0, min(p.list.Index()-h, p.len()-2*h))
	for i := from; i < min(from+2*h, p.len()); i++ {
		it := p.at(i)
		for n := range p.Columns {
			if c := &p.Columns[n]; p.widths[n] < widest && (c.Width == 0 || p.widths[n] < c.Width) {
				if cells := cellsOf(c.Cell(it, pal), widest); cells > 0 {
					p.widths[n] = max(p.widths[n], paint.Width(c.Name), cells)
				}
			}
		}
		for row := 0; p.Row != nil && row < p.heightOf(it) && p.row < widest; row++ {
			r := &p.measured
			r.Start(widest, paint.Style{})
			p.Row(r, pal, it, row, false)
			p.row = max(p.row, r.Wanted())
		}
	}
}

// heightOf is the number of rows of an item.
func (p *Page[T, K]) heightOf(it T) int {
	if p.Height == nil {
		return 1
	}
	return p.Height(it)
}

// wanted is how wide the list wants to be to show its items whole, with the border.
func (p *Page[T, K]) wanted() int {
	const around = 4 // the border, the mark of the selected row, and a blank
	cells := p.row
	for _, n := range p.widths {
		if n > 0 {
			cells += n + 2
		}
	}
	if p.Sign != nil {
		cells += 2
	}
	return min(cells, widest) + around
}

// cellsOf is the width of a cell as it is shown, at most so many.
func cellsOf(spans []paint.Span, most int) (w int) {
	const longest = 8 // bytes of a cell, usually
	for _, s := range spans {
		w += paint.Width(paint.Sanitize(s.Text[:min(len(s.Text), longest*most)]))
	}
	return min(w, most)
}

// share gives the columns of a list of w cells their widths: the widest give way first, the
// first one without a Width takes what is left over.
func (p *Page[T, K]) share(w int) {
	all, rest, first := p.given[:0], w, -1
	if p.Sign != nil {
		rest -= 2
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		n := p.widths[i]
		switch {
		case w < c.From || n == 0:
			all = append(all, 0)
			continue
		case c.Width > 0:
			n = min(n, c.Width)
		case first < 0:
			first = i
		}
		all = append(all, n)
		rest -= n + 2
	}
	for ; rest < 0; rest++ {
		widest := -1
		for i, n := range all {
			if p.Columns[i].Width == 0 && n > 1 && (widest < 0 || n > all[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		all[widest]--
	}
	if first >= 0 && rest > 0 {
		all[first] += rest
	}
	p.given = all
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
		for _, s := range spans {
			r.Put(s.Style, paint.Cut(s.Text, max(end-r.Used(), 0)))
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
	r.Gap(1)
	if p.Sign != nil {
		r.Gap(2)
	}
	p.cells(r, func(c *Column[T]) []paint.Span {
		st := pal.Muted
		if c.Sorted != nil && c.Sorted() {
			st = pal.Accent
		}
		return []paint.Span{{Style: st, Text: c.Name}}
	})
}
