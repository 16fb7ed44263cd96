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
		lines := strings.Split(ansi.Wordwrap(text, s.Width, ""), "\n")
		for i := range lines[1:] {
			if s.messages && looksLikeMessage(ansi.Strip(lines[i+1])) {
				lines[i+1] = foreignMark + lines[i+1]
			}
		}
		text = strings.Join(lines, "\n")
	}
	return s.Line(text)
}

// Row writes untrusted text after an indented label, like [Screen.Prose]. On a terminal the text is wrapped at words beside the label.
func (s *Screen) Row(label, text string) error {
	label = "  " + s.Faint(label) + " "
	if s.Width == 0 {
		return s.Line(label + s.Safe(text))
	}
	return s.Line(s.Labeled(label, text, s.Width))
}

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
// sanitized, and none looks like the start of a message of mcptea.
func (s *Screen) Hint(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = display.Sanitize(l)
		if looksLikeMessage(lines[i]) {
			lines[i] = foreignMark + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}
