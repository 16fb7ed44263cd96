package widget

import (
	"cmp"
	"iter"
	"slices"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// Column is a cell of an item in a list. Columns with names have a row of names over the list.
type Column[T any] struct {
	Name  string
	Width int // maximum number of cells; 0 means as wide as the content, and narrower if others need the room
	// Cells returns the width of the widest cell of all items, including those that a filter hides. It
	// determines the border next to the list of a page. If nil, the items around the selected one are measured.
	Cells  func() int
	From   int  // width of the list from which it is shown although others are cut for it
	Yields bool // it becomes narrower before the others, and is left out below Least
	// Folds is the width below which the column moves to a second row under the others, if all items have room
	// for two rows. 0 disables that.
	Folds  int
	Least  int  // see MinWidth; 0 is 10
	Phrase bool // it is cut after a phrase, see [display.Phrase]
	Right  bool // text is flush right
	Cell   func(it T, pal *paint.Palette) []paint.Span
	Below  func(it T, pal *paint.Palette) []paint.Span // cell in the second row of an item; nil is empty
	// Compare orders the items by this column, or is nil if they cannot be sorted by it.
	Compare func(a, b T) int
}

// Table writes the items of a list as rows of cells. The zero Table has none.
type Table[T any] struct {
	Columns []Column[T]
	Sign    func(it T, pal *paint.Palette) paint.Span // one cell; may be nil
	// Sorted is the name of the column by which the items are sorted, or "".
	Sorted string

	// Measured widths only grow until [Table.Reset], so that nothing moves while the user reads.
	widths []measured
	given  []int          // widths that fit
	folded int            // 1-based number of the column in the second row, or 0
	texts  [][]paint.Span // texts of the cells of a row
}

// widest is the maximum measured width of a row.
const widest = 240

// gap is the number of cells between two columns.
const gap = 2

// measured is the width that a column needs: for its cells, and for text that extends into the empty cells
// after it.
type measured struct{ cells, beyond int }

// Reset forgets what [Table.Measure] has measured.
func (t *Table[T]) Reset() { t.widths = nil }

// Lines returns the number of rows of each item: two if a column has a cell Below, or is folded.
func (t *Table[T]) Lines() int {
	if t.folded > 0 || slices.ContainsFunc(t.Columns, func(c Column[T]) bool { return c.Below != nil }) {
		return 2
	}
	return 1
}

// Before returns the number of cells between the cursor mark and the columns: a sign and a blank.
func (t *Table[T]) Before() int {
	if t.Sign != nil {
		return 2
	}
	return 0
}

// cell returns a cell of an item in one of its rows.
func (c *Column[T]) cell(it T, pal *paint.Palette, line int) []paint.Span {
	switch {
	case line == 0:
		return c.Cell(it, pal)
	case c.Below != nil:
		return c.Below(it, pal)
	}
	return nil
}

// Measure makes the columns as wide as the content of items, if they were less wide: at most as wide as their Width. A
// column without content is left out.
func (t *Table[T]) Measure(pal *paint.Palette, items iter.Seq[T]) {
	if len(t.widths) != len(t.Columns) {
		t.widths = make([]measured, len(t.Columns))
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Cells != nil {
			t.widths[i].cells = c.bounded(c.Cells())
		}
	}
	lines := t.Lines()
	for it := range items {
		for line := range lines {
			t.measure(pal, it, line)
		}
	}
}

// measure measures a row of an item.
func (t *Table[T]) measure(pal *paint.Palette, it T, line int) {
	last := true
	for n := len(t.Columns) - 1; n >= 0; n-- {
		c, m := &t.Columns[n], &t.widths[n]
		if c.Cells != nil {
			last = false
			continue
		}
		cells := cellsOf(c.cell(it, pal, line), widest)
		switch {
		case cells == 0:
			continue
		case last && n < len(t.Columns)-1:
			m.beyond, cells = max(m.beyond, cells), 1
		default:
			cells = c.bounded(cells)
		}
		m.cells, last = max(m.cells, display.Width(c.Name), cells), false
	}
}

// Wanted returns the width in which the columns show the items in full, with the mark of the selected row and a
// blank at the end.
func (t *Table[T]) Wanted() int {
	cells, longest := t.Before(), 0
	for _, m := range t.widths {
		if longest = max(longest, cells+m.beyond+gap); m.cells > 0 {
			cells += m.cells + gap
		}
	}
	return min(max(cells, longest), widest)
}

// cellsOf returns the displayed width of a cell, at most most.
func cellsOf(spans []paint.Span, most int) (w int) {
	const longest = 8 // bytes of a cell, usually
	for _, s := range spans {
		w += display.Width(display.Sanitize(s.Text[:min(len(s.Text), longest*most)]))
	}
	return min(w, most)
}

// bounded returns a width, limited to the width of the column.
func (c *Column[T]) bounded(cells int) int {
	if c.Width > 0 {
		return min(cells, c.Width)
	}
	return cells
}

// MinWidth returns the width below which a column that Yields is left out.
func (c *Column[T]) MinWidth() int { return cmp.Or(c.Least, 10) }

// Share sets the widths of the columns for a list of w cells. Columns that Yield shrink first, then the widest.
// Leftover cells go to texts that are longer than the empty cells after them, and then to one column.
func (t *Table[T]) Share(w int) {
	t.folded = 0
	t.share(w)
}

func (t *Table[T]) share(w int) {
	all, rest := t.given[:0], w-t.Before()
	short := w < t.Wanted()
	for i := range t.Columns {
		c := &t.Columns[i]
		n := t.widths[i].cells
		if short && w < c.From || n == 0 || t.folded == i+1 {
			all = append(all, 0)
			continue
		}
		all = append(all, n)
		rest -= n + gap
	}
	t.given = all
	rest = t.widen(t.shrink(rest))
	if first := t.first(); first >= 0 && rest > 0 {
		all[first] += rest
	}
}

// shrink takes cells from the columns until they fit, first from the columns that yield. It returns the
// cells left over.
func (t *Table[T]) shrink(rest int) int {
	all := t.given
	for i := range t.Columns {
		if n := all[i]; rest < 0 && n > 0 && t.Columns[i].Yields {
			if all[i] = n + rest; all[i] < min(n, t.Columns[i].MinWidth()) {
				all[i], rest = 0, rest+n+gap
			} else {
				rest = 0
			}
		}
	}
	for ; rest < 0; rest++ {
		at := -1
		for i, n := range all {
			if c := &t.Columns[i]; (c.Width == 0 || c.Cells != nil) && n > 1 && (at < 0 || n > all[at]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		all[at]--
	}
	return rest
}

// widen gives remaining cells to texts that extend into the cells of other columns.
func (t *Table[T]) widen(rest int) int {
	all, after := t.given, 0 // cells of the columns after it
	for i := len(all) - 1; i >= 0; i-- {
		if most := cmp.Or(t.Columns[i].Width, widest); all[i] > 0 {
			more := max(0, min(t.widths[i].beyond-all[i]-after, most-all[i], rest))
			all[i] += more
			rest -= more
		}
		if all[i] > 0 {
			after += all[i] + gap
		}
	}
	return rest
}

// first returns the column that receives leftover cells: the first one without a Width, or else one with known
// Cells, or -1.
func (t *Table[T]) first() int {
	known := -1
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case t.given[i] == 0:
		case c.Width == 0:
			return i
		case c.Cells != nil && known < 0:
			known = i
		}
	}
	return known
}

// Row writes the cells of an item, after the cursor mark: line is 0, or 1 for the cells Below.
func (t *Table[T]) Row(r *paint.Row, pal *paint.Palette, it T, line int, selected bool) {
	if t.Sign != nil && line == 0 {
		sign := t.Sign(it, pal)
		r.Put(sign.Style, sign.Text)
	}
	r.To(1 + t.Before())
	if line > 0 && t.folded > 0 {
		t.foldedRow(r, pal, it)
		return
	}
	t.cells(r, pal, func(c *Column[T]) []paint.Span {
		spans := c.cell(it, pal, line)
		for i := range spans {
			spans[i].Text = display.Sanitize(spans[i].Text)
			if selected && spans[i].Style == pal.Text {
				spans[i].Style = pal.Strong
			}
		}
		return spans
	})
}

// foldedRow writes the second row of an item: the cell of the folded column, over the whole width.
func (t *Table[T]) foldedRow(r *paint.Row, pal *paint.Palette, it T) {
	for _, s := range t.Columns[t.folded-1].Cell(it, pal) {
		r.PutIn(r.Left()-1, s.Style, pal.Phrase(display.Sanitize(s.Text), r.Left()-1))
	}
}

// Fold moves a column with too little room in a list of w cells to the second row of the items. It must be
// called after [Table.Share], if all items have room for two rows.
func (t *Table[T]) Fold(w int) {
	for i := range t.Columns {
		if c := &t.Columns[i]; t.given[i] < min(c.Folds, t.widths[i].cells) {
			t.folded = i + 1
			t.share(w)
			return
		}
	}
}

// cells writes one cell for each visible column. A text that is too wide extends into the empty cells after it.
func (t *Table[T]) cells(r *paint.Row, pal *paint.Palette, of func(c *Column[T]) []paint.Span) {
	texts := t.texts[:0]
	for i := range t.Columns {
		var spans []paint.Span
		if t.given[i] > 0 {
			spans = of(&t.Columns[i])
		}
		texts = append(texts, spans)
	}
	t.texts = texts
	at := r.Used()
	for i, spans := range texts {
		width := t.given[i]
		if width == 0 {
			continue
		}
		if t.Columns[i].Right {
			r.To(at + width - paint.SpansWidth(spans))
		}
		end := at + width + t.empty(i)
		for _, s := range spans {
			if t.Columns[i].Phrase {
				s.Text = pal.Phrase(s.Text, end-r.Used())
			}
			r.PutIn(end-r.Used(), s.Style, s.Text)
		}
		at += width + gap
		r.To(at)
	}
}

// empty returns the number of screen cells without text after a column: the cells of empty columns, and
// the space before a text that is flush right.
func (t *Table[T]) empty(i int) (cells int) {
	for n := i + 1; n < len(t.texts); n++ {
		w := paint.SpansWidth(t.texts[n])
		switch {
		case t.given[n] == 0:
		case w == 0:
			cells += t.given[n] + gap
		default:
			if t.Columns[n].Right {
				cells += max(t.given[n]-w, 0)
			}
			return cells
		}
	}
	return cells
}

// Named reports whether there is a row of names over the list.
func (t *Table[T]) Named() bool {
	return slices.ContainsFunc(t.Columns, func(c Column[T]) bool { return c.Name != "" })
}

// Head writes the names of the columns.
func (t *Table[T]) Head(r *paint.Row, pal *paint.Palette) {
	r.Gap(1 + t.Before())
	t.cells(r, pal, func(c *Column[T]) []paint.Span {
		st := paint.If(c.Name != "" && c.Name == t.Sorted, pal.Accent, pal.Muted)
		return []paint.Span{{Style: st, Text: c.Name}}
	})
}

// Order sorts items by the column named by Sorted. Items for which first returns true come first.
func (t *Table[T]) Order(items []T, first func(it T) bool) {
	i := slices.IndexFunc(t.Columns, func(c Column[T]) bool { return c.Compare != nil && c.Name == t.Sorted })
	slices.SortStableFunc(items, func(a, b T) int {
		if first != nil && first(a) != first(b) {
			return paint.If(first(a), -1, 1)
		}
		if i < 0 {
			return 0
		}
		return t.Columns[i].Compare(a, b)
	})
}

// SortNext sorts by the next column that can be sorted by; after the last one by the first one.
func (t *Table[T]) SortNext() {
	var names []string
	for i := range t.Columns {
		if t.Columns[i].Compare != nil {
			names = append(names, t.Columns[i].Name)
		}
	}
	if len(names) > 0 {
		t.Sorted = names[(slices.Index(names, t.Sorted)+1)%len(names)]
	}
}
