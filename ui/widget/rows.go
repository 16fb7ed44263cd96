package widget

import "mcptea/ui/paint"

// Rows is a list of which the items are rows of a table, for a place that is no page. Init makes it.
type Rows[T any, K comparable] struct {
	List[K]
	Table[T]
	// Across returns what writes the row of an item that has no columns, such as the name of a group; it is
	// nil for the others, and for a list of which all items have columns.
	Across func(it T) func(r *paint.Row, pal *paint.Palette, selected bool)
	// Above is a heading in a row over an item, empty for none; it may be nil.
	Above func(it T) string

	at func(i int) T
	w  int // that the columns were measured for
}

// Init sets the items and their columns.
func (l *Rows[T, K]) Init(n func() int, at func(i int) T, key func(it T) K, columns ...Column[T]) {
	l.at, l.Columns = at, columns
	l.Items = Items[K]{
		Len: n, Key: func(i int) K { return key(at(i)) },
		Height: func(i int) int { return l.Lines() + paint.If(l.above(at(i)) != "", 1, 0) },
		Row: func(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
			it := at(i)
			if heading := l.above(it); heading != "" && row == 0 {
				r.Start(r.Left()+r.Used(), paint.Style{}) // it is not selected with its item
				r.Gap(1)
				r.Put(pal.Muted, heading)
				return
			} else if heading != "" {
				row--
			}
			if across := l.across(it); across != nil {
				across(r, pal, selected)
				return
			}
			l.Row(r, pal, it, row, selected)
		},
	}
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

// Fit measures the items around the selected one, for w cells and h rows. What was measured only grows while the
// width stays, so that no column moves while the list is read.
func (l *Rows[T, K]) Fit(pal *paint.Palette, w, h int) {
	if l.w != w {
		l.w = w
		l.Reset()
	}
	from := max(0, min(l.Index()-h, l.Len()-2*h))
	l.Measure(pal, func(yield func(T) bool) {
		for i := from; i < min(from+2*h, l.Len()); i++ {
			if it := l.at(i); l.across(it) == nil && !yield(it) {
				return
			}
		}
	})
	l.Share(w)
}

// Paint paints the items that fit into h rows of w cells.
func (l *Rows[T, K]) Paint(pal *paint.Palette, w, h int, focused bool) []string {
	l.Fit(pal, w, h)
	return l.List.Paint(pal, w, h, focused)
}
