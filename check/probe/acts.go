package probe

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// An Act is an action of mcptea on a connection. Findings list acts next to their frames, so that
// readers do not blame the server for the consequences of an act.
type Act struct {
	Time time.Time
	What string // past tense, such as "closed stdin"
}

// maxActs bounds the acts kept per connection. The oldest are dropped.
const maxActs = 100

// act records an act of mcptea. The caller holds l.mu.
func (l *link) act(what string) {
	if l.acts = append(l.acts, Act{time.Now(), what}); len(l.acts) > maxActs {
		l.acts = l.acts[1:]
	}
}

// did is like act, but locks l.mu.
func (l *link) did(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.act(what)
}

// actsSince returns the acts since start. The caller holds l.mu.
func (l *link) actsSince(start time.Time) []Act {
	i := slices.IndexFunc(l.acts, func(a Act) bool { return !a.Time.Before(start) })
	if i < 0 {
		return nil
	}
	return slices.Clone(l.acts[i:])
}

// actOfProcess returns the act of mcptea behind a process event, or "" if the process acted by itself.
func actOfProcess(e transport.ProcessEvent) string {
	switch e.What {
	case transport.ProcessStdinClosed:
		return "closed stdin"
	case transport.ProcessSignalled:
		return "sent " + e.Signal
	}
	return ""
}

// maxLeft bounds [Summary.Left].
const maxLeft = 100

// stay records processes that still ran after the server's process group was terminated.
func (l *link) stay(left []transport.Descendant) {
	j := l.j
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, d := range left[:min(len(left), maxLeft-len(j.left))] {
		d.Argv = secret.Args(d.Argv)
		j.left = append(j.left, d)
	}
}

func (j *journal) stillRunning() []transport.Descendant {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.left
}

// actOfFrame returns the act that a sent frame implies, or "". The only such act is the refusal of
// a server request. The caller holds l.mu.
func (l *link) actOfFrame(f transport.Frame) string {
	if f.Envelope.Kind != jsonrpc.ErrorResponse || f.Sender != nil {
		return ""
	}
	return "refused a request of the server: " + short(jsonrpc.ParseError(f.Bytes, f.Envelope).Message)
}
