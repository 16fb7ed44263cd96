package failure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/record/store"
	"mcptea/session/session"
)

// stderrKept is how many lines are kept, to look for the one that says most.
const stderrKept = 200

// Stderr is the end of what one attempt's server wrote to stderr.
type Stderr struct {
	Total   int            // lines of the newest process
	Lines   []string       // the newest of them, redacted
	Secrets *secret.Values // of the target

	attempt int
	begin   time.Time // of the newest process of the attempt
	first   int       // log entry with which the attempt begins
	next    int       // log entry to look at next
	seen    int       // lines on stderr among the entries before next
}

// Advance takes in what is new. Lines from before the attempt are another
// process's.
func (t *Stderr) Advance(s *session.Session, st session.State) {
	if t.attempt != st.Attempt {
		t.attempt, t.begin, t.first, t.Total, t.Lines = st.Attempt, st.Started, t.next, 0, nil
	}
	if at := st.Process.Started; at.After(t.begin) {
		// A server that was started again begins with nothing, as in the explanation.
		t.begin, t.next, t.seen, t.Total, t.Lines = at, t.first, 0, 0, nil
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
		t.Total++
		if fresh = append(fresh, l.Text); len(fresh) > 2*stderrKept {
			fresh = append(fresh[:0], fresh[len(fresh)-stderrKept:]...)
		}
	}
	// The Logs tab has the lines as they were written.
	for _, text := range fresh {
		t.Lines = append(t.Lines, secret.Text(t.Secrets.Redact(text)))
	}
	if len(t.Lines) > 2*stderrKept {
		t.Lines = append(t.Lines[:0:0], t.Last()...)
	}
}

// Last are the newest lines, at most [stderrKept].
func (t *Stderr) Last() []string { return t.Lines[max(0, len(t.Lines)-stderrKept):] }

// scan bounds the log entries that one look takes in.
const scan = 2000

// Stdout is what a server wrote to stdout that is not a message.
type Stdout struct {
	Line  string // the first one, redacted; empty without one
	Count int    // how many there are
	New   bool   // it was found since the caller has set New to false
	// Response is the newest line that is a response, but no valid one: it is no log. Nil without one.
	Response    *client.InvalidResponseError
	NewResponse bool // as New

	attempt int
	next    int // log entry to look at next
}

// Advance looks for lines in the new log entries of an attempt.
func (t *Stdout) Advance(s *session.Session, st session.State, secrets *secret.Values) {
	if t.attempt != st.Attempt {
		*t = Stdout{attempt: st.Attempt, next: t.next}
	}
	for end := min(st.Logs, t.next+scan); t.next < end; t.next++ {
		l, ok := s.Store().LogAt(t.next)
		if !ok || l.Source != store.LogStray || l.Time.Before(st.Started) {
			continue
		}
		_, text, err := s.Store().LogText(l)
		if invalid := client.InvalidResponse([]byte(text)); err == nil && invalid != nil {
			t.Response, t.NewResponse = invalid, true
			continue
		}
		if t.Count++; t.Line == "" && err == nil {
			t.Line, t.New = secret.Text(secrets.Redact(text)), true
		}
	}
}

// End says in a few words how the process of a server ended, with its last words if it
// left some.
func End(proc session.Process, words string) string {
	text := fmt.Sprintf("The server exited with code %d", proc.ExitCode)
	if proc.Signal != "" {
		text = "The server was terminated by " + proc.Signal
	}
	if words != "" {
		text += ": " + words
	}
	return strings.TrimSuffix(text, ".") + "."
}

// Exit says how a process ended that nothing else is known about.
func Exit(proc session.Process) string {
	after := phrase.Duration(proc.Exited.Sub(proc.Started))
	if proc.Signal != "" {
		return fmt.Sprintf("The server process was terminated by %s after %s.", proc.Signal, after)
	}
	return fmt.Sprintf("The server process exited with code %d after %s.", proc.ExitCode, after)
}

// Refused returns the response that made connecting fail: its request, its
// status, and its Content-Type where that was the reason.
func Refused(err error) (request, status string) {
	var both *client.FallbackError
	if errors.As(err, &both) {
		err = both.HTTP
	}
	var refused *transport.StatusError
	var content *mcphttp.ContentError
	switch {
	case errors.As(err, &refused):
		return refused.Method + " " + refused.URL, statusLine(refused.Status)
	case errors.As(err, &content):
		return content.Method + " " + content.URL, statusLine(content.Status) + "   Content-Type: " + content.ContentType
	}
	return "", ""
}

func statusLine(code int) string { return fmt.Sprintf("HTTP %d %s", code, http.StatusText(code)) }
