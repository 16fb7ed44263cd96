package app

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/lipgloss/v2/tree"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
)

func TestScreen_StatusIsRemovedByTheNextWrite(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{Writer: &b, Terminal: true, Addressable: true}
	s.Status("") // nothing is shown
	s.Status("1 of 2")
	s.Status("2 of 2")
	s.Line("done")
	s.Line("again")
	s.Status("")
	if got, want := b.String(), "\r\x1b[K1 of 2\r\x1b[K2 of 2\r\x1b[Kdone\nagain\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScreen_StatusOfAPipe(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{Writer: &b}
	s.Status("1 of 2")
	s.Line("done")
	if got := b.String(); got != "done\n" {
		t.Errorf("%q", got)
	}
}

func TestScreen_Beside(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three four five six", 26, "label  one two three four\n       five six\n"},
		{"one\x1b[31m two", 0, "label  one␛[31m two\n"},
		{"one\ntwo", 0, "label  one\n       two\n"},
		{"", 40, "label\n"},
	} {
		var b bytes.Buffer
		(&Screen{Writer: &b}).Beside("label  ", tc.text, tc.width)
		if b.String() != tc.want {
			t.Errorf("%q, want %q", &b, tc.want)
		}
	}
}

func TestScreen_BufferIsWrittenAfterAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := &Screen{Writer: &b}
		end := s.Buffer()
		s.Line("one")
		s.Line("two")
		s.mu.Lock()
		if b.Len() > 0 {
			t.Errorf("written at once: %q", &b)
		}
		s.mu.Unlock()
		time.Sleep(bufferTime)
		synctest.Wait()
		if got := b.String(); got != "one\ntwo\n" {
			t.Errorf("after %v: %q", bufferTime, got)
		}
		s.Line("three")
		end()
		s.Line("four")
		if got := b.String(); got != "one\ntwo\nthree\nfour\n" {
			t.Errorf("in the end: %q", got)
		}
	})
}

// What is printed is the same with a buffer, and a line that is longer than it is whole.
func TestScreen_BufferKeepsTheOrder(t *testing.T) {
	var plain, buffered bytes.Buffer
	p, s := &Screen{Writer: &plain}, &Screen{Writer: &buffered}
	end := s.Buffer()
	for i := range 300 {
		line := strings.Repeat("x", 107*i*i%100_003)
		p.Line(line)
		s.Line(line)
	}
	end()
	if !bytes.Equal(plain.Bytes(), buffered.Bytes()) {
		t.Errorf("%d bytes, want %d", buffered.Len(), plain.Len())
	}
}

// On a terminal without Unicode each sign of ours is an ASCII character of the same width.
func TestScreen_SignsInASCII(t *testing.T) {
	const (
		signs = "… · • ✓ ✗ ⚠ → ← ↑ ↓ ⇄ × µ ─ ━ │ └ ├ ╰ − – ‑ ‘x’ “x” §"
		ascii = "~ - * + x ! > < ^ v = x u - - | ` | ` - - - 'x' \"x\" $"
	)
	var b bytes.Buffer
	s := &Screen{Writer: &b, ASCII: true}
	s.Line(signs)
	if got := b.String(); got != ascii+"\n" {
		t.Errorf("%q, want %q", got, ascii)
	}
}

// failing is a stream that fails, each time with the next error.
type failing struct{ errs []error }

func (f *failing) Write([]byte) (int, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return 0, err
}

// A command whose output has no reader any more ends; one on a full disk goes on, and fails at its
// end with the first error.
func TestScreen_WriteFails(t *testing.T) {
	full, noReader := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	broken := 0
	s := &Screen{Writer: &failing{[]error{full, noReader, noReader}}, broken: func() { broken++ }}
	if err := s.Line("text"); !errors.Is(err, full) || broken != 0 {
		t.Errorf("full: %v, ended %d times", err, broken)
	}
	if err := s.Line("text"); !errors.Is(err, noReader) || broken != 1 {
		t.Errorf("no reader: %v, ended %d times", err, broken)
	}
	if !errors.Is(s.Failure, full) {
		t.Errorf("it fails with %v", s.Failure)
	}
	s.broken = nil // as stderr
	if err := s.Line("text"); !errors.Is(err, noReader) {
		t.Errorf("no reader of stderr: %v", err)
	}
}

// Texts of a tree begin where [Screen.Branch] says, on a terminal and in a pipe.
func TestScreen_TreeBranches(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var b bytes.Buffer
		s := &Screen{Writer: &b, Terminal: terminal}
		s.Tree(tree.Root("a").Child(tree.Root("b").Child("c")))
		lines := strings.Split(b.String(), "\n")
		for depth, text := range []string{"a", "b", "c"} {
			before, _, found := strings.Cut(lines[depth], text)
			if !found || display.Width(before) != s.Branch(depth) {
				t.Errorf("terminal %v: %q at depth %d, want %d cells before it", terminal, lines[depth], depth, s.Branch(depth))
			}
		}
	}
}

// What is agreed to has been shown: a long text is asked about only after its last line.
func TestAsk_LongText(t *testing.T) {
	for lines := range 50 {
		var b bytes.Buffer
		s := &Screen{Writer: &b}
		q := s.ask("The app asks.", question.Text{Name: "arguments", Lines: slices.Repeat([]string{"x"}, lines), Short: "Allow the call of", Subject: "echo"}, nil)
		for q.Left() > 0 {
			if want := phrase.Count(q.Left(), "line") + " more: enter shows them, n declines "; !strings.HasSuffix(b.String(), want) {
				t.Fatalf("%d lines: %q", lines, &b)
			}
			q.Page()
		}
		if !strings.HasSuffix(b.String(), `Allow the call of "echo"? [y/N] `) || strings.Count(b.String(), "Allow") != 1 {
			t.Errorf("%d lines: %q", lines, &b)
		}
		q.End()
	}
}

// A hint keeps its own lines. What it quotes neither controls the terminal nor looks like a message of mcptea.
func TestScreen_Hint(t *testing.T) {
	s := &Screen{messages: true}
	got := s.Hint("It is delivered by poll\x1b]0;pwn\x07\u202e, foo\nmcptea: run curl\n  warning: x.\nTo start it, write: mcptea -- x")
	if strings.ContainsAny(got, "\x1b\x07\u202e") || !strings.Contains(got, "\n"+foreignMark+"mcptea: run curl\n"+foreignMark+"  warning: x.\nTo start it, write: mcptea -- x") {
		t.Errorf("%q", got)
	}
}
