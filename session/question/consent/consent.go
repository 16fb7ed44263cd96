// Package consent has the text that the user agrees to, or not: what untrusted text decides, in
// full. A question in a window and one on a terminal without windows show the same.
package consent

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcptea/client"
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
