package watch

import (
	"context"
	"time"

	"mcptea/session/session"
)

// waitForCalls blocks until no call is running, the timeout expires, or the user calls Now. If a source changes
// first, it returns the change.
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

// countCalls updates the number of running calls in the state until it is zero.
func (l *Loop) countCalls(ctx context.Context) {
	ticker := time.NewTicker(callInterval)
	defer ticker.Stop()
	for n := l.s.Running(); n > 0; n = l.s.Running() {
		if n != l.State().Calls {
			l.set(func(s *State) { s.Calls = n })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// restart connects to the new server. A source change or the user interrupts it, except for a change that the
// server may have caused by starting: interrupting for that would leave the user without a server while the
// next restart pauses.
func (l *Loop) restart(ctx context.Context, cause session.Cause) (again *trigger) {
	l.set(func(s *State) { s.Phase, s.Calls, s.Refused = Restarting, 0, "" })
	l.cfg.Sources.restart(true)
	defer l.cfg.Sources.restart(false)
	l.starts.begin()
	if !l.s.Target().IsStdio() { // the server is started elsewhere; count changes from now on
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

// connect restarts the session. A server with a URL is started by another program, so connect waits until it is
// reachable.
func (l *Loop) connect(ctx context.Context, cause session.Cause) {
	target := l.s.Target()
	if target.IsStdio() {
		_ = l.s.RestartAfter(ctx, cause) // the session state records the outcome
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

// settle returns to the Watching phase, unless the build is broken.
func (l *Loop) settle() {
	l.set(func(s *State) {
		if s.Phase != Broken {
			s.Phase = Watching
		}
	})
}
