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

// Decisive is the line that most likely says why a server ended: the last that
// looks like an error, or else the last that is not noise; empty when all is.
func Decisive(lines []string) string {
	last, wrong := "", ""
	for _, l := range lines[max(0, len(lines)-maxLines):] {
		l = l[:min(len(l), maxLine)]
		switch {
		case noise().MatchString(l):
		case errorLine().MatchString(l):
			wrong = l
			fallthrough
		default:
			last = l
		}
	}
	if wrong != "" {
		return strings.TrimSpace(wrong)
	}
	return strings.TrimSpace(last)
}
