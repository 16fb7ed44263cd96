package dialog

import (
	"strings"

	"mcptea/internal/words/display"
	"mcptea/session/question"
)

// Marks holds the signs for text that could be overlooked, on a terminal without windows.
type Marks struct {
	Blank, Wrapped string                   // each is one cell wide
	Style          func(text string) string // styles a mark
}

// Terminal lays out a text for a terminal of w cells without windows, like a window: untrusted text never
// starts a row, nothing is shortened, and text that could be overlooked is marked.
func (r *Reading) Terminal(w int) (rows int) { return r.Layout(max(w-1, narrowest)) }

// narrowest is the minimum width of a row, in cells: a narrower terminal breaks it.
const narrowest = 20

// Print returns a row for a terminal without windows. The row counts as visible when it is printed.
func (r *Reading) Print(i int, m Marks) string {
	row := r.rows[i]
	r.sight.Show(i)
	if row.rule != "" {
		return " " + row.rule
	}
	text := m.text(row.parts)
	if row.end {
		text = "end"
	}
	label := row.label + strings.Repeat(" ", max(0, row.margin-1-display.Width(row.label)))
	switch {
	case row.wrapped:
		label = strings.Repeat(" ", max(0, row.margin-3)) + m.Style(m.Wrapped) + " "
	case row.marked:
		label = m.Style(label)
	}
	return " " + label + " " + text
}

// maxSubject bounds the subject in the last line, in cells. The previous rows contain all of it.
const maxSubject = 40

// TerminalQuestion returns the last line of the question. Its subject is in quotation marks, so it
// cannot end the sentence.
func TerminalQuestion(t question.Text, m Marks) string {
	subject := display.WrapParts(display.Marked(t.Subject, true), maxSubject)
	text := strings.ReplaceAll(m.text(subject[0]), `"`, m.Style("‹U+0022›"))
	if len(subject) > 1 {
		text += "…"
	}
	return t.Short + " \"" + text + "\"?"
}

func (m Marks) text(parts []display.Part) string {
	var b strings.Builder
	for _, part := range parts {
		switch part.Kind {
		case display.Blank:
			b.WriteString(m.Style(strings.Repeat(m.Blank, len(part.Text))))
		case display.Hidden:
			b.WriteString(m.Style(part.Text))
		default:
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
