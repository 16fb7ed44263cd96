package explain

import (
	"fmt"
	"regexp"
	"strings"
)

// reason is why a server did not come up, as its own words tell it.
type reason struct {
	what  string // half a sentence, ours
	cause string
	try   string
	line  string // the words
}

// sign is how a reason shows in one line of what servers and their launchers
// write. In the texts, %s is what the pattern has caught, in quotation marks; in
// try it stands as it is.
type sign struct {
	pattern          func() *regexp.Regexp
	what, cause, try string
	not              func(caught string) bool // what the pattern catches by mistake
}

const (
	knownLines = 200  // so many of the newest lines are looked at
	knownReach = 4096 // so many bytes of each
	knownName  = 80   // so many bytes of what is repeated
)

// known looks for a reason in lines. The order of the signs is that of what they
// explain, not that of the lines: a warning about a version stands before the
// error that came of it.
func known(lines []string, signs []sign) (reason, bool) {
	lines = lines[max(0, len(lines)-knownLines):]
	for _, s := range signs {
		for _, line := range lines {
			line = line[:min(len(line), knownReach)]
			m := s.pattern().FindStringSubmatch(line)
			if m == nil {
				continue
			}
			caught := ""
			for _, group := range m[1:] {
				if group != "" {
					caught = group
					break
				}
			}
			if s.not == nil || !s.not(caught) {
				return reason{fill(s.what, named(caught)), fill(s.cause, named(caught)), fill(s.try, bare(caught)), line}, true
			}
		}
	}
	return reason{}, false
}

func fill(text, caught string) string {
	if !strings.Contains(text, "%s") {
		return text
	}
	return fmt.Sprintf(text, caught)
}

// named formats a caught name for a sentence: in quotation marks, unless
// it is a number or a version.
func named(caught string) string {
	if caught != "" && strings.ContainsRune("0123456789<>=^~", rune(caught[0])) {
		return bare(caught)
	}
	return quote(caught, knownName)
}

// bare is a caught name without quotation marks, when it can go without.
func bare(caught string) string {
	quoted := quote(caught, knownName)
	if plain := strings.Trim(quoted, `"`); plain == caught {
		return plain
	}
	return quoted
}

// words are the lines in which a server may have told what is wrong with it.
func (f Facts) words() []string {
	words := make([]string, 0, len(f.Stray)+len(f.stderr))
	return append(append(words, f.Stray...), f.stderr...)
}
