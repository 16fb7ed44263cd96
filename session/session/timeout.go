package session

import (
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// newest returns the client of the current connection, even if it is being closed, or nil.
func (s *Session) newest() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// Extend extends the deadline of the pending request with an id or, if the id is empty, the current wait while
// connecting. It returns false if nothing is pending.
func (s *Session) Extend(id jsonrpc.ID, by time.Duration) bool {
	c := s.newest()
	if c != nil && !id.Present() {
		return c.ExtendConnecting(by)
	}
	return c != nil && c.Extend(id, by)
}

// Pending reports whether a request with an id waits for its response.
func (s *Session) Pending(id jsonrpc.ID) bool {
	c := s.newest()
	return c != nil && c.Pending(id)
}

// Deadline returns when the pending request with an id times out; false when it
// is not pending, or has no deadline at present.
func (s *Session) Deadline(id jsonrpc.ID) (time.Time, bool) {
	if c := s.newest(); c != nil {
		return c.Deadline(id)
	}
	return time.Time{}, false
}

// Unfinished returns the number of bytes received of an incomplete message of the server.
func (s *Session) Unfinished() int64 {
	if c := s.newest(); c != nil {
		return c.Unfinished()
	}
	return 0
}
