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
// stderr is where servers write what people may want to know, and text in the
// place of a message is a mistake.
func severity(l session.Log) session.Level {
	switch {
	case l.Source == session.LogStray:
		return session.LevelError
	case l.Level == session.LevelNone, l.Level == session.LevelUnknown:
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
	return p.words.match(strings.ToLower(p.source(l.Source) + "\n" + levelName(l, false) + "\n" + logger + "\n" + text))
}

// source names where an entry comes from.
func (p *Pane) source(s session.LogSource) string {
	switch {
	case s == session.LogStderr:
		return "stderr"
	case s == session.LogNote:
		return "mcptea"
	case s == session.LogStray && p.st.Process.PID == 0:
		return "http"
	case s == session.LogStray:
		return "stdout"
	}
	return "server"
}
