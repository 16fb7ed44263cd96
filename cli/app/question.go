package app

import (
	"fmt"

	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// Question is a question about untrusted text that is printed on a terminal: page by page, with
// a last line that is mcptea's own. Nothing else may be printed while it waits.
type Question struct {
	screen *Screen
	rows   []string // that were not printed yet
	last   string
}

// Ask begins to print a question.
func (s *Screen) Ask(heading string, c dialog.Consent) *Question {
	marks := dialog.Marks{Blank: "·", Wrapped: "↳", Style: s.Warn}
	if s.ASCII {
		marks.Blank, marks.Wrapped = "_", "\\"
	}
	w, _ := s.Size()
	s.Line(s.Strong("mcptea:") + " " + heading)
	s.Line(s.Faint(" " + marks.Blank + " blank  ⏎ break  " + marks.Wrapped + " wrapped  ‹U+…› invisible  Nothing is shortened."))
	q := &Question{s, c.TerminalRows(w, marks), c.TerminalQuestion(marks) + " [y/N] "}
	q.Page()
	return q
}

// Left is how many lines were not printed yet. Until there are none nothing is agreed to.
func (q *Question) Left() int { return len(q.rows) }

// Page prints as much of the question as the terminal shows, and the question itself after the
// end of that.
func (q *Question) Page() {
	_, h := q.screen.Size()
	n := min(len(q.rows), max(h-4, 4))
	for _, row := range q.rows[:n] {
		q.screen.Line(row)
	}
	q.rows = q.rows[n:]
	q.Prompt()
}

// Prompt prints the line that the user answers.
func (q *Question) Prompt() {
	prompt := q.last
	if left := len(q.rows); left > 0 {
		prompt = fmt.Sprintf("%s more: enter shows them, n declines ", paint.Plural(left, "line"))
	}
	fmt.Fprintf(q.screen, "%s %s", q.screen.Strong("mcptea:"), prompt)
}
