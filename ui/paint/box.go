package paint

import (
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/display"
)

// Box draws a bordered panel of exactly h rows of w cells. The title is on the left of the upper
// border, and the note on the right. The rows of the body are already painted and w-2 cells wide.
// Shorter rows are padded, and missing rows are empty. Rows for which there is no room are left
// out. Below 2×2 cells there is no border, and the rows are blank.
func Box(p *Palette, w, h int, focused bool, title, note []Span, body []string) []string {
	rows := make([]string, 0, max(h, 0))
	if w < 2 || h < 2 {
		for range h {
			rows = append(rows, strings.Repeat(" ", max(w, 0)))
		}
		return rows
	}
	border := p.Border
	if focused {
		border = p.BorderFocus
	}
	r := p.Row()
	rows = append(rows, boxTop(r, p, border, w, title, note))
	side := border.Render(p.Lines.Left)
	empty := side + strings.Repeat(" ", w-2) + side
	for i := range h - 2 {
		if i >= len(body) {
			rows = append(rows, empty)
			continue
		}
		rows = append(rows, side+Pad(body[i], w-2)+side)
	}
	return append(rows, BoxFoot(p, w, focused, nil))
}

// BoxFoot returns the lower border of a box, with a text on the right if it fits.
func BoxFoot(p *Palette, w int, focused bool, text []Span) string {
	border := p.Border
	if focused {
		border = p.BorderFocus
	}
	r := p.Row()
	r.Start(w, Style{})
	r.Put(border, p.Lines.BottomLeft)
	end := w - 1
	if n := SpansWidth(text); n > 0 && w >= n+8 {
		r.Fill(border, p.Lines.Top, end-1-n-3)
		r.Gap(1)
		r.Spans(text...)
		r.Gap(1)
	}
	r.Fill(border, p.Lines.Top, end-r.used)
	r.Put(border, p.Lines.BottomRight)
	return r.String()
}

func boxTop(r *Row, p *Palette, border Style, w int, title, note []Span) string {
	r.Start(w, Style{})
	r.Put(border, p.Lines.TopLeft)
	end := w - 1
	notew := SpansWidth(note)
	if notew > 0 && w >= notew+8 {
		end -= notew + 3
	} else {
		notew = 0
	}
	if len(title) > 0 && end > 6 {
		r.Fill(border, p.Lines.Top, 1)
		r.Gap(1)
		r.edge = end - 1
		r.Spans(title...)
		r.edge = w
		r.Gap(1)
	}
	r.Fill(border, p.Lines.Top, end-r.used)
	if notew > 0 {
		r.Gap(1)
		r.Spans(note...)
		r.Gap(1)
		r.Fill(border, p.Lines.Top, 1)
	}
	r.Put(border, p.Lines.TopRight)
	return r.String()
}

// choiceGap separates two names of a choice.
const choiceGap = "  "

// Choice returns names for the end of the upper border, with the chosen one emphasized.
func (p *Palette) Choice(names []string, chosen int) []Span {
	var spans []Span
	for i, name := range names {
		st := p.Muted
		if i == chosen {
			st = p.AccentBold
		}
		if i > 0 {
			name = choiceGap + name
		}
		spans = append(spans, Span{Style: st, Text: name})
	}
	return spans
}

// ChoiceAt returns the index of the name at a column of the upper border of a box that is w cells wide, or -1.
func ChoiceAt(names []string, x, w int) int {
	end := w - 3 // blank and corner at the end
	for i := len(names) - 1; i >= 0; i-- {
		begin := end - display.Width(names[i])
		if x >= begin && x < end {
			return i
		}
		end = begin - len(choiceGap)
	}
	return -1
}

// SpansWidth returns the number of cells of spans.
func SpansWidth(spans []Span) int {
	w := 0
	for _, s := range spans {
		w += display.Width(s.Text)
	}
	return w
}

// Pad makes a painted row exactly w cells wide: it adds blanks or truncates the row.
func Pad(row string, w int) string {
	have := display.Width(row)
	switch {
	case have < w:
		return row + strings.Repeat(" ", w-have)
	case have > w:
		cut := clip(row, w)
		return cut + reset + strings.Repeat(" ", w-display.Width(cut))
	}
	return row
}

// JoinSide puts two columns of rows next to each other. If one column has fewer rows, blank rows of
// its width are added.
func JoinSide(left, right []string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		out[i] = rowAt(left, i) + rowAt(right, i)
	}
	return out
}

// JoinBoxes joins two columns of boxes whose borders share a line: the last cells of the left
// column and the first of the right. If stands is true, the line belongs to the left box, which is
// emphasized.
func JoinBoxes(left, right []string, stands bool) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		out[i] = joined(rowAt(left, i), rowAt(right, i), stands)
	}
	return out
}

// joined joins two rows. The left one ends with a border and the right one starts with one.
func joined(l, r string, stands bool) string {
	at, begin := strings.LastIndexAny(l, borderGlyphs), strings.IndexAny(r, borderGlyphs)
	last, first := glyphAt(l, at), glyphAt(r, begin)
	joint, ok := joints[last+first]
	ends := at >= 0 && display.Width(l[at+len(last):]) == 0
	begins := begin >= 0 && display.Width(r[:begin]) == 0
	switch {
	case !ends && begins: // only the right row has a box
		return Slice(l, 0, max(display.Width(l)-1, 0)) + reset + r
	case !ok, !ends, !begins:
		return l + paddingOf(r)
	case stands:
		return l[:at] + joint + l[at+len(last):] + r[begin+len(first):]
	}
	return l[:at] + reset + r[:begin] + joint + r[begin+len(first):]
}

// glyphAt returns the character that starts at an index, or "" if the index is -1.
func glyphAt(text string, i int) string {
	if i < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return text[i : i+size]
}

// paddingOf returns a row without its first cell.
func paddingOf(r string) string { return reset + Slice(r, 1, max(display.Width(r)-1, 0)) }

// borderGlyphs lists the characters at the sides of boxes. joints maps two of them to the character that
// joins them in one cell.
var (
	borderGlyphs = "│╮╭╯╰|+"
	joints       = map[string]string{
		"││": "│", "╮╭": "┬", "╯╰": "┴", "│╭": "├", "│╰": "├", "╮│": "┤", "╯│": "┤", "╯╭": "┼", "╮╰": "┼",
		"||": "|", "++": "+", "|+": "+", "+|": "+",
	}
)

func rowAt(rows []string, i int) string {
	switch {
	case i < len(rows):
		return rows[i]
	case len(rows) == 0:
		return ""
	}
	return strings.Repeat(" ", display.Width(rows[0]))
}

// Bar draws progress in exactly width cells. fraction is from 0 to 1.
func Bar(p *Palette, width int, fraction float64) string {
	if width <= 0 {
		return ""
	}
	if !(fraction > 0) { // includes NaN, which a server can cause
		fraction = 0
	}
	bar := p.bar
	bar.SetWidth(width)
	return bar.ViewAs(min(fraction, 1))
}

// Rule draws a line with a title in it: "── title ─────".
func Rule(p *Palette, w int, title ...Span) string {
	r := p.Row()
	r.Start(w, Style{})
	if len(title) > 0 {
		r.Fill(p.Faint, p.Lines.Top, 2)
		r.Gap(1)
		r.Spans(title...)
		r.Gap(1)
	}
	r.Fill(p.Faint, p.Lines.Top, w)
	return r.String()
}
