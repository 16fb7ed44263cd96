package server

import (
	"strconv"

	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// strayScan bounds the log entries that one refresh looks at.
const strayScan = 2000

// stray is what a server wrote to stdout that is not a message.
type stray struct {
	attempt int
	next    int    // log entry to look at next
	line    string // the first one, redacted; empty without one
	news    bool   // it was found and [Pane.News] has not told
}

// advance looks for the first line in the new log entries of an attempt.
func (t *stray) advance(s Session, st session.State, secrets *secret.Values) {
	if t.attempt != st.Attempt {
		*t = stray{attempt: st.Attempt, next: t.next}
	}
	if t.line != "" {
		t.next = st.Logs
		return
	}
	for end := min(st.Logs, t.next+strayScan); t.next < end; t.next++ {
		l, ok := s.Store().LogAt(t.next)
		if !ok || l.Source != store.LogStray || l.Time.Before(st.Started) {
			continue
		}
		_, text := s.Store().LogText(l)
		t.line, t.news = secret.Text(secrets.Redact(text)), true
		return
	}
}

// News is a sentence about a line on stdout that is not a message, once for each
// connection; empty without one.
func (p *Pane) News() string {
	if !p.onStdout.news || p.st.Phase != session.Ready {
		return ""
	}
	p.onStdout.news = false
	return "Not JSON-RPC on stdout: " + quoted(p.onStdout.line, 21) + ". Log to stderr."
}

func quoted(line string, w int) string {
	return strconv.Quote(paint.Cut(paint.Sanitize(line), w))
}

// strayLine says that the server writes to stdout, and what to do.
func (p *Pane) strayLine(s *sheet) {
	if p.onStdout.line == "" {
		return
	}
	s.text(s.pal.WarnBold, s.pal.WarnMark+" The server wrote to stdout, which is only for JSON-RPC messages:")
	s.text(s.pal.Warn, "  "+quoted(p.onStdout.line, max(s.w-4, 8)))
	s.remedy("", "Write logs and banners to stderr. Other clients may refuse to connect.")
	s.blank()
}
