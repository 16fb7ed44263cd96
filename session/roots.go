package session

import (
	"context"
	"slices"
	"time"

	"mcptea/client"
)

// Roots are the folders that the server is told of when it asks. The caller
// owns the slice.
func (s *Session) Roots() []client.Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cfg.Client.Roots)
}

// SetRoots offers other folders, to this connection and to later ones, and
// tells the server where that is done. It returns at once; the traffic shows
// what was sent.
func (s *Session) SetRoots(roots []client.Root) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.Client.Roots = slices.Clone(roots)
	c := s.client
	if c == nil || s.closed {
		return
	}
	s.wg.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		_ = c.SetRoots(ctx, roots) // a failure to write ends the connection
	})
}
