package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/backoff"
)

// minSessionLife is the minimum age of a connection whose expiry leads to a new one. It prevents a loop with a
// server that expires each session immediately.
var minSessionLife = 2 * time.Second

// A renewal is a connection that replaces another one without an action of the user.
type renewal struct {
	attempt int           // attempt to connect, which numbers the new connection
	reason  string        // State.Renewed of that connection
	done    chan struct{} // closed when connecting is over, whatever the outcome
}

// The values of State.Renewed.
const (
	expiredReason     = "HTTP 404: the server no longer knows the session; mcptea started a new one"
	streamEndedReason = "the event stream of the server had ended; mcptea connected again"
)

// expired handles a session that the server no longer knows: nothing can
// be sent on this connection, and the client must start over with initialize
// (2025-03-26, transports, "Session Management").
func (s *Session) expired(err error) {
	s.mu.Lock()
	first := s.state.Phase == Ready
	if first {
		s.state.Phase, s.state.Err = Ended, err
	}
	again := first && !s.closed() && s.mayRenew()
	if again {
		r := &renewal{attempt: s.state.Attempt + 1, reason: expiredReason, done: make(chan struct{})}
		s.renewal = r
		s.wg.Go(func() {
			defer close(r.done)
			_ = s.RestartAfter(context.Background(), Cause{Text: "session expired"}) // the state has the outcome
		})
	}
	s.mu.Unlock()
	if again {
		const text = "the session has expired (HTTP 404): starting a new one"
		s.store.Note(text)
		if s.cfg.Renew != nil {
			s.cfg.Renew(text)
		}
	}
	s.store.Notify()
}

// mayRenew reports whether a session that has expired is followed by a new one. A server that expires each session
// immediately must not cause a loop: for a command, each new session but the first needs a response to a request of the
// command in the session before. The caller holds the lock.
func (s *Session) mayRenew() bool {
	isOld := time.Since(s.state.Started) >= minSessionLife
	isUseful := s.renewal == nil || s.answered == s.state.Attempt
	return isOld && (s.cfg.Reconnect || s.cfg.Renew != nil) || !s.cfg.Reconnect && s.cfg.Renew != nil && isUseful
}

// keepLists keeps the lists of the expired session of a command in the new one, and reports whether it has all of them. The
// request that is sent again is then the first one of the new session.
func (s *Session) keepLists() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.Renew == nil || s.cfg.Reconnect || s.state.Renewed != expiredReason {
		return false
	}
	for _, kind := range s.cfg.Lists {
		if l := s.state.Lists[kind.Name]; l.Offered && (l.Loaded.IsZero() || l.Err != nil) {
			return false
		}
	}
	for _, kind := range s.cfg.Lists {
		if l := s.state.Lists[kind.Name]; l.Offered {
			l.Attempt = s.state.Attempt
			s.setList(kind.Name, l)
		}
	}
	return true
}

// AwaitRenewal waits until a new session has replaced an expired one, if one is about to.
func (s *Session) AwaitRenewal(ctx context.Context) {
	s.mu.Lock()
	r := s.renewal
	s.mu.Unlock()
	if r == nil {
		return
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	case <-s.life.Done():
	}
}

// renewedReasonFor returns State.Renewed for the connection that is about to be made. The caller holds s.mu.
func (s *Session) renewedReasonFor() string {
	if r := s.renewal; r != nil && r.attempt == s.state.Attempt+1 {
		return r.reason
	}
	return ""
}

// BetweenConnections are the pauses before each attempt to replace an ended connection, while the server
// is unreachable.
var BetweenConnections = backoff.Backoff{First: time.Second, Most: 30 * time.Second}

// betweenStreams is BetweenConnections for a connection whose event stream has ended; tests set it.
var betweenStreams = BetweenConnections

// reconnects reports whether a connection that has just ended is followed by another:
// the event stream of HTTP+SSE is the session, and ends when the server restarts. The
// caller holds the lock.
func (s *Session) reconnects() bool {
	return s.transport == client.TransportSSE && s.state.Err != nil && s.cfg.Reconnect && !s.closed() &&
		time.Since(s.state.Started) >= minSessionLife
}

// reconnect replaces a connection whose event stream has ended. It retries while the server is unreachable,
// unless the user reconnects first.
func (s *Session) reconnect(attempt int) {
	for pauses := (backoff.Series{Backoff: betweenStreams}); s.pause(pauses.Next(), nil); attempt++ {
		r := &renewal{attempt: attempt + 1, reason: streamEndedReason, done: make(chan struct{})}
		s.mu.Lock()
		taken := s.closed() || s.state.Attempt != attempt
		if !taken {
			s.renewal = r
		}
		s.mu.Unlock()
		if taken {
			return
		}
		err := s.RestartAfter(context.Background(), Cause{Text: "event stream ended"})
		close(r.done)
		if !mcphttp.IsUnreachable(err) {
			return // connected, or the server responds, or the session is closed
		}
		s.mu.Lock()
		s.state.Reconnects = s.state.Attempt == attempt+1 && !s.closed()
		s.mu.Unlock()
		s.store.Notify()
	}
}

// afterRenewal returns the client of the new session, when a request failed only
// because its session had expired: the server has not processed it. It is nil
// when there is no new session, or the request may have been processed: its
// response began and was then lost.
func (s *Session) afterRenewal(ctx context.Context, c *client.Client, err error) *client.Client {
	var lost *mcphttp.LostError
	if !errors.Is(err, mcphttp.ErrSessionExpired) || errors.As(err, &lost) {
		return nil
	}
	s.AwaitRenewal(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewal == nil || ctx.Err() != nil || s.client == nil || s.client == c || s.state.Phase != Ready || s.closed() {
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
	s.calls[id.Key()], call.ids = call, append(call.ids, id)
	s.mu.Unlock()
	s.store.Inform(fmt.Sprintf("%s %s was resent as request %s: its session had expired before the server processed it", call.Method, call.ID, id))
	return s.callOrPoll(ctx, c, call, c.NewRequest(id, call.Method, call.Params))
}

// Resent reports whether the request was sent again on a new session, because
// the server had refused it with the old one. [Call.Last] has its id.
func (c *Call) Resent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resent
}
