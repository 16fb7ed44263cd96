package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// Question is a question about untrusted text on a terminal: it prints the text page by page, and mcptea's own
// line last. Nothing else may be printed while it waits: other goroutines use [Screen.WriteUnlessAsking].
type Question struct {
	screen  *Screen
	drop    func() // drops waiting input of the terminal, or nil
	text    question.Text
	reading *dialog.Reading
	marks   dialog.Marks
	rows    int
	next    int // row to print
	above   int // rows of the terminal that the heading takes, until the first page was printed
}

// Confirm asks a question about untrusted text on the terminal, and reports whether the user agrees. Only an
// answer counts that was typed after the whole text was printed.
func (p *App) Confirm(heading string, c question.Text) (agreed bool, err error) {
	q := p.Ask(heading, c)
	defer q.End()
	for {
		line, err := p.readLine()
		if cause := context.Cause(p.Ctx); cause != nil {
			return false, cause
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		switch {
		case err != nil && (!errors.Is(err, io.EOF) || answer == ""), answer == "n", answer == "no":
			return false, nil
		case q.Left() > 0:
			q.Page()
		default:
			return q.Agreed(answer), nil
		}
	}
}

// Ask prints a question, which waits until [Question.End]. [App.Confirm] also reads the answer.
func (p *App) Ask(heading string, c question.Text) *Question {
	return p.Err.ask(heading, c, p.dropTyped)
}

func (s *Screen) ask(heading string, c question.Text, drop func()) *Question {
	marks := dialog.Marks{Blank: "·", Wrapped: "↳", Style: s.Warn}
	if s.ASCII {
		marks.Blank, marks.Wrapped = "_", "\\"
	}
	q := &Question{screen: s, drop: drop, text: c, reading: dialog.Read(c), marks: marks}
	w, _ := s.Size()
	q.rows = q.reading.Terminal(w)
	s.setAsking(true)
	q.heading(s.Strong, "mcptea: "+heading)
	for _, note := range c.Notes {
		q.heading(s.Warn, " "+display.Sanitize(note))
	}
	signs := ""
	for _, sign := range q.reading.Signs(marks.Blank, marks.Wrapped) {
		signs += " " + sign.Mark + " " + sign.Means + " "
	}
	q.heading(s.Faint, signs+" The text is shown in full.")
	q.Page()
	return q
}

// heading prints a line above the first page.
func (q *Question) heading(style func(string) string, text string) {
	q.above += q.height(text)
	if first, rest, ok := strings.Cut(text, ": "); ok && first == "mcptea" {
		text = style(first+":") + " " + rest
	} else {
		text = style(text)
	}
	q.screen.Line(text)
}

// height returns the number of rows of the terminal a line takes.
func (q *Question) height(text string) int {
	w, _ := q.screen.Size()
	return max(1, (display.Width(text)+max(w, 1)-1)/max(w, 1))
}

// End must be called when the question no longer waits.
func (q *Question) End() { q.screen.setAsking(false) }

// Left returns the number of lines that were not printed yet. While there are any, no answer agrees.
func (q *Question) Left() int { return q.rows - q.next }

// Agreed reports whether an answer agrees, and all of the text was visible before.
func (q *Question) Agreed(answer string) bool {
	_, whole := q.reading.Agree(0)
	return whole && (answer == "y" || answer == "yes")
}

// Page prints as much of the question as the terminal shows, and the question itself after the
// end of that.
func (q *Question) Page() {
	_, h := q.screen.Size()
	n := min(q.Left(), max(h-1-q.above-q.height(q.prompt()), 1))
	for range n {
		q.screen.Line(q.reading.Print(q.next, q.marks))
		q.next++
	}
	q.above = 0
	q.Prompt()
}

// Prompt prints the line that the user answers. Text typed before does not count as an answer.
func (q *Question) Prompt() {
	if q.drop != nil {
		q.drop()
	}
	fmt.Fprintf(q.screen, "%s %s", q.screen.Strong("mcptea:"), q.prompt())
}

// prompt returns the line that the user answers, without its name.
func (q *Question) prompt() string {
	if left := q.Left(); left > 0 {
		return fmt.Sprintf("%s more: enter shows them, n declines ", phrase.Count(left, "line"))
	}
	return dialog.TerminalQuestion(q.text, q.marks) + " [y/N] "
}

// Prompt prints a prompt and reads the line that the user then types on the terminal, without its line ending.
// It drops text typed before. It reads nothing after the line, so that the next question gets the next line.
func (p *App) Prompt(prompt string) (string, error) {
	p.dropTyped()
	fmt.Fprint(p.Err, prompt)
	return p.readLine()
}

// Answer is a line that the user has typed, in lower case and without blanks around it.
type Answer struct {
	Text string
	At   time.Time // when the answer was read
}

// Answers returns the lines that the user types on the terminal, until the input or the program ends. Each line
// is read separately: none waits in a buffer for a question that is printed later.
func (p *App) Answers() <-chan Answer {
	to := make(chan Answer)
	go func() {
		for {
			line, err := p.readLine()
			if err != nil || line == "" && p.Ctx.Err() != nil {
				return
			}
			select {
			case to <- Answer{strings.ToLower(strings.TrimSpace(line)), time.Now()}:
			case <-p.Ctx.Done():
				return
			}
		}
	}()
	return to
}

// readLine reads a line of the terminal.
func (p *App) readLine() (string, error) {
	return p.typed(func() ([]byte, error) {
		b := make([]byte, maxTyped)
		n, err := p.In.Read(b)
		return b[:n], err
	})
}

// maxTyped is the length of the longest line that a terminal forwards, in bytes.
const maxTyped = 4 << 10

const (
	// dropPause is the pause without input after which all text typed ahead counts as dropped. A
	// terminal accepts only a few kB at a time, so the rest of a large text arrives later.
	dropPause = 30 * time.Millisecond
	// maxDrops bounds the repetitions if more text keeps arriving.
	maxDrops = 100
)

// dropTyped drops text that was typed ahead and waits in the terminal. Functions that ask on a terminal without
// windows call it before their prompt.
func (p *App) dropTyped() {
	for range maxDrops {
		if p.Ctx.Err() != nil || !dropInput(p.In, dropPause) {
			return
		}
	}
}

// ReadSecret prints a prompt once the terminal does not echo, and is then [App.Prompt].
func (p *App) ReadSecret(prompt string) (string, error) {
	fd := p.In.Fd()
	state, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	echo := func() { _ = term.Restore(fd, state) }
	defer p.AtExit.Add(echo)()
	p.dropTyped()
	text, err := p.typed(func() ([]byte, error) {
		go func() {
			for range 1000 { // wait until echo is off
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

// typed reads while signals are handled; a signal ends it. Its read then continues until the program exits.
func (p *App) typed(read func() ([]byte, error)) (string, error) {
	text, err := Await(p.Ctx, read)
	return strings.TrimRight(string(text), "\r\n"), err
}
