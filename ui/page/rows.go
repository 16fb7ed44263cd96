package page

import "mcptea/ui/paint"

// height is the number of rows of an item: of its cells, of the heading over it, and of the line under it.
func (p *Page[T, K]) height(it T) int {
	n := 1
	switch {
	case p.isAcross(it):
	case p.Height != nil:
		n = p.Height(it)
	default:
		n = p.table.Lines()
	}
	if p.above(it) != "" {
		n++
	}
	if p.ruled(it) {
		n++
	}
	return n
}

func (p *Page[T, K]) isAcross(it T) bool { return p.Across != nil && p.Across(it) != nil }

func (p *Page[T, K]) above(it T) string {
	if p.Above == nil {
		return ""
	}
	return p.Above(it)
}

// ruled reports a line under an item, which a filter has no use for.
func (p *Page[T, K]) ruled(it T) bool { return p.Ruled != nil && !p.Filtering() && p.Ruled(it) }

// row writes one row of an item.
func (p *Page[T, K]) row(r *paint.Row, pal *paint.Palette, it T, row int, selected bool) {
	if heading := p.above(it); heading != "" {
		if row == 0 {
			p.plain(r)
			r.Put(pal.Muted, heading)
			return
		}
		row--
	}
	switch {
	case p.ruled(it) && row == p.height(it)-1:
		p.plain(r)
		r.Fill(pal.Border, pal.Lines.Top, r.Left()-1)
	case p.isAcross(it):
		p.Across(it)(r, pal, selected)
	default:
		p.table.Row(r, pal, it, row, selected)
	}
}

// plain begins the row again, as one that is not selected with its item.
func (p *Page[T, K]) plain(r *paint.Row) {
	r.Start(r.Left()+r.Used(), paint.Style{})
	r.Gap(1)
}

// fit measures the items around the selected one, for a list of h rows.
func (p *Page[T, K]) fit(pal *paint.Palette, h int) {
	from := max(0, min(p.list.Index()-h, p.len()-2*h))
	p.table.Measure(pal, func(yield func(T) bool) {
		for i := from; i < min(from+2*h, p.len()); i++ {
			if it := p.at(i); !p.isAcross(it) && !yield(it) {
				return
			}
		}
	})
}

// Sort sorts items by the column that the list is sorted by; those before which first reports are at the top.
func (p *Page[T, K]) Sort(items []T, first func(it T) bool) { p.table.Order(items, first) }

// SortNext has the list be sorted by the next column.
func (p *Page[T, K]) SortNext() { p.table.SortNext() }

// SortBy says by which column the items are sorted, for a list that sorts them itself.
func (p *Page[T, K]) SortBy(column string) { p.table.Sorted = column }

// SortedBy is the name of the column that the list is sorted by.
func (p *Page[T, K]) SortedBy() string { return p.table.Sorted }
