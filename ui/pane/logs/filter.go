package logs

import (
	"slices"
	"strings"

	"mcptea/session/store"
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
var steps = []store.Level{store.LevelNone, store.LevelInfo, store.LevelWarning, store.LevelError}

func nextLeast(l store.Level) store.Level {
	return steps[(slices.Index(steps, l)+1)%len(steps)]
}

// severity is the level of an entry, with a place for those that have none:
// stderr is where servers write what people may want to know, and text in the
// place of a message is a mistake.
func severity(l store.Log) store.Level {
	switch {
	case l.Source == store.LogStray:
		return store.LevelError
	case l.Level == store.LevelNone, l.Level == store.LevelUnknown:
		return store.LevelInfo
	}
	return l.Level
}

func (p *Pane) passes(l store.Log) bool {
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
func (p *Pane) source(s store.LogSource) string {
	switch {
	case s == store.LogStderr:
		return "stderr"
	case s == store.LogNote:
		return "mcptea"
	case s == store.LogStray && p.st.Process.PID == 0:
		return "http"
	case s == store.LogStray:
		return "stdout"
	}
	return "server"
}
