// Package stderr reads what a server wrote before it ended: which of its lines
// says why, and which place in a source file they name.
package stderr

import (
	"strings"

	"mcptea/internal/lazyregexp"
)

const (
	maxLines = 200  // so many of the newest lines are read
	maxLine  = 4096 // so many bytes of each
)

var (
	errorLine = lazyregexp.New(`(?i)^\W*(?:[\w.]*(?:error|exception)\b|fatal|panic|critical|e:)|\b(?:error|fatal|panic)\b[^:]{0,20}:|\berr!`)
	// noise is what stands around an error: stack frames, closing brackets, hints
	// at log files.
	noise = lazyregexp.New(`^\s*$|^\s+at |^\s*File "|^Node\.js v|^[\s\]})\^~;",]+$|A complete log of this run|^npm (?:error|ERR!)\s*(?:\d+)?\s*$|^goroutine \d|^created by |^[\w./()*\[\]·]+\([^)]*\)$|^\s*code: '|^\w{2,6}\s+0x[0-9a-f]+$|^\t`)
)

// Decisive is the line that most likely says why a server ended: the last that is an error
// by its form, or else the last that a program wrote under its name, or else the last that
// is text; empty without one. Source code that a runtime shows is no text of the server.
func Decisive(lines []string) string {
	lines = lines[max(0, len(lines)-maxLines):]
	best, found := Other, -1
	for i, l := range Read(lines) {
		f := l.Form
		switch {
		case f == Other:
			continue
		case f == Plain && errorLine().MatchString(l.Text), f == Named && errorLine().MatchString(l.Text):
			f = Error
		case f < Plain:
			f = Info
		}
		if f >= best {
			best, found = f, i
		}
	}
	if found < 0 {
		return ""
	}
	return strings.TrimSpace(lines[found][:min(len(lines[found]), maxLine)])
}

// IsReport reports whether a line states an error, by its form: whether its writer "reports"
// it, and did not only write it last.
func IsReport(line string) bool {
	l := parse(line)
	return l.Form >= Named || l.Form == Plain && errorLine().MatchString(l.Text)
}

// FormOf is the form of a line by itself, without the lines around it.
func FormOf(line string) Form { return Read([]string{line})[0].Form }
