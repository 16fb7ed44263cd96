package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/client/transport/streamable"
)

// minSessionLife is how long a connection must have lasted for its expiry to be
// followed by a new one: a server that expires each session at once must not
// cause a loop.
var minSessionLife = 2 * time.Second

// renewal replaces an expired session by a new one.
type renewal struct {
	attempt int           // to connect, the number of the new connection
	done    chan struct{} // closed when connecting is over, whatever the outcome
}

// renewedReason is the value of State.Renewed for such a connection.
const renewedReason = "HTTP 404: the server no longer knows the session; mcptea started a new one"

// expired handles a session that the server no longer knows: nothing can
// be sent on this connection, and the client must start over with initialize
// (2025-03-26, transports, "Session Management").
func (s *Session) expired(err error) {
	s.mu.Lock()
	first := s.state.Phase == Ready
	if first {
		s.state.Phase, s.state.Err = Ended, err
	}
	again := first && s.cfg.Reconnect && !s.closed && time.Since(s.state.Started) >= minSessionLife
	if again {
		r := &renewal{attempt: s.state.Attempt + 1, done: make(chan struct{})}
		s.renewal = r
		s.wg.Go(func() {
			defer close(r.done)
			_ = s.RestartAfter(context.Background(), Cause{Text: "session expired"}) // the state has the outcome
		})
	}
	s.mu.Unlock()
	if again {
		s.store.Note("the session has expired (HTTP 404): starting a new one")
	}
	s.store.Notify()
}

// renewedReasonFor is what the state says of the connection that is about to be made. The
// caller holds the lock.
func (s *Session) renewedReasonFor() string {
	if r := s.renewal; r != nil && r.attempt == s.state.Attempt+1 {
		return renewedReason
	}
	return ""
}

// afterRenewal returns the client of the new session, when a request failed only
// because its session had expired: the server has not processed it. It is nil
// when there is no new session, or the request may have been processed: its
// response began and was then lost.
func (s *Session) afterRenewal(ctx context.Context, c *client.Client, err error) *client.Client {
	var lost *streamable.LostError
	if !errors.Is(err, streamable.ErrSessionExpired) || errors.As(err, &lost) {
		return nil
	}
	s.mu.Lock()
	r := s.renewal
	s.mu.Unlock()
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil
	case <-s.ending:
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client == c || s.state.Phase != Ready || s.closed {
		return nil
	}
	return s.client
}

// sendAgain resends the request of a call under a new id.
func (s *Session) sendAgain(ctx context.Context, c *client.Client, call *Call) (client.Response, error) {
	id := c.NextID()
	call.mu.Lock()
	call.last, call.resent = id, true
	call.mu.Unlock()
	s.mu.Lock()
	s.calls[id], call.ids = call, append(call.ids, id)
	s.mu.Unlock()
	s.store.Note(fmt.Sprintf("%s %s was resent as request %s: its session had expired before the server processed it", call.Method, call.ID, id))
	return s.callOrPoll(ctx, c, call, c.NewRequest(id, call.Method, call.Params))
}

// Resent reports whether the request was sent again on a new session, because
// the server had refused it with the old one. [Call.Last] has its id.
func (c *Call) Resent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resent
}
