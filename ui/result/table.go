package result

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/offer/content"
	"mcptea/ui/paint"
)

const (
	maxCell      = 48   // maximum cells of a column, except the last one
	measuredRows = 2000 // rows by which the widths of the columns are chosen
	columnGap    = 2
)

// table is an array of objects with aligned columns: the names, a rule, and a line for
// each object. It can be sorted by a column, and columns can be hidden.
type table struct {
	content.Table
	widths []int
	right  []bool // columns of numbers
	width  int    // width of the shown columns

	shown  []int // the columns that are not hidden
	cursor int   // index in shown of the column that keys act on
	order  []int // order of the rows; nil as sent
	sorted int   // 1-based column by which the rows are sorted; negative for descending, 0 as sent
}

func newTable(t content.Table) *table {
	made := &table{Table: t, widths: make([]int, len(t.Columns)), right: make([]bool, len(t.Columns))}
	for c, name := range t.Columns {
		w, numbers := display.Width(display.Sanitize(name)), true
		for _, row := range t.Rows[:min(len(t.Rows), measuredRows)] {
			text := cellText(row[c])
			w = max(w, display.Width(display.Sanitize(text[:min(len(text), 4*maxCell)])))
			numbers = numbers && (row[c] == nil || isNumber(row[c]))
		}
		made.widths[c], made.right[c] = min(w, maxCell), numbers
		made.shown = append(made.shown, c)
	}
	made.measure()
	return made
}

// measure finds the width of the columns that are shown.
func (t *table) measure() {
	t.width = columnGap * (len(t.shown) - 1)
	for _, c := range t.shown {
		t.width += t.widthOf(c)
	}
}

// widthOf returns the width of a column. The sorted column has a sign next to its name.
func (t *table) widthOf(c int) int {
	const sign = 2
	if max(t.sorted, -t.sorted) != c+1 {
		return t.widths[c]
	}
	return max(t.widths[c], min(display.Width(display.Sanitize(t.Columns[c]))+sign, maxCell))
}

// row returns a row in the displayed order.
func (t *table) row(i int) [][]byte {
	if t.order != nil {
		i = t.order[i]
	}
	return t.Rows[i]
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// cellText returns a cell as text: a string without quotes, anything else as JSON.
func cellText(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok && len(raw) > 0 && raw[0] == '"' {
		return s
	}
	return string(raw)
}

func (t *table) lines() int { return 2 + len(t.Rows) }

func (t *table) line(i int) string {
	var texts []string
	for _, c := range t.shown {
		switch i {
		case 0:
			texts = append(texts, t.Columns[c])
		case 1:
		default:
			texts = append(texts, cellText(t.row(i - 2)[c]))
		}
	}
	return strings.Join(texts, "\t")
}

// whole returns the table with tabs between the columns.
func (t *table) whole() string {
	var b strings.Builder
	for i := range t.lines() {
		if i != 1 {
			b.WriteString(t.line(i) + "\n")
		}
	}
	return b.String()
}

func (t *table) paint(p *paper, i int) []string {
	return p.wide(t.width, func(r *paint.Row) {
		for n, c := range t.shown {
			w := t.widthOf(c)
			switch {
			case i == 1: // the rule is heavy below the column that keys are about
				if n > 0 {
					r.Put(p.pal.Faint, strings.Repeat(p.pal.Lines.Top, columnGap))
				}
				st, line := p.pal.Faint, p.pal.Lines.Top
				if n == t.cursor && len(t.shown) > 1 {
					st, line = p.pal.Accent, p.pal.BarLine
				}
				r.Put(st, strings.Repeat(line, w))
				continue
			case n > 0:
				r.Gap(columnGap)
			}
			text, st := "", p.pal.Text
			if i == 0 {
				text, st = t.Columns[c]+t.sign(p.pal, c), paint.If(n == t.cursor, p.pal.AccentBold, p.pal.TextBold)
			} else if cell := t.row(i - 2)[c]; cell != nil {
				text, st = cellText(cell), p.cellStyle(cell)
			}
			if !p.pal.IsCopying() {
				text = text[:min(len(text), 4*maxCell)]
			}
			text = display.Sanitize(text)
			if t.right[c] {
				r.CellRight(st, p.pal.Cut(text, w), w)
			} else {
				r.Cell(st, p.pal.Cut(text, w), w)
			}
		}
	})
}

// cellStyle returns the style of a JSON value. Strings have the style of text.
func (p *paper) cellStyle(raw []byte) paint.Style {
	switch raw[0] {
	case '"':
		return p.pal.Text
	case '{', '[':
		return p.pal.Muted
	case 't', 'f':
		return p.js.Literal
	case 'n':
		return p.pal.Faint
	}
	return p.js.Number
}
