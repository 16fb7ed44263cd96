package session

import (
	"context"
	"slices"
	"time"

	"mcptea/client"
)

// Roots returns the folders that are sent in response to roots/list. The caller
// owns the slice.
func (s *Session) Roots() []client.Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cfg.Client.Roots)
}

// SetRoots replaces the folders for this connection and later ones, and sends notifications/roots/list_changed
// if the protocol version has it. It does not wait. It reports whether there is a connection that has the folders now.
func (s *Session) SetRoots(roots []client.Root) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.Client.Roots = slices.Clone(roots)
	c := s.client
	if c == nil || s.closed() {
		return false
	}
	s.wg.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		_ = c.SetRoots(ctx, roots) // a failure to write ends the connection
	})
	return true
}
