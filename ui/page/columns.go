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
	Width  int         // cells; 0 shares what the others leave
	From   int         // width of the list from which it is shown
	Right  bool
	Cell   func(it T, pal *paint.Palette) []paint.Span
}

// columns writes the cells of an item.
func (p *Page[T, K]) columns(r *paint.Row, pal *paint.Palette, it T, selected bool) {
	w := r.Used() + r.Left()
	if p.Sign != nil {
		sign := p.Sign(it, pal)
		r.Cell(sign.Style, sign.Text, 2)
	}
	p.cells(r, w, func(c *Column[T]) []paint.Span {
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

// cells writes one cell for each column that a list of w cells has.
func (p *Page[T, K]) cells(r *paint.Row, w int, of func(c *Column[T]) []paint.Span) {
	rest, shares := r.Left()-1, 0
	for i := range p.Columns {
		switch c := &p.Columns[i]; {
		case w < c.From:
			continue
		case c.Width == 0:
			shares++
			fallthrough
		default:
			rest -= c.Width + 2
		}
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if w < c.From {
			continue
		}
		width := c.Width
		if width == 0 {
			width = max((rest+2)/shares, 1)
		}
		end, spans := r.Used()+width, of(c)
		if c.Right {
			r.Gap(width - paint.SpansWidth(spans))
		}
		for _, s := range spans {
			r.Put(s.Style, paint.Cut(s.Text, max(end-r.Used(), 0)))
		}
		r.To(end)
		r.Gap(2)
	}
}

// named reports whether there is a row of names over the list.
func (p *Page[T, K]) named() bool {
	return slices.ContainsFunc(p.Columns, func(c Column[T]) bool { return c.Name != "" })
}

// head writes the names of the columns.
func (p *Page[T, K]) head(r *paint.Row, pal *paint.Palette) {
	w := r.Left()
	r.Gap(1)
	if p.Sign != nil {
		r.Gap(2)
	}
	p.cells(r, w, func(c *Column[T]) []paint.Span {
		st := pal.Muted
		if c.Sorted != nil && c.Sorted() {
			st = pal.Accent
		}
		return []paint.Span{{Style: st, Text: c.Name}}
	})
}
