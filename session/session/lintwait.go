package session

import (
	"context"
	"errors"
)

var (
	errNotLinted = errors.New("the frames of the session are not checked")
	errLintEnded = errors.New("the session has ended before all of its frames were checked")
)

// AwaitLint waits until the linter has checked everything that was recorded before the call.
// [Session.Findings] then includes the results. The linter does not pause while a caller waits. The error
// is the error of the context, or describes why a part was not checked; it must not be taken for "no
// findings".
func (s *Session) AwaitLint(ctx context.Context) error {
	l := s.linter
	if l == nil {
		return errNotLinted
	}
	checked := l.await()
	select {
	case err := <-checked:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await returns a channel that gets nil when everything recorded so far is checked, or the reason
// why it was not.
func (l *linter) await() <-chan error {
	checked := make(chan error, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil {
		checked <- l.over.err
		return checked
	}
	l.waiting = append(l.waiting, checked)
	select {
	case l.wake <- struct{}{}:
	default: // the linter has already been woken
	}
	return checked
}

// takeCallers returns the callers that are waiting. The linter will read everything that was
// recorded before their calls.
func (l *linter) takeCallers() []chan error {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.waiting
	l.waiting = nil
	return taken
}

// lintEnd is the end of a linter: err is nil if everything was checked.
type lintEnd struct{ err error }

// end releases all callers, including later ones.
func (l *linter) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = &lintEnd{err}
	release(l.waiting, err)
	l.waiting = nil
}
