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

func (a pausingAuthorization) Renew(ctx context.Context, answered transport.Answered, by transport.Requester) error {
	a.c.authorizing.Add(1)
	defer func() {
		// In this order: a timer that fires now must see one or the other.
		a.c.authorized.Add(1)
		a.c.resetTimeouts()
		a.c.authorizing.Add(-1)
	}()
	return a.Authorization.Renew(ctx, answered, by)
}

// authorization is that of the transports over HTTP, nil without one.
func (c *Client) authorization() transport.Authorization {
	if c.cfg.Authorization == nil {
		return nil
	}
	return pausingAuthorization{c.cfg.Authorization, c}
}

// resetTimeouts restarts the timeouts of all requests.
func (c *Client) resetTimeouts() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		select {
		case p.restart <- struct{}{}:
		default:
		}
	}
}

// withTimeout is context.WithTimeoutCause, except that the timeout does not run
// during an authorization.
func (c *Client) withTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex // the timer may fire before clock is set
	var clock *time.Timer
	before := c.authorized.Load()
	mu.Lock()
	defer mu.Unlock()
	clock = time.AfterFunc(d, func() {
		mu.Lock()
		defer mu.Unlock()
		waits, ended := c.authorizing.Load() > 0, c.authorized.Load()
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
