package markdown

import (
	"strings"

	"mcptea/ui/paint"
)

// The markers are exchanged for those of the palette when a row is painted.
const (
	quoteMark  = "│ "
	bulletMark = "• "
)

// code is a block of code, highlighted when one of its lines is painted.
type code struct {
	language, text string
	made           *paint.Code
	by             *paint.Highlighter
}

func (c *code) line(high *paint.Highlighter, n int) []paint.Span {
	if c.by != high {
		c.made, c.by = high.Code(c.language, c.text), high
	}
	if lines := c.made.Lines(n, 1); len(lines) > 0 {
		return lines[0]
	}
	return nil
}

// Rows lays out line i in rows of at most w cells. There is at least one row. The
// spans are sanitized.
func (d *Document) Rows(pal *paint.Palette, high *paint.Highlighter, i, w int) [][]paint.Span {
	l := &d.lines[i]
	first, rest := spans(pal, l.first), spans(pal, l.rest)
	room := max(w-max(paint.SpansWidth(first), paint.SpansWidth(rest)), 1)
	var body [][]paint.Span
	switch {
	case l.rule:
		body = [][]paint.Span{{{Style: pal.Faint, Text: strings.Repeat(pal.Horizontal, room)}}}
	case l.code != nil:
		first, rest = indented(first), indented(rest)
		body = wrap(l.code.line(high, l.n), max(room-codeIndent, 1))
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

// codeIndent is how far code is indented.
const codeIndent = 2

func indented(before []paint.Span) []paint.Span {
	return append(before[:len(before):len(before)], paint.Span{Text: strings.Repeat(" ", codeIndent)})
}

// spans gives runs the styles of a palette.
func spans(pal *paint.Palette, runs []run) []paint.Span {
	out := make([]paint.Span, len(runs))
	for i, r := range runs {
		out[i] = paint.Span{Style: styleOf(pal, r.style), Text: r.text}
		switch {
		case r.text == quoteMark:
			out[i].Text = pal.Vertical + " "
		case r.text == bulletMark && r.style == marker:
			out[i].Text = pal.Bullet + " "
		}
	}
	return out
}

func styleOf(pal *paint.Palette, st style) paint.Style {
	switch st {
	case strong:
		return pal.TextBold
	case emphasis:
		return pal.Emphasis
	case literal:
		return pal.Value
	case title:
		return pal.Title
	case subtitle:
		return pal.AccentBold
	case link:
		return pal.Link
	case muted:
		return pal.Muted
	case marker:
		return pal.Accent
	}
	return pal.Text
}

// wrap breaks sanitized spans into rows of at most w cells, at blanks where there
// are some.
func wrap(all []paint.Span, w int) [][]paint.Span {
	if paint.SpansWidth(all) <= w {
		return [][]paint.Span{all}
	}
	var whole strings.Builder
	for _, s := range all {
		whole.WriteString(s.Text)
	}
	s := whole.String()
	var rows [][]paint.Span
	at := 0 // in s
	for _, row := range paint.Wrap(s, w) {
		for at < len(s) && !strings.HasPrefix(s[at:], row) {
			at++ // the blanks that a row is broken at
		}
		rows = append(rows, between(all, at, at+len(row)))
		at = min(at+len(row), len(s))
	}
	return rows
}

// between cuts the bytes from one place to another out of spans.
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

// Text is line i as text that is not sanitized, to be searched.
func (d *Document) Text(i int) string {
	l := &d.lines[i]
	switch {
	case l.code != nil:
		n := 0
		for line := range strings.SplitSeq(l.code.text, "\n") {
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
