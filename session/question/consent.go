package question

import (
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Text is the content of a question. All of it may be untrusted, except for the labels.
type Text struct {
	Facts []Fact
	// Name is the title of Lines, such as "arguments". Each line has a numbered row.
	Name  string
	Lines []string
	// Blanks makes each blank of the lines visible, not only blanks that are easily overlooked.
	Blanks bool
	// Short and Subject form the question in one line, which is the last line on a terminal without windows:
	// "Allow the call of" "echo". Subject is untrusted.
	Short, Subject string
	// Notes are sentences of mcptea about the facts.
	Notes []string
	// Line is the label of the lines where they are shown as one, see [Text.Brief].
	Line string
	// Typed reports that the only line is a command line as a shell reads it, which is quoted already.
	Typed bool
	// Of identifies the action that the user agrees to, if the text alone does not. The text may
	// mask a part.
	Of string
}

// Fact is a line above the text of a question. Its text may be untrusted.
type Fact struct {
	Label, Text string
	Strong      bool
	Marked      bool // the line decides more than it seems to, and must not be overlooked
	Aside       bool // the line decides nothing: [Text.Brief] leaves it out
}

// Brief returns the text in few rows: the lines as one, and the facts that decide something. It is false
// if there is no such line.
func (t Text) Brief() (Text, bool) {
	if t.Line == "" || len(t.Lines) == 0 || t.IsLarge() {
		return t, false
	}
	line := strings.Join(t.Lines, " ")
	if t.Line == CommandLine && !t.Typed {
		line = quoted(t.Lines)
	}
	brief := Text{Facts: []Fact{{Label: t.Line, Text: line, Strong: true}}}
	for _, f := range t.Facts {
		if !f.Aside {
			brief.Facts = append(brief.Facts, f)
		}
	}
	return brief, true
}

// CommandLine is the label of the lines of a command, where they are shown as one: each is between quotation
// marks then that is not plain.
const CommandLine = "command"

// quoted returns the words of a command, quoted as for a shell, except for characters that the marks of a
// question show.
func quoted(words []string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	var all []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		all = append(all, w)
	}
	return strings.Join(all, " ")
}

// Call shows a call in full. The texts are untrusted.
func Call(from, server string, p client.Proposal) Text {
	text := p.Text
	if len(text) <= MaxText { // a longer text is not shown
		text = jsonrpc.Indented([]byte(text)) // adds only blanks between tokens
	}
	return Text{
		Facts: []Fact{{Label: "from", Text: from}, {Label: "calls", Text: p.Calls, Strong: true}, {Label: "on", Text: server}},
		Name:  p.Part, Lines: strings.Split(text, "\n"),
		Short: "Allow the call of", Subject: p.Calls,
	}
}

// IsLarge reports a question with more text than is read.
func (t Text) IsLarge() bool { return t.Size() > MaxText }

// Size returns how much text there is to read, in bytes.
func (t Text) Size() (n int) {
	for _, f := range t.Facts {
		n += len(f.Text)
	}
	for _, line := range t.Lines {
		n += len(line)
	}
	return n
}
