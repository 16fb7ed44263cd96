package logs

import (
	"slices"
	"strings"

	"mcptea/session"
)

// words are what an entry must have, and with a dash in front must not have,
// in its text, its logger, its source or its level. All are in lower case.
type words []string

func parseWords(text string) words { return strings.Fields(strings.ToLower(text)) }

func (w words) same(o words) bool { return slices.Equal(w, o) }

// match looks at an entry written out in lower case.
func (w words) match(entry string) bool {
	for _, word := range w {
		rest, not := strings.CutPrefix(word, "-")
		if not && rest == "" {
			continue // somebody who has only typed the dash
		}
		if strings.Contains(entry, rest) == not {
			return false
		}
	}
	return true
}

// steps are the severities that the list can be restricted to.
var steps = []session.Level{session.LevelNone, session.LevelInfo, session.LevelWarning, session.LevelError}

func nextLeast(l session.Level) session.Level {
	return steps[(slices.Index(steps, l)+1)%len(steps)]
}

// severity is the level of an entry, with a place for those that have none:
// stderr is where servers write what people may want to know.
func severity(l session.Log) session.Level {
	switch l.Level {
	case session.LevelNone, session.LevelUnknown:
		return session.LevelInfo
	}
	return l.Level
}

func (p *Pane) passes(l session.Log) bool {
	if severity(l) < p.least {
		return false
	}
	if len(p.words) == 0 {
		return true
	}
	logger, text := p.s.LogText(l)
	return p.words.match(strings.ToLower(sourceName(l.Source) + "\n" + l.Level.String() + "\n" + logger + "\n" + text))
}

func sourceName(s session.LogSource) string {
	switch s {
	case session.LogStderr:
		return "stderr"
	case session.LogStray:
		return "stdout"
	}
	return "server"
}
