package consent

import (
	"strings"

	"mcptea/internal/words/display"
)

// Marks are how a terminal without windows shows what could be overlooked in a question.
type Marks struct {
	Blank, Wrapped string                   // one cell each
	Style          func(text string) string // the look of a mark
}

// TerminalRows returns what is agreed to as rows of at most w cells, as the window shows them:
// untrusted text never begins a row, nothing is shortened, and what could be overlooked is marked.
func (t Text) TerminalRows(w int, m Marks) []string {
	var all []string
	for _, row := range t.Rows(max(w-1, 20)) {
		switch {
		case row.Rule != "":
			all = append(all, " "+row.Rule)
			continue
		case row.Wrapped:
			row.Label = strings.Repeat(" ", max(0, row.Margin-3)) + m.Style(m.Wrapped)
			row.Label += " "
		default:
			row.Label += strings.Repeat(" ", max(0, row.Margin-1-display.Width(row.Label)))
		}
		text := m.text(row.Parts)
		if row.End {
			text = "end"
		}
		all = append(all, " "+row.Label+" "+text)
	}
	return all
}

// maxSubject is how much of the subject the last line repeats, in cells: the rows before have all of it.
const maxSubject = 40

// TerminalQuestion returns the last line of the question. Its subject is between quotation marks,
// so that it ends no sentence.
func (t Text) TerminalQuestion(m Marks) string {
	subject := wrapMarked(marked(t.Subject, true), maxSubject)
	text := strings.ReplaceAll(m.text(subject[0]), `"`, m.Style("‹U+0022›"))
	if len(subject) > 1 {
		text += "…"
	}
	return t.Short + " \"" + text + "\"?"
}

func (m Marks) text(parts []Part) string {
	var b strings.Builder
	for _, part := range parts {
		switch part.Kind {
		case Blank:
			b.WriteString(m.Style(strings.Repeat(m.Blank, len(part.Text))))
		case Hidden:
			b.WriteString(m.Style(part.Text))
		default:
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
