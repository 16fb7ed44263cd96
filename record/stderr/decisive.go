// Package stderr interprets the last output of a server before it ended: the line that gives the reason, and
// the place in a source file that it names.
package stderr

import (
	"slices"
	"strings"
	"unicode"

	"mcptea/internal/lazyregexp"
)

const (
	maxLines = 200  // number of newest lines that are read
	maxLine  = 4096 // maximum number of bytes of each line
)

var (
	errorLine = lazyregexp.New(`(?i)^\W*(?:[\w.]*(?:error|exception)\b|fatal|panic|critical|e:)|\b(?:error|fatal|panic)\b[^:]{0,20}:|\berr!`)
	// noise matches lines around an error that explain nothing: stack frames, closing brackets, hints at log
	// files.
	noise = lazyregexp.New(`^\s*$|^\s+at |^\s*File "|^Node\.js v|^[\s\]})\^~;",]+$|A complete log of this run|^npm (?:error|ERR!)\s*(?:\d+)?\s*$|^goroutine \d|^created by |^[\w./()*\[\]·]+\([^)]*\)$|^\s*code: '|^\w{2,6}\s+0x[0-9a-f]+$|^\t`)
)

// Decisive returns the line that most likely says why a server ended: the last that is an error
// by its form, or else the last that a program wrote under its name, or else the last that is
// text, or empty. Source code that a runtime shows is not text of the server.
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

// maxAdvice is the number of lines after an error that are searched for advice about it.
const maxAdvice = 12

// Advice returns the advice in the lines after an error, or "".
func Advice(lines []string) string {
	lines = lines[:min(len(lines), maxAdvice)]
	read := Read(lines)
	for i, l := range read {
		switch text := strings.TrimLeft(strings.TrimSpace(l.Text), bullets); {
		case adviceHeading().MatchString(l.Text):
			for _, next := range read[i+1:] {
				if text := strings.TrimSpace(next.Text); text != "" {
					return text
				}
			}
		case advice().MatchString(text), runAdvice().MatchString(text):
			return text
		}
	}
	return ""
}

// runAdvice begins a line that names a command to run.
var runAdvice = lazyregexp.New("(?i)^(?:please |first,? )?(?:re-?)?run:? +[`'\"\\w./]")

// IsReport reports whether a line states an error, by its form: whether its writer "reports"
// it, and did not only write it last.
func IsReport(line string) bool {
	l := Read([]string{line})[0]
	return l.Form >= Named || l.Form == Plain && errorLine().MatchString(l.Text)
}

// MessageOf returns a line for use in a sentence: of a logger's JSON only its message and error. It returns
// other lines unchanged.
func MessageOf(line string) string {
	if l := parse(line); strings.HasPrefix(l.Text, "{") && l.Message != "" {
		return l.Message
	}
	return line
}

// FormOf returns the form of a line by itself, without the lines around it.
func FormOf(line string) Form { return Read([]string{line})[0].Form }

// Fit removes lines without a letter or a digit, such as closing brackets, from the end, while there are more
// than n lines.
func Fit(lines []string, n int) []string {
	lines = slices.Clone(lines)
	for i := len(lines) - 1; i >= 0 && len(lines) > n; i-- {
		if !strings.ContainsFunc(lines[i], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			lines = slices.Delete(lines, i, i+1)
		}
	}
	return lines
}

// maxWhole bounds the lines of a value that a line begins.
const maxWhole = 40

// Whole returns a line of lines. If the line ends with an opening bracket, Whole appends the following lines up
// to the closing one: they describe the failure.
func Whole(lines []string, line string) string {
	text := strings.TrimSpace(line)
	at := slices.Index(lines, line)
	if at < 0 || !strings.HasSuffix(text, "[") && !strings.HasSuffix(text, "{") {
		return line
	}
	depth := 0
	whole := []string{}
	for _, next := range lines[at:min(at+maxWhole, len(lines))] {
		next = strings.TrimSpace(next)
		whole = append(whole, next)
		depth += strings.Count(next, "[") + strings.Count(next, "{") - strings.Count(next, "]") - strings.Count(next, "}")
		if depth <= 0 {
			return strings.Join(whole, " ")
		}
	}
	return line // the value does not end within maxWhole lines
}
