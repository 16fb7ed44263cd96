package app

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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
