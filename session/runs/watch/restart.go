package watch

import (
	"context"
	"time"

	"mcptea/session/session"
)

// waitForCalls waits until no call runs, the time is over, or the user does not want to
// wait. It returns a change of the source that came first.
func (l *Loop) waitForCalls(ctx context.Context) (again *trigger) {
	if l.s.Running() == 0 {
		return nil
	}
	if l.until.IsZero() { // a later save does not extend it
		l.until = time.Now().Add(callTimeout)
	}
	l.set(func(s *State) { s.Phase, s.Calls, s.Deadline = Waiting, l.s.Running(), l.until })
	ctx, stop := context.WithDeadline(ctx, l.until)
	defer stop()
	if again = l.during(ctx, l.now, l.countCalls); again != nil && again.user {
		return nil
	}
	return again
}

// countCalls follows how many calls run, until there are none.
func (l *Loop) countCalls(ctx context.Context) {
	look := time.NewTicker(callInterval)
	defer look.Stop()
	for n := l.s.Running(); n > 0; n = l.s.Running() {
		if n != l.State().Calls {
			l.set(func(s *State) { s.Calls = n })
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// restart connects to the new server. A change of the source, or the user, ends an
// attempt that does not come to an end. A change that the server may have made itself, at once after
// its start, does not: the next restart would have to wait, without a server.
func (l *Loop) restart(ctx context.Context, cause session.Cause) (again *trigger) {
	l.set(func(s *State) { s.Phase, s.Calls, s.Refused = Restarting, 0, "" })
	l.cfg.Sources.restart(true)
	defer l.cfg.Sources.restart(false)
	l.starts.begin()
	if !l.s.Target().IsStdio() { // it starts elsewhere, and is followed for a while
		l.starts.end()
	}
	defer l.settle()
	waits := func(t *trigger) bool {
		return !t.user && l.starts.pause(l.outputs.isKnown(t.paths)) > 0 && time.Since(l.starts.at) <= startGrace
	}
	again = l.duringUnless(ctx, l.now, waits, func(ctx context.Context) {
		if l.connect(ctx, cause); ctx.Err() == nil {
			l.reached = cause.Generation
		}
	})
	if l.s.Target().IsStdio() {
		l.starts.end()
	}
	return again
}

// connect restarts the session. A server with a URL is started by another program: it
// may take a while until it can be reached.
func (l *Loop) connect(ctx context.Context, cause session.Cause) {
	target := l.s.Target()
	if target.IsStdio() {
		_ = l.s.RestartAfter(ctx, cause) // the outcome is in the state of the session
		return
	}
	reached := func() bool {
		refused := reachable(ctx, target)
		if refused != l.State().Refused {
			l.set(func(s *State) { s.Refused = refused })
		}
		return refused == ""
	}
	follow(ctx, reached, func() bool {
		if l.s.RestartAfter(ctx, cause) != nil {
			return false
		}
		l.settle()
		return true
	})
}

// settle ends a phase that has nothing to wait for.
func (l *Loop) settle() {
	l.set(func(s *State) {
		if s.Phase != Broken {
			s.Phase = Watching
		}
	})
}
