package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"mcptea/session/content"
	"mcptea/ui/paint"
)

// screen is an output stream that may be a terminal. It uses the 16 colors of the
// terminal, which fit any background.
type screen struct {
	io.Writer
	terminal    bool
	colors      bool
	profile     colorprofile.Profile
	addressable bool // the cursor can be moved
	ascii       bool // the terminal shows only ASCII
	width       int  // columns; 0 if the stream is not a terminal

	failure error // the first error of Write

	// broken is called when a write fails with EPIPE: the reader of a pipe has
	// exited. It may be nil.
	broken func()
}

// Write keeps the first error, so that the program fails at its end: a disk may be
// full.
func (s *screen) Write(b []byte) (int, error) {
	written := b
	if s.ascii {
		written = []byte(asciiSigns.Replace(string(b)))
	}
	n, err := s.Writer.Write(written)
	if err == nil {
		n = len(b)
	}
	if errors.Is(err, syscall.EPIPE) && s.broken != nil {
		s.broken()
	}
	if err != nil && s.failure == nil {
		s.failure = err
	}
	return n, err
}

// asciiSigns replaces the characters in texts of mcptea by ASCII characters of the
// same width.
var asciiSigns = strings.NewReplacer(
	"…", "~", "·", "-", "•", "*", "✓", "+", "✗", "x", "⚠", "!", "→", ">", "←", "<", "↑", "^", "↓", "v", "⇄", "=", "×", "x", "µ", "u",
	"─", "-", "━", "-", "│", "|", "└", "`", "├", "|", "−", "-", "–", "-", "‑", "-", "‘", "'", "’", "'", "“", `"`, "”", `"`, "§", "$",
)

func newScreen(f *os.File) *screen {
	s := &screen{Writer: f, terminal: term.IsTerminal(f.Fd())}
	if !s.terminal {
		return s
	}
	enableEscapes(f)
	s.width = 80
	if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
		s.width = w
	}
	s.addressable = os.Getenv("TERM") != "dumb"
	s.profile = colorprofile.Detect(f, os.Environ())
	s.colors = s.profile >= colorprofile.ANSI
	return s
}

func (s *screen) sgr(code, text string) string {
	if !s.colors || text == "" {
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

// line writes one line.
func (s *screen) line(text string) error {
	_, err := io.WriteString(s, text+"\n")
	return err
}

// safe returns untrusted text sanitized for a message, with its line breaks: also for
// a pipe.
func (s *screen) safe(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = paint.Sanitize(l)
	}
	return strings.Join(lines, "\n")
}

// json returns JSON of a server for the stream: unchanged for a pipe; for a terminal,
// control and invisible characters are escaped.
func (s *screen) json(text string) string {
	if !s.terminal {
		return text
	}
	return paint.EscapeJSON(text)
}

// untrusted returns text of a server for the stream: sanitized and wrapped for a
// terminal, unchanged for a pipe.
func (s *screen) untrusted(text string) string {
	if !s.terminal {
		return text
	}
	return strings.Join(paint.Wrap(text, s.width), "\n")
}

// part returns a part of a result as text: text in full, binary data as a line with
// type and size.
func (s *screen) part(part content.Part) string {
	switch part := part.(type) {
	case content.Heading:
		if part.Plain || part.Role == content.OfToolError {
			return ""
		}
		return s.heading(part)
	case content.Note:
		return s.untrusted(part.Text)
	case content.Text:
		if part.Text == "" {
			return "\n"
		}
		return s.untrusted(part.Text)
	case content.JSON:
		return s.untrusted(indented(part.Raw))
	}
	return "" // images and gaps
}

// heading returns a heading in one line.
func (s *screen) heading(h content.Heading) string {
	line := s.faint("[" + paint.Sanitize(h.Name) + "]")
	for _, f := range h.Facts {
		text := f.Text
		if f.Size != 0 {
			text = paint.HumanSize(f.Size.Bytes())
		}
		if text != "" {
			line += "  " + paint.Sanitize(text)
		}
	}
	return line
}

// painted returns a painted row for the stream, without spaces at its end.
func (s *screen) painted(row string) string {
	if !s.colors {
		return strings.TrimRight(ansi.Strip(row), " ")
	}
	const reset = "\x1b[m"
	return strings.TrimRight(strings.TrimSuffix(row, reset), " ") + reset
}

// indented returns JSON with one member per line and unchanged tokens.
func indented(raw json.RawMessage) string { return content.Indented(raw) }

// defaultWidth is the width of text that is not printed on a terminal, in cells.
const defaultWidth = 80
