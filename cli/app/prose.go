package app

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// Prose writes a sentence or a summary, which is sanitized and may be styled. On a terminal its lines end at blanks. In
// a pipe its lines stay as they are, so that scripts can match them. Callers may ignore the error, as for [Screen.Line].
func (s *Screen) Prose(text string) error {
	if s.Width > 0 {
		lines := strings.Split(ansi.Wordwrap(text, s.readable(), ""), "\n")
		for i := range lines[1:] {
			if s.messages && looksLikeMessage(ansi.Strip(lines[i+1])) {
				lines[i+1] = foreignMark + lines[i+1]
			}
		}
		text = strings.Join(lines, "\n")
	}
	return s.Line(text)
}

// Row writes untrusted text after an indented label, like [Screen.Prose]. On a terminal the text is wrapped at words
// beside the label.
func (s *Screen) Row(label, text string) error {
	label = "  " + s.Faint(label) + " "
	if s.Width == 0 {
		return s.Line(label + s.Safe(text))
	}
	return s.Line(s.Labeled(label, text, s.readable()))
}

// maxReadable is the maximum width of prose: longer lines are hard to read.
const maxReadable = 100

// readable returns the width of prose on a terminal.
func (s *Screen) readable() int { return min(s.Width, maxReadable) }

// looksLikeMessage reports whether a line begins like a message of mcptea.
func looksLikeMessage(line string) bool {
	line = strings.TrimSpace(line)
	for _, begin := range []string{"mcptea:", "warning:", "note:"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// Hint returns the text of a hint, which can have several lines and may quote untrusted text. Each line is
// sanitized, and none looks like the start of a message of mcptea. On a terminal a row of two columns is wrapped in
// the second one; other lines stay whole, since they may have a command to copy.
func (s *Screen) Hint(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = display.Sanitize(line)
		if looksLikeMessage(line) {
			line = foreignMark + line
		}
		if left, right, ok := columns(line); ok && s.Width > 0 {
			line = s.Labeled(left, right, s.readable())
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// columns splits an indented line at the last run of blanks.
func columns(line string) (left, right string, ok bool) {
	at := strings.LastIndex(line, "  ")
	if at <= 0 || strings.TrimSpace(line[:at]) == "" || !strings.HasPrefix(line, "  ") {
		return "", "", false
	}
	return line[:at+2], line[at+2:], true
}
