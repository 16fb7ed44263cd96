package logs

import (
	"slices"
	"strings"

	"mcptea/session/store"
)

// minima are the severities that the list can be restricted to.
var minima = []store.Level{store.LevelNone, store.LevelInfo, store.LevelWarning, store.LevelError}

func nextMinimum(l store.Level) store.Level {
	return minima[(slices.Index(minima, l)+1)%len(minima)]
}

// severity is the level of an entry. Entries without one, such as stderr, count as
// info; text in place of a message is an error.
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
	if severity(l) < p.minimum {
		return false
	}
	if len(p.words) == 0 {
		return true
	}
	logger, text := p.log.LogText(l)
	return p.words.Match(strings.ToLower(p.source(l.Source) + "\n" + levelName(l, false) + "\n" + logger + "\n" + text))
}

// source names the origin of an entry.
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
