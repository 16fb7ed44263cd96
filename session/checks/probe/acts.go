package probe

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// Act is something that mcptea itself has done to a connection. Findings have it beside
// their frames, so that its consequence is not told as an act of the server.
type Act struct {
	Time time.Time
	What string // such as "closed stdin"
}

// maxActs bounds the acts of a connection, the newest are kept.
const maxActs = 100

// act notes what mcptea has done. The caller holds the lock of the link.
func (l *link) act(what string) {
	if l.acts = append(l.acts, Act{time.Now(), what}); len(l.acts) > maxActs {
		l.acts = l.acts[1:]
	}
}

// did is act for a caller without the lock.
func (l *link) did(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.act(what)
}

// actsSince are those since a time. The caller holds the lock of the link.
func (l *link) actsSince(start time.Time) []Act {
	i := slices.IndexFunc(l.acts, func(a Act) bool { return !a.Time.Before(start) })
	if i < 0 {
		return nil
	}
	return slices.Clone(l.acts[i:])
}

// actOfProcess is what mcptea has done to a process; empty if the process has done it.
func actOfProcess(e transport.ProcessEvent) string {
	switch e.What {
	case transport.ProcessStdinClosed:
		return "closed stdin"
	case transport.ProcessSignalled:
		return "sent " + e.Signal
	}
	return ""
}

// maxLeft bounds the processes of a run that are still running, as [Summary.Left] has them.
const maxLeft = 100

// stay notes processes that are still running although the process group of the server was
// ended.
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

// actOfFrame is what a frame of mcptea does by itself: it refuses a request of the server.
// Empty for others. The caller holds the lock of the link.
func (l *link) actOfFrame(f transport.Frame) string {
	if f.Envelope.Kind != jsonrpc.ErrorResponse || f.Sender != nil {
		return ""
	}
	return "refused a request of the server: " + short(jsonrpc.ParseError(f.Bytes, f.Envelope).Message)
}
