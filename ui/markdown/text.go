package markdown

import (
	"mcptea/ui/paint"
)

// A Text caches the layout of one text for a window that is painted often. The zero Text is ready.
type Text struct {
	source string
	doc    *Document // nil if the source is shown as text

	pal  *paint.Palette
	high *paint.Highlighter
	w, n int
	rows [][]paint.Span
}

// Rows lays out the first n rows of a text, n < 0 meaning all, in at most w cells. It
// reports false for a text that does not look like Markdown, that is not laid out,
// or that the palette has shown as its source.
func (t *Text) Rows(pal *paint.Palette, source string, w, n int) ([][]paint.Span, bool) {
	if t.source != source {
		*t = Text{source: source}
		if Looks(source) {
			t.doc = Parse(source)
		}
	}
	if t.doc == nil || pal.Source {
		return nil, false
	}
	if t.pal != pal || t.w != w || t.n != n {
		t.pal, t.high, t.w, t.n, t.rows = pal, paint.NewHighlighter(pal), w, n, nil
		for i := 0; i < t.doc.Len() && (n < 0 || len(t.rows) <= n); i++ {
			t.rows = append(t.rows, t.doc.Rows(pal, t.high, i, w)...)
		}
		if n >= 0 && len(t.rows) > n {
			t.rows = t.rows[:n]
			if n > 0 {
				last := t.rows[n-1]
				t.rows[n-1] = append(last[:len(last):len(last)], paint.Span{Style: pal.Muted, Text: " " + pal.Ellipsis})
			}
		}
	}
	return t.rows, true
}
