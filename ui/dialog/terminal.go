package dialog

import (
	"strings"

	"mcptea/internal/words/display"
	"mcptea/session/question"
)

// Marks are how a terminal without windows shows what could be overlooked in a question.
type Marks struct {
	Blank, Wrapped string                   // one cell each
	Style          func(text string) string // the look of a mark
}

// Terminal lays a text out on a terminal of w cells that has no windows, as a window shows it:
// untrusted text never begins a row, nothing is shortened, and what could be overlooked is marked.
func (r *Reading) Terminal(w int) (rows int) { return r.Layout(max(w-1, narrowest)) }

// narrowest is the least width of a row, in cells: a narrower terminal breaks it.
const narrowest = 20

// Print is a row on a terminal without windows. It is in sight once it is printed.
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

// maxSubject is how much of the subject the last line repeats, in cells: the rows before have all of it.
const maxSubject = 40

// TerminalQuestion returns the last line of the question. Its subject is between quotation marks,
// so that it ends no sentence.
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
