package widget

import "mcptea/ui/paint"

// Rows is a list whose items are rows of a [Table]. Init initializes it.
type Rows[T any, K comparable] struct {
	List[K]
	Table[T]
	// Across returns a function that writes the row of an item without columns, such as the name of a group, or
	// nil. Across may be nil if all items have columns.
	Across func(it T) func(r *paint.Row, pal *paint.Palette, selected bool)
	// Height returns the number of rows of an item's cells. If nil, [Table.Lines] determines it.
	Height func(it T) int
	// Above returns a heading in a row above an item, or "". It may be nil.
	Above func(it T) string
	// Ruled reports an item with a line under it; it may be nil.
	Ruled func(it T) bool

	at func(i int) T
	w  int // width that the columns were measured for
}

// Init sets the items and their columns.
func (l *Rows[T, K]) Init(n func() int, at func(i int) T, key func(it T) K, columns ...Column[T]) {
	l.at, l.Columns = at, columns
	l.Items = Items[K]{
		Len: n, Key: func(i int) K { return key(at(i)) },
		Height: func(i int) int { return l.height(at(i)) },
		Row: func(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
			l.write(r, pal, at(i), row, selected)
		},
	}
}

// height returns the number of rows of an item: of its cells, of the heading above it, and of the line under
// it.
func (l *Rows[T, K]) height(it T) int {
	n := 1
	switch {
	case l.across(it) != nil:
	case l.Height != nil:
		n = l.Height(it)
	default:
		n = l.Lines()
	}
	if l.above(it) != "" {
		n++
	}
	if l.ruled(it) {
		n++
	}
	return n
}

// write writes one row of an item.
func (l *Rows[T, K]) write(r *paint.Row, pal *paint.Palette, it T, row int, selected bool) {
	if heading := l.above(it); heading != "" {
		if row == 0 {
			plain(r)
			r.Put(pal.Muted, heading)
			return
		}
		row--
	}
	if l.ruled(it) && row == l.height(it)-1 {
		plain(r)
		r.Fill(pal.Border, pal.Lines.Top, r.Left()-1)
		return
	}
	if across := l.across(it); across != nil {
		across(r, pal, selected)
		return
	}
	l.Row(r, pal, it, row, selected)
}

// plain begins the row again, as one that is not selected with its item.
func plain(r *paint.Row) {
	r.Start(r.Left()+r.Used(), paint.Style{})
	r.Gap(1)
}

func (l *Rows[T, K]) across(it T) func(r *paint.Row, pal *paint.Palette, selected bool) {
	if l.Across == nil {
		return nil
	}
	return l.Across(it)
}

func (l *Rows[T, K]) above(it T) string {
	if l.Above == nil {
		return ""
	}
	return l.Above(it)
}

func (l *Rows[T, K]) ruled(it T) bool { return l.Ruled != nil && l.Ruled(it) }

// MeasureNear measures the items around the selected one, for a list of h rows.
func (l *Rows[T, K]) MeasureNear(pal *paint.Palette, h int) {
	from := max(0, min(l.Index()-h, l.Len()-2*h))
	l.Measure(pal, func(yield func(T) bool) {
		for i := from; i < min(from+2*h, l.Len()); i++ {
			if it := l.at(i); l.across(it) == nil && !yield(it) {
				return
			}
		}
	})
}

// Fit measures the items around the selected one and sets the widths of the columns, for w cells and h rows.
// While w stays the same, measured widths only grow, so that no column moves while the user reads.
func (l *Rows[T, K]) Fit(pal *paint.Palette, w, h int) {
	if l.w != w {
		l.w = w
		l.Reset()
	}
	l.MeasureNear(pal, h)
	l.Share(w)
}

// Paint paints the items that fit into h rows of w cells.
func (l *Rows[T, K]) Paint(pal *paint.Palette, w, h int, focused bool) []string {
	l.Fit(pal, w, h)
	return l.List.Paint(pal, w, h, focused)
}
