package logs

import (
	"maps"
	"slices"

	"mcptea/record/filter"
	"mcptea/record/store"
)

// severity returns the level of an entry. Entries without one, such as stderr, count as info; text instead of a
// message is an error.
func severity(l store.Log) store.Level {
	switch {
	case l.Source == store.LogStray:
		return store.LevelError
	case l.Level == store.LevelNone, l.Level == store.LevelUnknown:
		return store.LevelInfo
	}
	return l.Level
}

func (p *Pane) passes(n int, match func(*filter.Frame) bool) bool {
	l, ok := p.log.LogAt(n)
	return ok && match(p.frameOf(l))
}

// frameOf returns the frame that the filter examines.
func (p *Pane) frameOf(l store.Log) *filter.Frame {
	logger, text, _ := p.log.LogText(l) // without its text it is found by the rest
	level := severity(l)
	newest, _ := p.log.LogAt(p.st.Logs - 1)
	return &filter.Frame{
		Row: &store.Row{Time: l.Time.UnixNano()}, Newest: newest.Time.UnixNano(), From: p.source(l.Source), Log: func() (store.Level, string) { return level, logger },
		Body: func() []byte {
			return []byte(p.source(l.Source) + "\n" + levelName(l) + "\n" + logger + "\n" + text)
		},
	}
}

// maxRecent is the number of newest entries searched for loggers.
const maxRecent = 500

// values returns the values of a property in the newest entries.
func (p *Pane) values(property string) []string {
	seen := map[string]bool{}
	for i := max(p.first, p.st.Logs-maxRecent); i < p.st.Logs && property == "logger"; i++ {
		if e, ok := p.entry(i); ok && e.logger != "" {
			seen[e.logger] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
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
