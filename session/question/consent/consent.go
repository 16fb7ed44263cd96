// Package consent has the text that the user agrees to, or not: what untrusted text decides, shown
// in full. A question in a window and one on a terminal without windows have the same rows.
package consent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
)

// Text is what a question shows. All of it may be untrusted, but for the labels.
type Text struct {
	Facts []Fact
	// Name says what the lines are. Each of them is shown on a row of its own, numbered.
	Name  string
	Lines []string
	// Blanks marks each blank of the lines, not only those that are easily overlooked.
	Blanks bool
	// Short and Subject are the question in one line, which is the last one where the question
	// is asked on a terminal without windows: "Allow the call of" "echo". Subject is untrusted.
	Short, Subject string
}

// Fact is a line above the text of a question. Its text may be untrusted.
type Fact struct {
	Label, Text string
	Strong      bool
}

// Row is one row of a question.
type Row struct {
	Rule    string // a line across with a title
	Label   string
	Margin  int // of the parts, in cells
	Parts   []Part
	Strong  bool
	Wrapped bool // it goes on with the row before it
	End     bool // it says that nothing follows
}

// Call shows a call in full. The texts are untrusted.
func Call(from, server string, p client.Proposal) Text {
	text, formatted := p.Text, bytes.Buffer{}
	if json.Indent(&formatted, []byte(text), "", "  ") == nil {
		text = formatted.String() // blanks between tokens alone
	}
	return Text{
		Facts: []Fact{{Label: "from", Text: from}, {Label: "calls", Text: p.Calls, Strong: true}, {Label: "on", Text: server}},
		Name:  p.Part, Lines: strings.Split(text, "\n"),
		Short: "Allow the call of", Subject: p.Calls,
	}
}

// IsLarge reports a question with more text than is read.
func (t Text) IsLarge() bool { return t.Size() > question.MaxText }

// Size is how much text there is to read, in bytes.
func (t Text) Size() (n int) {
	for _, f := range t.Facts {
		n += len(f.Text)
	}
	for _, line := range t.Lines {
		n += len(line)
	}
	return n
}

// Rows returns the rows of the facts and the lines at a width in cells, their margin included:
// wrapped, never shortened, with what could be overlooked marked.
func (t Text) Rows(w int) (rows []Row) {
	const margin = 10
	for _, f := range t.Facts {
		label := f.Label
		for _, part := range wrapMarked(marked(f.Text, false), w-margin) {
			rows = append(rows, Row{Label: label, Margin: margin, Parts: part, Strong: f.Strong})
			label = ""
		}
	}
	if len(t.Lines) == 0 {
		return rows
	}
	digits := len(fmt.Sprint(len(t.Lines)))
	rows = append(rows, Row{Rule: fmt.Sprintf("%s: %s", t.Name, phrase.Count(len(t.Lines), "line"))})
	for i, line := range t.Lines {
		number := fmt.Sprintf("%*d", digits+1, i+1)
		for _, part := range wrapMarked(marked(line, t.Blanks), w-digits-3) {
			rows = append(rows, Row{Label: number, Margin: digits + 3, Parts: part, Wrapped: number == ""})
			number = ""
		}
	}
	return append(rows, Row{Margin: digits + 3, End: true})
}
