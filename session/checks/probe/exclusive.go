package probe

import (
	"context"
	"sync"
	"time"
)

// exclusivity is whether a process of the server ends when another one starts, as that of a
// server which takes a port or a lock over from the process before.
type exclusivity = int32

const (
	notTried exclusivity = iota
	shares
	endsOthers
)

// exclusiveRounds is how often a process has to end at the start of another one, and
// exclusiveTries how often a process is started that another probe's may have ended.
const (
	exclusiveRounds = 2
	exclusiveTries  = 8
)

// becauseExclusive is why nothing can be concluded from an end.
var becauseExclusive = &Because{Cause: "a new process ends the one before", Why: "each new process of the server ends the one before"}

// becauseLone is why a probe with processes of its own says nothing; detail follows the sentence.
func becauseLone(detail string) *Because {
	return &Because{Probe: ownsProcesses, Cause: "a second process does not start", Why: "a second process of the server does not start beside the first" + detail}
}

// EndsOthers reports a server whose process ends when another one starts. Then no frame
// ends it: probes run beside each other, each with processes of its own. It is tried once
// in a run, at the first end of a process.
func (r *Run) EndsOthers() bool {
	g := &r.runner.starts
	if r.runner.cfg.Target.URL != "" || !g.close(r.ctx, func() bool { return r.runner.exclusive.Load() != notTried }) {
		return r.runner.exclusive.Load() == endsOthers
	}
	defer g.open()
	is := shares
	if r.endsOthers() {
		is = endsOthers
	}
	if r.ctx.Err() == nil {
		r.runner.exclusive.Store(is)
	}
	return is == endsOthers
}

func (r *Run) endsOthers() bool {
	rounds, failed := 0, 0
	for range exclusiveTries {
		first, second := &Conn{r: r.runner, tries: true}, &Conn{r: r.runner, tries: true}
		defer r.abandon(first, second)
		if r.runner.restarted() != nil {
			return false
		}
		if r.runner.starters.waits() {
			if l := r.runner.spare(r.Capabilities(), true); l != nil {
				first.over(l) // one that has started already
			}
		}
		if first.connect(r.ctx) != nil { // as below, or none starts any more
			if failed++; failed == exclusiveRounds {
				return false
			}
			continue
		}
		l := first.link()
		r.wait(r.runner.quietTime())
		if !l.alive() { // a process whose start had begun has ended it, or it ends by itself
			continue
		}
		if r.runner.restarted() != nil {
			return false
		}
		if second.connect(r.ctx) == nil { // else it may wait for what the first one holds
			r.wait(r.runner.quietTime())
		}
		if l.alive() { // nothing was sent to it meanwhile
			return false
		}
		if rounds++; rounds == exclusiveRounds {
			return true
		}
	}
	return false
}

// startsBeside is the control of an end during the start of a process: another one, which
// gets nothing but a handshake. A server at a URL has one process.
func (r *Run) startsBeside() bool {
	if r.runner.cfg.Target.URL != "" {
		return true
	}
	plain := &Conn{r: r.runner}
	defer r.abandon(plain)
	return r.runner.restarted() == nil && plain.connect(r.ctx) == nil && plain.link().alive()
}

// abandon closes connections without waiting; the run does at its end.
func (r *Run) abandon(all ...*Conn) {
	ctx := context.WithoutCancel(r.ctx)
	for _, c := range all {
		r.runner.closing.Go(func() { c.close(ctx) })
	}
}

// gate holds the starts of processes back while it is closed. Its zero value is open. A
// mutex would not do: it is held while time passes.
type gate struct {
	mu     sync.Mutex
	closed chan struct{} // nil while it is open, closed when it opens
}

// pass waits until the gate is open.
func (g *gate) pass(ctx context.Context) {
	for {
		g.mu.Lock()
		closed := g.closed
		g.mu.Unlock()
		if closed == nil {
			return
		}
		select {
		case <-closed:
		case <-ctx.Done():
			return
		}
	}
}

// close closes the gate, unless what it would be closed for is done.
func (g *gate) close(ctx context.Context, done func() bool) bool {
	for ctx.Err() == nil {
		g.pass(ctx)
		if done() {
			return false
		}
		g.mu.Lock()
		isMine := g.closed == nil
		if isMine {
			g.closed = make(chan struct{})
		}
		g.mu.Unlock()
		if isMine {
			return true
		}
	}
	return false
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.closed)
	g.closed = nil
}

// wait is Sleep also for a probe that has ended.
func (r *Run) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.ctx.Done():
	}
}
