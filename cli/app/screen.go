package app

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/ui/paint"
)

// Screen is an output stream that may be a terminal. It uses the 16 colors of the
// terminal, which fit any background.
type Screen struct {
	io.Writer
	Terminal    bool
	Colors      bool
	Profile     colorprofile.Profile
	Addressable bool // the cursor can be moved
	ASCII       bool // the terminal shows only ASCII
	Width       int  // columns; 0 if the stream is not a terminal
	linked      bool // texts can lead to files
	messages    bool // lines of mcptea itself are written, as on stderr; see [Screen.Safe]

	mu      sync.Mutex // serializes writes
	status  bool       // the last line was printed by Status
	asking  bool       // a [Question] waits
	Wrote   bool       // something was written
	Failure error      // first error of Write

	secrets *secret.Values // secrets that are redacted in the output, or nil
	silent  atomic.Bool    // printed text is discarded, because stdout has only a report

	buffer   []byte // collected output, or nil outside of [Screen.Buffer]
	flushing *time.Timer

	// broken is called when a write fails with EPIPE: the reader of a pipe has
	// exited. It may be nil.
	broken func()
	// failed is called when a write fails otherwise. It may be nil.
	failed func()
}

// Write keeps the first error, for example of a full disk, so that the program fails at its end. Like Status,
// it may be called from any goroutine.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(b)
}

// WriteUnlessAsking is like Write, but for text that could be mistaken for part of a question: while a question
// waits it writes nothing and returns false.
func (s *Screen) WriteUnlessAsking(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking {
		return false
	}
	_, _ = s.put([]byte(text)) // the screen keeps the error
	return true
}

func (s *Screen) setAsking(asking bool) {
	s.mu.Lock()
	s.asking = asking
	s.mu.Unlock()
}

// put is like Write, but the caller holds the lock.
func (s *Screen) put(b []byte) (int, error) {
	if s.silent.Load() {
		return len(b), nil
	}
	if s.status {
		s.status = false
		_, _ = s.write([]byte(clearLine)) // the screen keeps the error
	}
	shown := b
	if s.secrets != nil && !s.asking { // a question hides nothing that decides
		if text := string(b); s.secrets.Redact(text) != text {
			shown = []byte(s.secrets.Redact(text))
		}
	}
	write := s.write
	if s.buffer != nil {
		write = s.collect
	}
	if _, err := write(shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// clearLine removes the line of the cursor.
const clearLine = "\r\x1b[K"

// Status shows progress in the last line of a terminal, replacing the previous progress. The next write or an
// empty text removes it.
func (s *Screen) Status(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Addressable || text == "" && !s.status {
		return
	}
	_, _ = s.write([]byte(clearLine + text)) // the screen keeps the error
	s.status = text != ""
}

func (s *Screen) write(b []byte) (int, error) {
	written := b
	s.Wrote = s.Wrote || len(b) > 0
	if s.ASCII {
		written = []byte(asciiSigns.Replace(string(b)))
	}
	n, err := s.Writer.Write(written)
	if err == nil {
		n = len(b)
	}
	if system.IsErrno(err, syscall.EPIPE) && s.broken != nil {
		s.broken()
	} else if err != nil && s.failed != nil {
		s.failed()
	}
	if err != nil && s.Failure == nil {
		s.Failure = err
	}
	return n, err
}

// asciiSigns replaces the characters in texts of mcptea by ASCII characters of the
// same width.
var asciiSigns = strings.NewReplacer(
	"…", "~", "·", "-", "•", "*", "✓", "+", "✗", "x", "⚠", "!", "→", ">", "←", "<", "↑", "^", "↓", "v", "⇄", "=", "×", "x", "µ", "u",
	"─", "-", "━", "-", "│", "|", "└", "`", "├", "|", "╰", "`", "−", "-", "–", "-", "‑", "-", "‘", "'", "’", "'", "“", `"`, "”", `"`, "§", "$",
)

func newScreen(f *os.File, env Env) *Screen {
	s := &Screen{Writer: f, Terminal: term.IsTerminal(f.Fd())}
	if !s.Terminal {
		return s
	}
	enableEscapes(f)
	s.Width = 80
	if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
		s.Width = w
	}
	s.Addressable = env.Get("TERM") != "dumb"
	s.Profile = colorprofile.Detect(f, env.Environ())
	s.Colors = s.Profile >= colorprofile.ANSI
	s.linked = s.Addressable && env.Get("TERM") != "linux" // the Linux console prints escape sequences that it does not support
	return s
}

// Size returns the size of the terminal, in cells. It may have changed since the start.
func (s *Screen) Size() (w, h int) {
	if f, ok := s.Writer.(term.File); ok {
		if w, h, err := term.GetSize(f.Fd()); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return s.Width, 24
}

// Styles of printed text, in the 16 colors of the terminal, which fit any background.
var (
	Plain   = lipgloss.NewStyle()
	Strong  = lipgloss.NewStyle().Bold(true)
	Faint   = lipgloss.NewStyle().Faint(true)                         // secondary text
	Name    = lipgloss.NewStyle().Foreground(lipgloss.Cyan)           // names and keys
	Good    = lipgloss.NewStyle().Foreground(lipgloss.Green)          // passed or added
	Bad     = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true) // failed
	Removed = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Warn    = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// Look returns the style, or a plain one if the stream has no colors.
func (s *Screen) Look(style lipgloss.Style) lipgloss.Style {
	if s.Colors {
		return style
	}
	return Plain
}

// Paint styles a text of one line, if the stream shows colors.
func (s *Screen) Paint(style lipgloss.Style, text string) string {
	if text == "" {
		return ""
	}
	return s.Look(style).Render(text)
}

// Strong and the following functions style a text with the style of the same name.
func (s *Screen) Strong(text string) string { return s.Paint(Strong, text) }

// Faint styles text of minor importance.
func (s *Screen) Faint(text string) string { return s.Paint(Faint, text) }

// Name styles names and keys.
func (s *Screen) Name(text string) string { return s.Paint(Name, text) }

// Good styles text about success.
func (s *Screen) Good(text string) string { return s.Paint(Good, text) }

// Bad styles text about failure.
func (s *Screen) Bad(text string) string { return s.Paint(Bad, text) }

// Warn returns a text in the color of warnings.
func (s *Screen) Warn(text string) string { return s.Paint(Warn, text) }

// Diff colors a line of a unified view by its sign.
func (s *Screen) Diff(line string) string {
	switch {
	case strings.HasPrefix(line, "-"):
		return s.Paint(Removed, line)
	case strings.HasPrefix(line, "+"):
		return s.Good(line)
	case strings.HasPrefix(line, "  …"):
		return s.Faint(line)
	}
	return line
}

// LinkPlace returns a safe text with a link, on a terminal, from the place in a file that it names to the file.
// mcptea itself must have read the file, see [paint.LinkedPlace].
func (s *Screen) LinkPlace(text, file string, line int) string {
	if !s.linked {
		return text
	}
	return paint.LinkedPlace(text, file, line)
}

// Link returns a safe text with a link, on a terminal, to an address of [paint.FileAddress].
func (s *Screen) Link(text, address string) string {
	if !s.linked {
		return text
	}
	return paint.Linked(text, address)
}

// Line writes one line. Callers may ignore the error: the screen keeps the first one, and the program fails at
// its end.
func (s *Screen) Line(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(text) > maxPiece {
		at := maxPiece
		for at > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[at]) {
			at--
		}
		if _, err := s.put([]byte(text[:at])); err != nil {
			return err
		}
		text = text[at:]
	}
	_, err := s.put(append([]byte(text), '\n'))
	return err
}

// maxPiece bounds the part of a line that is copied at a time, in bytes: a result may be large.
const maxPiece = 1 << 20

// Beside prints untrusted text after a label, which may be colored, and indents all lines but the first. It is
// wrapped at width, unless width is 0.
func (s *Screen) Beside(label, text string, width int) { s.Line(s.Labeled(label, text, width)) }

// Labeled returns the text that [Screen.Beside] prints.
func (s *Screen) Labeled(label, text string, width int) string {
	cells := display.Width(label)
	lines := strings.Split(s.Safe(text), "\n")
	if width > 0 {
		lines = display.WrapWords(text, max(20, width-cells))
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(label+l, " ")
		label = strings.Repeat(" ", cells)
	}
	return strings.Join(lines, "\n")
}

// foreignMark starts a line of untrusted text between lines of mcptea. Such a line cannot be
// mistaken for a line of mcptea.
const foreignMark = "│ "

// Safe returns untrusted text sanitized for a message, with its line breaks, even for a pipe. On stderr each
// line after the first has a mark.
func (s *Screen) Safe(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = display.Sanitize(l)
	}
	return strings.Join(lines, "\n"+s.mark())
}

// Marked returns a line of untrusted text as a line of its own: sanitized, and with the mark.
func (s *Screen) Marked(line string) string { return foreignMark + display.Sanitize(line) }

// mark returns what begins a line of untrusted text on the stream.
func (s *Screen) mark() string {
	if s.messages {
		return foreignMark
	}
	return ""
}

// JSON returns JSON of a server for the stream: unchanged for a pipe; for a terminal,
// control and invisible characters are escaped.
func (s *Screen) JSON(text string) string {
	if !s.Terminal {
		return text
	}
	return display.EscapeJSON(text)
}

// Untrusted returns text of a server that starts a line: sanitized and wrapped for a terminal, unchanged for a
// pipe. On stderr it is sanitized, and each line has a mark.
func (s *Screen) Untrusted(text string) string {
	switch {
	case s.messages && s.Terminal:
		text = strings.Join(display.Wrap(text, max(20, s.Width-display.Width(foreignMark))), "\n")
		return foreignMark + s.Safe(text)
	case s.messages:
		return foreignMark + s.Safe(text)
	}
	return s.Wrapped(text)
}

// Wrapped returns text wrapped and sanitized for a terminal, unchanged for a pipe.
func (s *Screen) Wrapped(text string) string {
	if !s.Terminal {
		return text
	}
	return strings.Join(display.Wrap(text, s.Width), "\n")
}

// Part returns a part of a result as text: text in full, binary data as a line with
// type and size.
func (s *Screen) Part(part content.Part) string {
	switch part := part.(type) {
	case content.Heading:
		if part.Plain || part.Role == content.OfToolError {
			return ""
		}
		return s.heading(part)
	case content.Note:
		return s.Untrusted(part.Text)
	case content.Text:
		text := part.String()
		if text == "" {
			return "\n"
		}
		return s.Untrusted(text)
	case content.JSON:
		return s.Untrusted(indented(part.Raw))
	}
	return "" // images and gaps
}

// heading returns a heading in one line.
func (s *Screen) heading(h content.Heading) string {
	line := s.Faint("[" + display.Sanitize(h.Name) + "]")
	for _, f := range h.Facts {
		text := f.Text
		if f.Size != 0 {
			text = phrase.Size(f.Size.Bytes())
		}
		if text != "" {
			line += "  " + display.Sanitize(text)
		}
	}
	return line
}

// indented returns JSON with one member per line and unchanged tokens.
func indented(raw json.RawMessage) string { return jsonrpc.Indented(raw) }

// DefaultWidth is the width of text that is not printed on a terminal, in cells.
const DefaultWidth = 80
