package app

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mcptea/cli/input"
	"mcptea/internal/words/phrase"
	"mcptea/session/question/consent"
	"mcptea/ui/dialog"
)

// Question is a question about untrusted text that is printed on a terminal: page by page, with
// a last line that is mcptea's own. Nothing else may be printed while it waits: other goroutines use
// [Screen.WriteUnlessAsking].
type Question struct {
	screen *Screen
	rows   []string // that were not printed yet
	last   string
}

// Ask begins to print a question, which waits until [Question.End].
func (s *Screen) Ask(heading string, c consent.Text) *Question {
	marks := dialog.Marks{Blank: "·", Wrapped: "↳", Style: s.Warn}
	if s.ASCII {
		marks.Blank, marks.Wrapped = "_", "\\"
	}
	w, _ := s.Size()
	s.setAsking(true)
	s.Line(s.Strong("mcptea:") + " " + heading)
	s.Line(s.Faint(" " + marks.Blank + " blank  ⏎ break  " + marks.Wrapped + " wrapped  ‹U+…› invisible  The text is shown in full."))
	q := &Question{s, dialog.TerminalRows(c, w, marks), dialog.TerminalQuestion(c, marks) + " [y/N] "}
	q.Page()
	return q
}

// End is to be called when the question waits no longer.
func (q *Question) End() { q.screen.setAsking(false) }

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
		prompt = fmt.Sprintf("%s more: enter shows them, n declines ", phrase.Count(left, "line"))
	}
	fmt.Fprintf(q.screen, "%s %s", q.screen.Strong("mcptea:"), prompt)
}

// ReadLine reads what the user types on the terminal, without the end of the line. It reads no
// further: the next line is for what asks next.
func (p *App) ReadLine() (string, error) {
	return p.typed(func() ([]byte, error) {
		b := make([]byte, maxTyped)
		n, err := p.In.Read(b)
		return b[:n], err
	})
}

// maxTyped is the length of the longest line that a terminal passes on, in bytes.
const maxTyped = 4 << 10

// ReadSecret prints a prompt once the terminal does not echo, and is then [App.ReadLine].
func (p *App) ReadSecret(prompt string) (string, error) {
	fd := p.In.Fd()
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	echo := func() { _ = term.Restore(fd, state) }
	defer p.AtExit.Add(echo)()
	text, err := p.typed(func() ([]byte, error) {
		go func() {
			for range 1000 { // until the echo is off
				if now, err := term.GetState(fd); err != nil || !reflect.DeepEqual(now, state) {
					break
				}
				time.Sleep(time.Millisecond)
			}
			fmt.Fprint(p.Err, prompt)
		}()
		return term.ReadPassword(fd)
	})
	if p.Ctx.Err() != nil {
		echo() // the read still waits
	}
	fmt.Fprintln(p.Err)
	return text, err
}

// typed reads beside the signals, which end it. Its read then goes on until the program exits.
func (p *App) typed(read func() ([]byte, error)) (string, error) {
	text, err := input.Await(p.Ctx, read)
	return strings.TrimRight(string(text), "\r\n"), err
}
