package session

import (
	"context"
	"errors"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
)

// diagnosed returns the error of a failed connection attempt. If a stdio server has sent nothing, not even when
// its stdin was closed, diagnosed first tries it again with another framing and notes that.
func (s *Session) diagnosed(ctx context.Context, start time.Time, failed error) error {
	timeout, waited := errors.AsType[*client.TimeoutError](failed)
	_, unexpected := errors.AsType[*client.NoResponseError](failed)
	t := s.Target()
	if !waited || unexpected || !t.IsStdio() || t.Shared != nil || s.cfg.Dial != nil || ctx.Err() != nil ||
		timeout.Stdin != nil && timeout.Stdin.Unread > 0 || s.hasSpoken(start) {
		return failed
	}
	err, answered := client.DiagnoseFraming(ctx, t, s.clientConfig(), failed)
	if !answered {
		s.note("the server was silent: it was started once more and sent initialize in the framing of language servers (Content-Length), and no message came back")
	} else {
		s.note("the server was silent: it was started once more and sent initialize in the framing of language servers (Content-Length), and responded to that")
	}
	s.mu.Lock()
	s.state.Err = err
	s.mu.Unlock()
	s.store.Notify()
	return err
}

// hasSpoken reports whether the server has written anything to stdout since a time.
func (s *Session) hasSpoken(since time.Time) bool {
	for i := s.store.Snapshot().Rows - 1; i >= 0; i-- {
		r, ok := s.store.Row(int32(i))
		if !ok || r.Time < since.UnixNano() {
			return false
		}
		if r.Dir == transport.In && r.IsFrame() {
			return true
		}
	}
	return false
}
