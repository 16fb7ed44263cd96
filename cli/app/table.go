package app

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// Table prints rows in columns that are two cells apart. It sanitizes the texts, which may come from a server.
// On a terminal each row is one line, and its last column is cut at the width.
type Table struct {
	Out    *Screen
	Indent string
	// Looks holds the styles of the columns. Columns without a style are plain.
	Looks []lipgloss.Style
	// Right are the columns, from 0, that are aligned at the right.
	Right []int
	Head  bool // the first row holds the names of the columns
	Wrap  bool // on a terminal the last column is wrapped, and nothing is cut
	rows  [][]string
}

const (
	// columnGap is between two columns, in cells.
	columnGap = 2
	// minLast is the minimum width of the last column, in cells. If the others leave less, the rows are cut
	// as lines.
	minLast = 12
	// maxRendered is up to how many rows Lip Gloss renders: it takes about 50 µs for each, four
	// times as long as a line takes.
	maxRendered = 1000
	// maxColumn is the maximum width of a column in a pipe, in cells. A wider text moves the
	// rest of its row.
	maxColumn = 40
)

// Row adds a row.
func (t *Table) Row(texts ...string) {
	for i, text := range texts {
		texts[i] = display.Sanitize(text)
	}
	t.Painted(texts...)
}

// Painted adds a row of texts that are sanitized and may be painted.
func (t *Table) Painted(texts ...string) { t.rows = append(t.rows, texts) }

// Empty reports whether the table has no rows.
func (t *Table) Empty() bool { return len(t.rows) == 0 }

// Print prints the rows.
func (t *Table) Print() {
	widths, total := t.widths()
	room := max(t.Out.Width-len(t.Indent), 1)
	last := len(widths) - 1
	// The columns before the last one are whole.
	fixed := total > room && last > 0 && room-(total-widths[last]) >= minLast
	if !t.Out.Terminal || len(t.rows) == 0 || len(t.rows) > maxRendered || total > room && !fixed && !t.Wrap {
		t.printLines()
		return
	}
	rows, head := t.rows, []string(nil)
	if t.Head {
		rows, head = rows[1:], rows[0]
	}
	first := len(t.rows) - len(rows)
	b := table.New().Wrap(t.Wrap).BorderStyle(t.Out.Look(Faint)).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		StyleFunc(func(row, column int) lipgloss.Style {
			style := t.style(row+first, column)
			if column < last {
				style = style.PaddingRight(columnGap)
			}
			if fixed && column < last {
				style = style.Width(widths[column])
			}
			return style
		})
	if total > room {
		b.Width(room)
	}
	for line := range strings.SplitSeq(b.Headers(head...).Rows(rows...).Render(), "\n") {
		t.Out.Line(strings.TrimRight(t.Indent+line, " "))
	}
}

// style returns the style of a cell.
func (t *Table) style(row, column int) lipgloss.Style {
	style := Plain
	switch {
	case t.Head && row == 0:
		style = Faint
	case column < len(t.Looks):
		style = t.Looks[column]
	}
	style = t.Out.Look(style)
	if slices.Contains(t.Right, column) {
		style = style.Align(lipgloss.Right)
	}
	return style
}

// widths returns the widths that the columns need, with the gaps, and their sum.
func (t *Table) widths() (widths []int, total int) {
	for _, row := range t.rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			w := lipgloss.Width(text)
			if i < len(row)-1 {
				w += columnGap
			}
			widths[i] = max(widths[i], w)
		}
	}
	for _, w := range widths {
		total += w
	}
	return widths, total
}

// printLines prints rows without borders, however many there are: to a pipe whole, cut at
// the width of a terminal.
func (t *Table) printLines() {
	widths := map[int]int{}
	for _, row := range t.rows {
		for i, text := range row {
			widths[i] = max(widths[i], min(display.Width(text), maxColumn))
		}
	}
	for n, row := range t.rows {
		line, used := t.Indent, len(t.Indent)
		for i, text := range row {
			gap := strings.Repeat(" ", max(0, widths[i]-display.Width(text)))
			if slices.Contains(t.Right, i) {
				line, used, gap = line+gap, used+len(gap), ""
			}
			if t.Out.Terminal {
				text = ansi.Truncate(text, max(0, t.Out.Width-used), "…")
			}
			used += display.Width(text) + len(gap) + columnGap
			if text != "" {
				text = t.style(n, i).UnsetAlign().Render(text)
			}
			line += text + gap + strings.Repeat(" ", columnGap)
		}
		t.Out.Line(strings.TrimRight(line, " "))
	}
}
