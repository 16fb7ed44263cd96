package store

import (
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record/flow"
)

// A LogSource is the origin of a log entry.
type LogSource uint8

// The sources.
const (
	LogServer LogSource = iota // notifications/message
	LogStderr
	LogStray // bytes on stdout that are not a message
	LogNote  // a decision of mcptea; see [Store.Note]
)

// Level is a log level of MCP (specification, server / utilities / logging),
// in the order of severity.
type Level uint8

// The levels. LevelNone is for stderr, which has no level. LevelUnknown is for a message whose level is not an
// MCP level.
const (
	LevelNone Level = iota
	LevelUnknown
	LevelDebug
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
)

var levelNames = sync.OnceValue(func() []string { return append([]string{"", "?"}, revision.Levels()...) })

// String returns the name on the wire.
func (l Level) String() string { return levelNames()[l] }

func levelOf(token []byte) Level {
	if len(token) > 2 {
		i := slices.Index(levelNames(), string(token[1:len(token)-1]))
		if i >= int(LevelDebug) {
			return Level(i)
		}
	}
	return LevelUnknown
}

// Log is one entry of the log. The text of a frame is in the store, in the row. The text of a
// stderr line or a note is in the Log, at most 4 KiB.
type Log struct {
	Time   time.Time
	Source LogSource
	Level  Level
	Row    int32 // row of the frame, or -1 for stderr
	Text   string
}

const (
	logTextSize = 4 << 10
	maxLogs     = 20000 // the recording has all entries
	maxLogBytes = 16 << 20
)

// logs holds the newest entries of the log.
type logs struct {
	entries []Log
	total   int // number of lines in all
	stderr  int
	first   int // index of the oldest kept entry
	size    int // bytes of the kept texts
}

func (r *logs) at(n int) *Log { return &r.entries[n%maxLogs] }

// logText returns a copy of the start of a text. The text may be much longer.
func logText(text string) string {
	if len(text) <= logTextSize {
		return text
	}
	return strings.Clone(text[:logTextSize])
}

func (r *logs) add(l Log) {
	if r.total-r.first == maxLogs {
		r.drop()
	}
	if len(r.entries) < maxLogs {
		r.entries = append(r.entries, l)
	} else {
		*r.at(r.total) = l
	}
	r.total++
	if l.Source == LogStderr {
		r.stderr++
	}
	for r.size += len(l.Text); r.size > maxLogBytes; {
		r.drop()
	}
}

// drop removes the oldest entry.
func (r *logs) drop() {
	oldest := r.at(r.first)
	r.size -= len(oldest.Text)
	oldest.Text = ""
	r.first++
}

// logMessage adds a message of the server to the log: a log message, or bytes on stdout that
// are not messages. The caller holds the lock.
func (s *Store) logMessage(row *Row, m *flow.Message) {
	e := &m.Envelope
	isLog := row.Method == methodLog || row.Kind == jsonrpc.Batch && e.HasMethod(m.Bytes, logMethod)
	switch {
	case isLog && e.Kind == jsonrpc.Notification:
		level, _ := jsonrpc.Member(e.Params.Of(m.Bytes), "level")
		s.logs.add(Log{Time: m.Time, Source: LogServer, Level: levelOf(level), Row: m.Row})
	case row.Kind == jsonrpc.Invalid && e.Fault != jsonrpc.FaultEmpty:
		s.logs.add(Log{Time: m.Time, Source: LogStray, Level: LevelWarning, Row: m.Row})
	}
}

// Logs returns the number of log entries, and the number of stderr lines among them.
func (s *Store) Logs() (total, stderr int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.logs.total, s.logs.stderr
}

// LogAt returns the n-th entry since the beginning. ok is false if there is no such entry yet, or
// if it is no longer in memory.
func (s *Store) LogAt(n int) (Log, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &s.logs
	if n < r.first || n >= r.total {
		return Log{}, false
	}
	return *r.at(n), true
}

// LogText returns the text of an entry: the data of a log message with its logger, the stray bytes,
// or the line of stderr. The text comes from the server, so it must be sanitized before it is
// drawn. The error is an error of [Store.Head].
func (s *Store) LogText(l Log) (logger, text string, err error) {
	if l.Source == LogStderr || l.Source == LogNote {
		return "", l.Text, nil
	}
	frame, err := s.Head(l.Row, 64<<10)
	if err != nil {
		return "", "", err
	}
	if l.Source == LogStray {
		return "", string(frame), nil
	}
	params, _ := jsonrpc.Member(frame, "params")
	v, _ := jsonrpc.Member(params, "logger")
	logger, _ = jsonrpc.Unquote(v)
	data, ok := jsonrpc.Member(params, "data")
	if !ok {
		return logger, string(frame), nil
	}
	if text, ok := jsonrpc.Unquote(data); ok {
		return logger, text, nil
	}
	return logger, string(data), nil
}
