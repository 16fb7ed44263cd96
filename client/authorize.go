package client

import (
	"context"
	"sync"
	"time"

	"mcptea/client/transport"
)

// pausingAuthorization suspends the timeouts of requests while it waits for the
// user.
type pausingAuthorization struct {
	transport.Authorization
	c *Client
}

func (a pausingAuthorization) Refresh(ctx context.Context, answered transport.ResponseInfo, by transport.Requester) error {
	a.c.update(func(s *state) { s.authorizing++ })
	defer a.c.update((*state).endAuthorization)
	return a.Authorization.Refresh(ctx, answered, by)
}

// authorization returns the authorization of the HTTP transports, or nil.
func (c *Client) authorization() transport.Authorization {
	if c.cfg.Authorization == nil {
		return nil
	}
	return pausingAuthorization{c.cfg.Authorization, c}
}

// endAuthorization restarts the timeouts of all requests.
func (s *state) endAuthorization() {
	s.authorizing--
	s.authorized++
	for _, p := range s.pending {
		signal(p.restart)
	}
}

// withTimeout is like context.WithTimeoutCause, but the timeout does not run during an
// authorization.
func (c *Client) withTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex // needed because the timer may fire before clock is set
	var clock *time.Timer
	before := read(c, func(s *state) int { return s.authorized })
	mu.Lock()
	defer mu.Unlock()
	clock = time.AfterFunc(d, func() {
		mu.Lock()
		defer mu.Unlock()
		var waits bool
		var ended int
		c.update(func(s *state) { waits, ended = s.authorizing > 0, s.authorized })
		if (waits || ended != before) && ctx.Err() == nil {
			before = ended
			clock.Reset(d)
			return
		}
		cancel(cause)
	})
	return ctx, func() {
		clock.Stop()
		cancel(context.Canceled)
	}
}
