package session

import (
	"time"

	"mcptea/client/jsonrpc"
)

// Extend gives the pending request with an id more time, or, with an empty id,
// the running wait of connecting. It returns false when nothing is pending.
func (s *Session) Extend(id jsonrpc.ID, by time.Duration) bool {
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c == nil {
		return false
	}
	if id == "" {
		return c.ExtendConnecting(by)
	}
	return c.Extend(id, by)
}

// Deadline returns when the pending request with an id times out; false when it
// is not pending, or has no deadline at present.
func (s *Session) Deadline(id jsonrpc.ID) (time.Time, bool) {
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c == nil {
		return time.Time{}, false
	}
	return c.Deadline(id)
}
