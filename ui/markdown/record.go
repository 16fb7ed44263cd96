package markdown

import (
	"strings"

	"mcptea/ui/paint"
)

// minRecord is the minimum width of a table in cells at which its rows may be laid out as records.
const minRecord = 50

// record lays out row n with one cell below the other: the first is the heading, the others have the names of their
// columns. The header is the name of the first column.
func (t *table) record(pal *paint.Palette, n, w int) [][]paint.Span {
	first := wrap(spans(pal, t.rows[n][0]), w)
	if n == 0 {
		return append(first, []paint.Span{{Style: pal.Faint, Text: strings.Repeat(pal.Lines.Top, w)}})
	}
	names, margin := make([][]paint.Span, len(t.right)), 0
	for c := 1; c < len(names); c++ {
		names[c] = spans(pal, t.rows[0][c])
		margin = max(margin, paint.SpansWidth(names[c]))
	}
	margin = min(margin, w/3)
	rows := first
	for c := 1; c < len(names); c++ {
		if plainText(t.rows[n][c]) == "" {
			continue
		}
		for i, line := range wrap(spans(pal, t.rows[n][c]), w-margin-4) {
			name := []paint.Span{}
			if i == 0 {
				name = wrap(names[c], margin)[0]
			}
			before := append([]paint.Span{{Text: "  "}}, name...)
			before = append(before, paint.Span{Text: strings.Repeat(" ", margin+2-paint.SpansWidth(name))})
			rows = append(rows, append(before, line...))
		}
	}
	return rows
}
