package markdown

import (
	"slices"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// table is a table with pipes between its columns, as of GitHub Flavored Markdown.
type table struct {
	rows  [][][]run // row, column; the first row is the header
	right []bool    // columns that are aligned to the right
}

// newTable makes a table from the lines of a paragraph, or returns nil if they do not form one.
func newTable(lines [][]run) *table {
	if len(lines) < 2 || !divider().MatchString(plainText(lines[1])) {
		return nil
	}
	t := &table{}
	for i, line := range lines {
		cells := split(line)
		if i == 1 {
			for _, c := range cells {
				s := strings.TrimSpace(plainText(c))
				t.right = append(t.right, strings.HasSuffix(s, ":") && !strings.HasPrefix(s, ":"))
			}
			continue
		}
		t.rows = append(t.rows, cells)
	}
	if len(t.rows[0]) != len(t.right) {
		return nil
	}
	for i, row := range t.rows {
		for len(row) < len(t.right) {
			row = append(row, nil)
		}
		last := len(t.right) - 1
		for _, more := range row[len(t.right):] { // nothing is dropped
			row[last] = append(append(row[last], run{plain, " | "}), more...)
		}
		t.rows[i] = row[:len(t.right)]
	}
	for c, cell := range t.rows[0] {
		for i := range cell {
			if cell[i].style == plain {
				t.rows[0][c][i].style = strong
			}
		}
	}
	return t
}

func plainText(line []run) string {
	var b strings.Builder
	for _, r := range line {
		b.WriteString(r.text)
	}
	return b.String()
}

// split cuts a line into cells at the pipes outside of code, and trims the blanks
// around each.
func split(line []run) [][]run {
	cells := [][]run{nil}
	for _, r := range line {
		if r.style == literal {
			cells[len(cells)-1] = append(cells[len(cells)-1], r)
			continue
		}
		for i, part := range strings.Split(r.text, "|") {
			if i > 0 {
				cells = append(cells, nil)
			}
			if part != "" {
				cells[len(cells)-1] = append(cells[len(cells)-1], run{r.style, part})
			}
		}
	}
	for i, c := range cells {
		if n := len(c); n > 0 {
			c[0].text = strings.TrimLeft(c[0].text, " ")
			c[n-1].text = strings.TrimRight(c[n-1].text, " ")
		}
		cells[i] = c
	}
	if len(cells) > 1 && plainText(cells[0]) == "" {
		cells = cells[1:]
	}
	if n := len(cells); n > 1 && plainText(cells[n-1]) == "" {
		cells = cells[:n-1]
	}
	return cells
}

// minColumn is the width that a column keeps when a table does not fit.
const minColumn = 4

// widths returns the widths of the columns: the widths of their content, if they fit into w. Otherwise each column has
// room for its longest word, and a column with more text gets more of the rest. If that does not fit either, words are
// broken, and whole is false.
func (t *table) widths(pal *paint.Palette, w int) (columns []int, whole bool) {
	content, words := make([]int, len(t.right)), make([]int, len(t.right))
	for c := range content {
		for _, row := range t.rows {
			content[c] = max(content[c], paint.SpansWidth(spans(pal, row[c])))
			for word := range strings.FieldsSeq(plainText(row[c])) {
				words[c] = max(words[c], display.Width(word))
			}
		}
		words[c] = min(max(words[c], minColumn), content[c])
	}
	rest := w - 3*(len(content)-1)
	switch {
	case sum(content) <= rest:
		return content, true
	case sum(words) <= rest:
		grow(words, content, rest-sum(words))
		return words, true
	}
	for sum(content) > rest {
		widest := slices.Index(content, slices.Max(content))
		if content[widest] <= minColumn {
			break
		}
		content[widest]--
	}
	return content, false
}

// grow adds n cells to columns, each to the column that needs the most rows for its content.
func grow(columns, content []int, n int) {
	for range n {
		at := 0
		for c := range columns {
			if content[c]*columns[at] > content[at]*columns[c] {
				at = c
			}
		}
		columns[at]++
	}
}

func sum(columns []int) (n int) {
	for _, w := range columns {
		n += w
	}
	return n
}

// layOut lays out row n, whose cells are wrapped; the header has a line under it. A row whose words do not fit side by
// side is a record.
func (t *table) layOut(pal *paint.Palette, n, w int) [][]paint.Span {
	columns, whole := t.widths(pal, w)
	if !whole && len(columns) > 2 && w >= minRecord {
		return t.record(pal, n, w)
	}
	cells := make([][][]paint.Span, len(columns))
	height := 1
	for c, room := range columns {
		cells[c] = wrap(spans(pal, t.rows[n][c]), max(room, 1))
		height = max(height, len(cells[c]))
	}
	var rows [][]paint.Span
	for i := range height {
		var row []paint.Span
		for c, room := range columns {
			if c > 0 {
				row = append(row, paint.Span{Style: pal.Faint, Text: " " + pal.Lines.Left + " "})
			}
			var cell []paint.Span
			if i < len(cells[c]) {
				cell = cells[c][i]
			}
			blank := paint.Span{Text: strings.Repeat(" ", max(room-paint.SpansWidth(cell), 0))}
			if t.right[c] {
				row = append(append(row, blank), cell...)
			} else {
				row = append(append(row, cell...), blank)
			}
		}
		rows = append(rows, row)
	}
	if n == 0 {
		var under strings.Builder
		for c, room := range columns {
			if c > 0 {
				under.WriteString(strings.Repeat(pal.Lines.Top, 3))
			}
			under.WriteString(strings.Repeat(pal.Lines.Top, room))
		}
		rows = append(rows, []paint.Span{{Style: pal.Faint, Text: under.String()}})
	}
	return rows
}

// text returns row n as laid out, with a blank between the cells.
func (t *table) text(n int) string {
	cells := t.rows[n]
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = plainText(c)
	}
	return strings.Join(texts, " ")
}
