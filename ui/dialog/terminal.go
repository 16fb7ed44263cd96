package dialog

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
func (q Consent) TerminalRows(w int, m Marks) []string {
	var all []string
	for _, row := range q.layout(max(w-1, 20)) {
		switch {
		case row.rule != "":
			all = append(all, " "+row.rule)
			continue
		case row.wrapped:
			row.label = strings.Repeat(" ", max(0, row.margin-3)) + m.Style(m.Wrapped)
			row.label += " "
		default:
			row.label += strings.Repeat(" ", max(0, row.margin-1-display.Width(row.label)))
		}
		text := m.text(row.parts)
		if row.end {
			text = "end"
		}
		all = append(all, " "+row.label+" "+text)
	}
	return all
}

// maxSubject is how much of the subject the last line repeats, in cells: the rows before have all of it.
const maxSubject = 40

// TerminalQuestion returns the last line of the question. Its subject is between quotation marks,
// so that it ends no sentence.
func (q Consent) TerminalQuestion(m Marks) string {
	subject := wrapMarked(marked(q.Subject, true), maxSubject)
	text := strings.ReplaceAll(m.text(subject[0]), `"`, m.Style("‹U+0022›"))
	if len(subject) > 1 {
		text += "…"
	}
	return q.Short + " \"" + text + "\"?"
}

func (m Marks) text(parts []markedText) string {
	var b strings.Builder
	for _, part := range parts {
		switch part.kind {
		case markBlank:
			b.WriteString(m.Style(strings.Repeat(m.Blank, len(part.text))))
		case markHidden:
			b.WriteString(m.Style(part.text))
		default:
			b.WriteString(part.text)
		}
	}
	return b.String()
}
