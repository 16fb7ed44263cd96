package app

import (
	"slices"
	"strings"

	"mcptea/ui/paint"
)

// Table prints rows in columns that are two cells apart. Its texts may be of a server: they
// are sanitized, and cut at the width of a terminal.
type Table struct {
	Out    *Screen
	Indent string
	// Styles color the columns. Those without one are plain.
	Styles []func(string) string
	// Right are the columns, from 0, that are aligned at the right.
	Right []int
	Head  bool // the first row has the names of the columns
	rows  [][]string
}

// maxColumn is the maximum width of a column, in cells. A wider text moves the rest of its
// row.
const maxColumn = 40

// Row adds a row.
func (t *Table) Row(texts ...string) {
	for i, text := range texts {
		texts[i] = paint.Sanitize(text)
	}
	t.rows = append(t.rows, texts)
}

// Print prints the rows.
func (t *Table) Print() {
	widths := map[int]int{}
	for _, row := range t.rows {
		for i, text := range row {
			widths[i] = max(widths[i], min(paint.Width(text), maxColumn))
		}
	}
	for n, row := range t.rows {
		line, used := t.Indent, len(t.Indent)
		for i, text := range row {
			gap := strings.Repeat(" ", max(0, widths[i]-paint.Width(text)))
			if slices.Contains(t.Right, i) {
				line, used, gap = line+gap, used+len(gap), ""
			}
			if t.Out.Terminal {
				text = paint.Cut(text, max(0, t.Out.Width-used))
			}
			used += paint.Width(text) + len(gap) + 2
			if n == 0 && t.Head {
				text = t.Out.Faint(text)
			} else if i < len(t.Styles) && t.Styles[i] != nil {
				text = t.Styles[i](text)
			}
			line += text + gap + "  "
		}
		t.Out.Line(strings.TrimRight(line, " "))
	}
}
