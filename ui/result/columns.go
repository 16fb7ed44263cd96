package result

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// sortedAtOnce is the number of rows up to which sorting runs on the goroutine of the screen.
const sortedAtOnce = 5000

// Table is a table of a view, for its keys, which act on one column.
type Table struct {
	v *Body
	t *table
}

// Table returns the visible or nearest table. ok is false if there is no table, or if the raw form is shown.
func (v *Body) Table() (in Table, ok bool) {
	if v.asRaw {
		return in, false
	}
	for i, b := range v.text.blocks {
		if t, is := b.(*table); is {
			if in.t = t; i >= v.text.at.block {
				break
			}
		}
	}
	in.v = v
	return in, in.t != nil
}

// Column returns the name of the column that keys act on.
func (in Table) Column() string { return display.Sanitize(in.t.Columns[in.t.column()]) }

// Move moves to another column, which becomes visible.
func (in Table) Move(step int) {
	t, text := in.t, &in.v.text
	t.cursor = max(0, min(t.cursor+step, len(t.shown)-1))
	begin := 0
	for _, c := range t.shown[:t.cursor] {
		begin += t.widthOf(c) + columnGap
	}
	end := begin + t.widthOf(t.column()) + 1
	text.x = max(min(text.x, begin), end-text.paper.w)
	text.x = max(min(text.x, t.width-text.paper.w), 0)
	in.changed()
}

// Click selects the column of a table at a cell of the window. On the name of the selected column, it sorts the
// rows and returns a message about the order.
func (v *Body) Click(x, y int) (said string) {
	at, on := v.text.below(y)
	if !on || v.asRaw {
		return ""
	}
	t, is := v.text.blocks[at.block].(*table)
	if !is {
		return ""
	}
	in, end := Table{v, t}, -v.text.x
	for i, c := range t.shown {
		begin := end
		if end += t.widthOf(c) + columnGap; x < begin || x >= end {
			continue
		}
		if t.cursor == i && at.line == 0 {
			return in.Sort()
		}
		t.cursor = i
		in.changed()
		break
	}
	return ""
}

// Sort sorts the rows by the column: first ascending, then descending, then as sent. It returns a message about
// the order.
func (in Table) Sort() (said string) {
	t := in.t
	by := t.column() + 1
	switch t.sorted {
	case by:
		by, said = -by, "Sorted by "+in.Column()+", downwards."
	case -by:
		by, said = 0, "In the order in which they were sent."
	default:
		said = "Sorted by " + in.Column() + "."
	}
	t.sorted = by
	t.measure()
	if len(t.Rows) <= sortedAtOnce || in.v.run == nil {
		t.order = t.sort(by)
		in.changed()
		return said
	}
	in.v.sorting++
	in.v.run(func(context.Context) func() {
		order := t.sort(by)
		return func() {
			if in.v.sorting--; t.sorted == by { // otherwise another order was requested in the meantime
				t.order = order
				in.changed()
			}
		}
	})
	return said
}

// Hide hides the column; the last one stays.
func (in Table) Hide() bool {
	if len(in.t.shown) == 1 {
		return false
	}
	in.t.shown = slices.Delete(slices.Clone(in.t.shown), in.t.cursor, in.t.cursor+1)
	in.t.measure()
	in.Move(0)
	return true
}

// ShowAll shows all columns. It reports whether any was hidden.
func (in Table) ShowAll() bool {
	t := in.t
	if len(t.shown) == len(t.Columns) {
		return false
	}
	at := t.column()
	t.shown = t.shown[:0:0]
	for c := range t.Columns {
		t.shown = append(t.shown, c)
	}
	t.cursor = at
	t.measure()
	in.Move(0)
	return true
}

// changed causes the table to be painted again.
func (in Table) changed() { clear(in.v.text.paper.known) }

// column returns the index of the column that keys act on.
func (t *table) column() int { return t.shown[t.cursor] }

// sign returns the sort direction of a column, shown after its name.
func (t *table) sign(pal *paint.Palette, column int) string {
	switch t.sorted {
	case column + 1:
		return " " + pal.Up
	case -column - 1:
		return " " + pal.Down
	}
	return ""
}

// cellKey is a cell to be compared: numbers by their value, before texts; a missing one is last.
type cellKey struct {
	rank   int8
	number float64
	text   string
}

func keyOf(cell []byte) cellKey {
	switch {
	case cell == nil:
		return cellKey{rank: 2}
	case isNumber(cell):
		if n, err := strconv.ParseFloat(string(cell), 64); err == nil {
			return cellKey{number: n}
		}
	}
	return cellKey{rank: 1, text: strings.ToLower(cellText(cell))}
}

// sort returns the order of the rows by a 1-based column, descending if negative, or nil for 0. Equal rows keep
// their order; rows without the cell are last in both directions.
func (t *table) sort(by int) []int {
	if by == 0 {
		return nil
	}
	column, sign := max(by, -by)-1, cmp.Compare(by, 0)
	cells, order := make([]cellKey, len(t.Rows)), make([]int, len(t.Rows))
	for i, row := range t.Rows {
		cells[i], order[i] = keyOf(row[column]), i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		a, b := &cells[i], &cells[k]
		if a.rank == 2 || b.rank == 2 {
			return cmp.Compare(a.rank, b.rank)
		}
		return sign * cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	return order
}

// CSV returns the table as shown, as comma-separated values (RFC 4180) with the column names.
func (in Table) CSV() string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	in.t.each(func(cells []string) { _ = w.Write(cells) }) // a buffer takes all
	w.Flush()
	return b.String()
}

// Markdown returns the table as shown, as a Markdown table.
func (in Table) Markdown() string {
	var b strings.Builder
	escape := strings.NewReplacer("\\", `\\`, "|", `\|`, "\r\n", "<br>", "\n", "<br>")
	first := true
	in.t.each(func(cells []string) {
		for _, text := range cells {
			b.WriteString("| " + escape.Replace(text) + " ")
		}
		b.WriteString("|\n")
		if first {
			b.WriteString(strings.Repeat("| --- ", len(cells)) + "|\n")
		}
		first = false
	})
	return b.String()
}

// JSON returns the table as shown, as an array of objects with the values as sent.
func (in Table) JSON() string {
	b := []byte("[")
	for i := range in.t.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		object := []byte("{")
		for _, c := range in.t.shown {
			if cell := in.t.row(i)[c]; cell != nil {
				object = jsonrpc.AppendMember(object, in.t.Columns[c], cell)
			}
		}
		b = append(append(b, object...), '}')
	}
	return string(append(b, ']'))
}

// each calls add with the names, then with the texts of each row.
func (t *table) each(add func(cells []string)) {
	cells := make([]string, len(t.shown))
	for n, c := range t.shown {
		cells[n] = t.Columns[c]
	}
	add(cells)
	for i := range t.Rows {
		for n, c := range t.shown {
			cells[n] = cellText(t.row(i)[c])
		}
		add(cells)
	}
}
