package dialog

import (
	"fmt"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question/consent"
)

// Marks are how a terminal without windows shows what could be overlooked in a question.
type Marks struct {
	Blank, Wrapped string                   // one cell each
	Style          func(text string) string // the look of a mark
}

// TerminalRows returns what is agreed to as rows of at most w cells, as the window shows them:
// untrusted text never begins a row, nothing is shortened, and what could be overlooked is marked.
func TerminalRows(t consent.Text, w int, m Marks) []string {
	var all []string
	for _, row := range rowsOf(t, max(w-1, 20)) {
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
func TerminalQuestion(t consent.Text, m Marks) string {
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

// row is one row of a question.
type row struct {
	rule    string // a line across with a title
	label   string
	margin  int // of the parts, in cells
	parts   []display.Part
	strong  bool
	wrapped bool // it goes on with the row before it
	end     bool // it says that nothing follows
}

// rowsOf returns the rows of the facts and the lines at a width in cells, their margin included:
// wrapped, never shortened, with what could be overlooked marked.
func rowsOf(t consent.Text, w int) (rows []row) {
	const margin = 10
	for _, f := range t.Facts {
		label := f.Label
		for _, part := range display.WrapParts(display.Marked(f.Text, false), w-margin) {
			rows = append(rows, row{label: label, margin: margin, parts: part, strong: f.Strong})
			label = ""
		}
	}
	if len(t.Lines) == 0 {
		return rows
	}
	digits := len(fmt.Sprint(len(t.Lines)))
	rows = append(rows, row{rule: fmt.Sprintf("%s: %s", t.Name, phrase.Count(len(t.Lines), "line"))})
	for i, line := range t.Lines {
		number := fmt.Sprintf("%*d", digits+1, i+1)
		for _, part := range display.WrapParts(display.Marked(line, t.Blanks), w-digits-3) {
			rows = append(rows, row{label: number, margin: digits + 3, parts: part, wrapped: number == ""})
			number = ""
		}
	}
	return append(rows, row{margin: digits + 3, end: true})
}
