package failure

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/session"
)

// stderrKept is the number of kept lines, among which the most informative one is searched.
const stderrKept = 200

// Stderr holds the last output of the server of one attempt on stderr.
type Stderr struct {
	Total   int            // number of lines of the newest process
	Lines   []string       // newest lines, redacted
	Secrets *secret.Values // secrets of the target

	attempt int
	begin   time.Time // start of the newest process of the attempt
	first   int       // first log entry of the attempt
	next    int       // next log entry to read
	seen    int       // number of lines on stderr among the entries before next
}

// Advance reads new log entries. It ignores lines from before the attempt, which are from another process.
func (t *Stderr) Advance(s *session.Session, st session.State) {
	if t.attempt != st.Attempt {
		t.attempt, t.begin, t.first, t.Total, t.Lines = st.Attempt, st.Started, t.next, 0, nil
	}
	if at := st.Process.Started; at.After(t.begin) {
		// After a restart, the lines of the previous process do not count, as in the explanation.
		t.begin, t.next, t.seen, t.Total, t.Lines = at, t.first, 0, 0, nil
	}
	if t.seen == st.Stderr {
		t.next = st.Logs // a flood of log messages contains no stderr
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
	// The Logs tab has the original lines.
	for _, text := range fresh {
		t.Lines = append(t.Lines, secret.Text(t.Secrets.Redact(text)))
	}
	if len(t.Lines) > 2*stderrKept {
		t.Lines = append(t.Lines[:0:0], t.Last()...)
	}
}

// Last returns the newest lines, at most [stderrKept].
func (t *Stderr) Last() []string { return t.Lines[max(0, len(t.Lines)-stderrKept):] }

// scan bounds the log entries that one call reads.
const scan = 2000

// Stdout holds the output of a server on stdout that is not a message.
type Stdout struct {
	Line  string // first line, redacted, or ""
	Count int    // number of lines
	New   bool   // a line was found since the caller set New to false
	// Response is the newest line that is an invalid response, not a log line, or nil.
	Response    *client.InvalidResponseError
	NewResponse bool // like New, for Response

	attempt int
	next    int // next log entry to read
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

// End returns a short sentence about the end of a server process, with its last words if there are any.
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

// Exit returns a sentence about the end of a process without further evidence.
func Exit(proc session.Process) string {
	after := phrase.Duration(proc.Exited.Sub(proc.Started))
	if proc.Signal != "" {
		return fmt.Sprintf("The server process was terminated by %s after %s.", proc.Signal, after)
	}
	return fmt.Sprintf("The server process exited with code %d after %s.", proc.ExitCode, after)
}

// Refused returns the request and the status of the response that made connecting fail, with its Content-Type
// if that was the reason.
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

func statusLine(code int) string { return "HTTP " + transport.StatusText(code) }
