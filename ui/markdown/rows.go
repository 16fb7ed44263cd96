package markdown

import (
	"strings"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// Placeholders for the palette's markers, replaced when a row is painted.
const (
	quoteMark  = "│ "
	bulletMark = "• "
)

// Rows lays out line i in rows of at most w cells. There is at least one row. The
// spans are sanitized.
func (d *Document) Rows(pal *paint.Palette, high *paint.Highlighter, i, w int) [][]paint.Span {
	l := &d.lines[i]
	first, rest := spans(pal, l.first), spans(pal, l.rest)
	room := max(w-max(paint.SpansWidth(first), paint.SpansWidth(rest)), 1)
	var body [][]paint.Span
	switch {
	case l.rule:
		body = [][]paint.Span{{{Style: pal.Faint, Text: strings.Repeat(pal.Lines.Top, room)}}}
	case l.code != nil:
		first, rest = indented(first), indented(rest)
		body = wrap(l.code.Line(high, l.n), max(room-codeIndent, 1))
	case l.table != nil:
		body = l.table.layOut(pal, l.n, room)
	default:
		body = wrap(spans(pal, l.runs), room)
	}
	rows := make([][]paint.Span, len(body))
	for n, row := range body {
		before := first
		if n > 0 {
			before = rest
		}
		rows[n] = append(before[:len(before):len(before)], row...)
	}
	return rows
}

// Fold returns how line i is wrapped into the rows of [Document.Rows]: the separators between consecutive rows,
// and the number of cells before the text of rows after the first. Rows of a table and lines that are not
// wrapped have none.
func (d *Document) Fold(pal *paint.Palette, high *paint.Highlighter, i, w int) (joints []string, margin int) {
	l := &d.lines[i]
	first, rest := spans(pal, l.first), spans(pal, l.rest)
	margin = paint.SpansWidth(rest)
	room := max(w-max(paint.SpansWidth(first), margin), 1)
	all := spans(pal, l.runs)
	switch {
	case l.rule, l.table != nil:
		return nil, 0
	case l.code != nil:
		all, room, margin = l.code.Line(high, l.n), max(room-codeIndent, 1), margin+codeIndent
	}
	if paint.SpansWidth(all) <= room {
		return nil, 0
	}
	return display.Joints(textOf(all), room), margin
}

// codeIndent is the indentation of code in cells.
const codeIndent = 2

func indented(before []paint.Span) []paint.Span {
	return append(before[:len(before):len(before)], paint.Span{Text: strings.Repeat(" ", codeIndent)})
}

// spans returns runs with the styles of a palette.
func spans(pal *paint.Palette, runs []run) []paint.Span {
	out := make([]paint.Span, len(runs))
	for i, r := range runs {
		out[i] = paint.Span{Style: styles[r.style](pal), Text: r.text}
		switch {
		case r.text == quoteMark:
			out[i].Text = pal.Lines.Left + " "
		case r.text == bulletMark && r.style == marker:
			out[i].Text = pal.Bullet + " "
		}
	}
	return out
}

// styles maps styles of text to styles of a palette.
var styles = [...]func(pal *paint.Palette) paint.Style{
	plain:    func(pal *paint.Palette) paint.Style { return pal.Text },
	strong:   func(pal *paint.Palette) paint.Style { return pal.TextBold },
	emphasis: func(pal *paint.Palette) paint.Style { return pal.Emphasis },
	literal:  func(pal *paint.Palette) paint.Style { return pal.Value },
	title:    func(pal *paint.Palette) paint.Style { return pal.Title },
	subtitle: func(pal *paint.Palette) paint.Style { return pal.AccentBold },
	link:     func(pal *paint.Palette) paint.Style { return pal.Link },
	muted:    func(pal *paint.Palette) paint.Style { return pal.Muted },
	marker:   func(pal *paint.Palette) paint.Style { return pal.Accent },
}

// wrap breaks sanitized spans into rows of at most w cells, at blanks if there are any.
func wrap(all []paint.Span, w int) [][]paint.Span {
	if paint.SpansWidth(all) <= w {
		return [][]paint.Span{all}
	}
	s := textOf(all)
	var rows [][]paint.Span
	at := 0 // byte of s
	for _, row := range display.Wrap(s, w) {
		for at < len(s) && !strings.HasPrefix(s[at:], row) {
			at++ // the blanks that a row is broken at
		}
		rows = append(rows, between(all, at, at+len(row)))
		at = min(at+len(row), len(s))
	}
	return rows
}

func textOf(spans []paint.Span) string {
	var whole strings.Builder
	for _, s := range spans {
		whole.WriteString(s.Text)
	}
	return whole.String()
}

// between returns the part of spans between two byte positions.
func between(all []paint.Span, from, to int) []paint.Span {
	var out []paint.Span
	start := 0
	for _, s := range all {
		end := start + len(s.Text)
		if a, b := max(from, start), min(to, end); a < b {
			out = append(out, paint.Span{Style: s.Style, Text: s.Text[a-start : b-start]})
		}
		start = end
	}
	return out
}

// Text returns line i as unsanitized text, for searching.
func (d *Document) Text(i int) string {
	l := &d.lines[i]
	switch {
	case l.code != nil:
		n := 0
		for line := range strings.SplitSeq(l.code.Text, "\n") {
			if n == l.n {
				return line
			}
			n++
		}
		return ""
	case l.table != nil:
		return l.table.text(l.n)
	}
	return plainText(l.runs)
}
