package cli

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"mcptea/ui/paint"
)

// screen is an output stream that knows whether people look at it. Colours are
// the sixteen of the terminal, which fit its background whatever that is.
type screen struct {
	io.Writer
	terminal bool
	colours  bool
	width    int // columns; 0 when nobody looks
}

func newScreen(f *os.File) *screen {
	s := &screen{Writer: f, terminal: term.IsTerminal(f.Fd())}
	if !s.terminal {
		return s
	}
	s.width = 80
	if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
		s.width = w
	}
	s.colours = colorprofile.Detect(f, os.Environ()) >= colorprofile.ANSI
	return s
}

func (s *screen) sgr(code, text string) string {
	if !s.colours || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) strong(text string) string { return s.sgr("1", text) }
func (s *screen) faint(text string) string  { return s.sgr("2", text) }
func (s *screen) name(text string) string   { return s.sgr("36", text) }
func (s *screen) good(text string) string   { return s.sgr("32", text) }
func (s *screen) bad(text string) string    { return s.sgr("1;31", text) }
func (s *screen) warn(text string) string   { return s.sgr("33", text) }

// line writes one line. The error is worth passing on: a pipe may be closed, a
// disk full.
func (s *screen) line(text string) error {
	_, err := io.WriteString(s, text+"\n")
	return err
}

// safe is text from elsewhere, its line ends kept, such that a terminal cannot
// be made to obey it. It is meant for messages: into a pipe they go safe too.
func (s *screen) safe(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = paint.Sanitize(l)
	}
	return strings.Join(lines, "\n")
}

// foreign is a server's text for the stream: wrapped and sanitised when people
// look, untouched otherwise.
func (s *screen) foreign(text string) string {
	if !s.terminal {
		return text
	}
	return strings.Join(paint.Wrap(text, s.width), "\n")
}
