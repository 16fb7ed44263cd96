package failure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record/stderr"
	"mcptea/record/store"
)

// A Crash describes a server process that ended during a call.
type Crash struct {
	Exit     *stdio.ExitError
	Lines    []string      // newest lines on stderr since the call was sent
	Total    int           // number of lines on stderr since the call was sent
	Source   stderr.Source // place that the stack trace names
	Lost     []string      // other requests that were pending
	LostMore bool          // Lost is incomplete
}

const (
	maxLines    = 200
	maxLost     = 8
	maxLookback = 5000 // maximum number of rows and log entries that are searched
)

// CrashedCall is the call during which the server has ended.
type CrashedCall struct {
	ID      jsonrpc.ID
	Started time.Time
	Origin  stderr.Origin       // directory and process of the server
	Redact  func(string) string // redacts the secrets of the target
}

// ReadCrash collects the traces of a crash from the first n entries of the log and from the frames of the
// newest connection.
func ReadCrash(s *store.Store, c CrashedCall, exit *stdio.ExitError, n int) *Crash {
	k := &Crash{Exit: exit}
	if s != nil {
		k.readStderr(s, c, n)
		k.readLost(s, c)
	}
	k.Source = stderr.SourceOf(k.Lines, c.Origin)
	return k
}

// readStderr collects the lines since the call was sent.
func (k *Crash) readStderr(s *store.Store, c CrashedCall, logs int) {
	for n := logs - 1; n >= max(0, logs-maxLookback); n-- {
		l, ok := s.LogAt(n)
		if !ok || l.Time.Before(c.Started) {
			break
		}
		if l.Source != store.LogStderr {
			continue
		}
		if k.Total++; len(k.Lines) < maxLines {
			k.Lines = append(k.Lines, secret.Text(c.Redact(l.Text)))
		}
	}
	slices.Reverse(k.Lines)
	k.Lines = slices.DeleteFunc(k.Lines, func(l string) bool { return strings.TrimSpace(l) == "" })
}

// readLost lists the other requests of the connection that got no response.
func (k *Crash) readLost(s *store.Store, c CrashedCall) {
	conn, rows := s.Conn(), int32(s.Snapshot().Rows)
	for i := rows - 1; i >= max(0, rows-maxLookback); i-- {
		row, ok := s.Row(i)
		if !ok || row.Conn != conn {
			break
		}
		if row.Dir != transport.Out || row.Kind != jsonrpc.Request || row.Flags&store.Abandoned == 0 || revision.Lasts(s.Method(row.Method)) {
			continue // a subscription waits for no response
		}
		head, err := s.Head(i, 4<<10)
		if err != nil {
			continue
		}
		id := jsonrpc.Scan(head).ID.Of(head)
		if id.Is(c.ID) {
			continue
		}
		if len(k.Lost) == maxLost {
			k.LostMore = true
			break
		}
		k.Lost = append(k.Lost, strings.TrimSpace(string(id.Shown())+" "+s.Method(row.Method)+" "+jsonrpc.Text(head, "params", "name")))
	}
	slices.Reverse(k.Lost)
}

// Sentence returns a sentence about the crash.
func (k *Crash) Sentence() string {
	text := "The server crashed during this call"
	if k.Exit.Signal == "" && k.Exit.Code == 0 {
		text = "The server exited during this call"
	}
	cause := k.Decisive()
	for _, prefix := range []string{"panic: ", "runtime error: ", "Uncaught ", "fatal error: "} { // prefixes that every crash has
		cause = strings.TrimPrefix(cause, prefix)
	}
	if cause != "" {
		text += ": " + strings.TrimSuffix(cause, ".")
	}
	if k.Exit.Signal != "" {
		return text + ". Terminated by " + k.Exit.Signal + "."
	}
	return fmt.Sprintf("%s. Exit code %d.", text, k.Exit.Code)
}

// Decisive returns the line that explains the crash, or "".
func (k *Crash) Decisive() string { return stderr.Decisive(k.Lines) }

// Excerpt returns n informative lines: the last ones, or the ones from the decisive line on, if that came
// earlier.
func (k *Crash) Excerpt(n int) []string {
	lines := stderr.Fit(k.Lines, n)
	if len(lines) <= n {
		return lines
	}
	first, decisive := len(lines)-n, k.Decisive()
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == decisive }); i >= 0 && i < first {
		first = i
	}
	return lines[first : first+n]
}
