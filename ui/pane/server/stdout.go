package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/stderr"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// strayWait is how long connecting takes before lines on stdout are shown.
const strayWait = time.Second

// strayScan bounds the log entries that one refresh looks at.
const strayScan = 2000

// stray is what a server wrote to stdout that is not a message.
type stray struct {
	attempt int
	next    int    // log entry to look at next
	line    string // the first one, redacted; empty without one
	count   int    // how many there are
	news    bool   // it was found and [Pane.News] has not told
}

// advance looks for lines in the new log entries of an attempt.
func (t *stray) advance(s Session, st session.State, secrets *secret.Values) {
	if t.attempt != st.Attempt {
		*t = stray{attempt: st.Attempt, next: t.next}
	}
	for end := min(st.Logs, t.next+strayScan); t.next < end; t.next++ {
		l, ok := s.Store().LogAt(t.next)
		if !ok || l.Source != store.LogStray || l.Time.Before(st.Started) {
			continue
		}
		if t.count++; t.line == "" {
			_, text := s.Store().LogText(l)
			t.line, t.news = secret.Text(secrets.Redact(text)), true
		}
	}
}

// News is a sentence about a server that ended while no call shows that, or about a
// line on stdout that is not a message, each once for each connection; empty without
// one.
func (p *Pane) News() string {
	if p.st.Phase == session.Ended && p.endTold != p.st.Attempt && p.st.Err != nil && !p.st.Process.Expected {
		p.endTold = p.st.Attempt
		if p.why.Idle || p.st.Process.Exited.IsZero() {
			return p.end()
		}
	}
	if !p.onStdout.news || p.st.Phase != session.Ready {
		return ""
	}
	p.onStdout.news = false
	return "Not JSON-RPC on stdout: " + quoted(p.onStdout.line, 21) + ". Log to stderr."
}

// end says in a few words how the connection ended.
func (p *Pane) end() string {
	proc := p.st.Process
	if proc.Exited.IsZero() {
		return p.why.Sentence
	}
	text := fmt.Sprintf("The server exited with code %d", proc.ExitCode)
	if proc.Signal != "" {
		text = "The server was terminated by " + proc.Signal
	}
	if words := stderr.Decisive(p.stderr.last(stderrKept)); words != "" {
		text += ": " + paint.Cut(paint.Sanitize(words), 60)
	}
	return strings.TrimSuffix(text, ".") + "."
}

func quoted(line string, w int) string {
	return strconv.Quote(paint.Cut(paint.Sanitize(line), w))
}

// strayLine says that the server writes to stdout, and what to do.
func (p *Pane) strayLine(s *sheet) {
	if p.onStdout.line == "" {
		return
	}
	what := " The server wrote a line to stdout that is not a message:"
	if n := p.onStdout.count; n > 1 {
		what = " The server wrote " + paint.HumanCount(n) + " lines to stdout that are not messages:"
	}
	s.text(s.pal.WarnBold, s.pal.WarnMark+what)
	s.text(s.pal.Warn, "  "+quoted(p.onStdout.line, max(s.w-4, 8)))
	s.remedy("", "Write logs and banners to stderr. Other clients may refuse to connect.")
	s.blank()
}
