package server

import (
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/store"
)

const (
	stderrKept   = 200 // lines kept, to look for the one that says most
	stderrFailed = 24  // lines shown of a server that did not come up
	stderrShown  = 8
)

// tail is the end of what one attempt's server wrote to stderr.
type tail struct {
	attempt int
	begin   time.Time // of the newest process of the attempt
	first   int       // log entry with which the attempt begins
	next    int       // log entry to look at next
	seen    int       // lines on stderr among the entries before next
	total   int
	lines   []string
	secrets *secret.Values // of the target
}

// advance takes in what is new. Lines from before the attempt are another
// process's.
func (t *tail) advance(s Session, st session.State) {
	if t.attempt != st.Attempt {
		t.attempt, t.begin, t.first, t.total, t.lines = st.Attempt, st.Started, t.next, 0, nil
	}
	if at := st.Process.Started; at.After(t.begin) {
		// A server that was started again begins with nothing, as in the explanation.
		t.begin, t.next, t.seen, t.total, t.lines = at, t.first, 0, 0, nil
	}
	if t.seen == st.Stderr {
		t.next = st.Logs // a flood of log messages has nothing for us
		return
	}
	t.seen = st.Stderr
	var fresh []string
	for ; t.next < st.Logs; t.next++ {
		l, ok := s.Store().LogAt(t.next)
		if !ok || l.Source != store.LogStderr || l.Time.Before(t.begin) {
			continue
		}
		t.total++
		if fresh = append(fresh, l.Text); len(fresh) > 2*stderrKept {
			fresh = append(fresh[:0], fresh[len(fresh)-stderrKept:]...)
		}
	}
	// The Logs tab has the lines as they were written.
	for _, text := range fresh {
		t.lines = append(t.lines, secret.Text(t.secrets.Redact(text)))
	}
	if len(t.lines) > 2*stderrKept {
		t.lines = append(t.lines[:0:0], t.last(stderrKept)...)
	}
}

func (t *tail) last(n int) []string { return t.lines[max(0, len(t.lines)-n):] }

// stderrReady writes the newest lines of a server that runs; those of one that
// has ended are evidence.
func (p *Pane) stderrReady(s *sheet) {
	if p.st.Phase != session.Ended {
		p.stderrTail(s, stderrShown)
	}
}

// stderrTail writes the newest lines. What looks like the reason stands out.
func (p *Pane) stderrTail(s *sheet, most int) {
	e := p.stderrPart()
	if e.name == "" {
		return
	}
	if s.lines > 0 {
		s.blank()
	}
	for _, row := range e.rows(s, most) {
		s.line(row)
	}
}

// looksWrong recognises the lines that people look for on stderr. Frames of a
// stack trace, which mention errors all the time, are not among them.
func looksWrong(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	if strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "file \"") {
		return false
	}
	for _, sign := range []string{
		"error:", "error [", "[error]", "error ", "level=error", "err]", "exception", "traceback", "fatal", "panic:",
		"cannot ", "could not ", "failed", "not found", "no such ", "permission denied", "refused", "unhandled", "address already in use",
	} {
		if strings.Contains(line, sign) {
			return true
		}
	}
	return false
}
