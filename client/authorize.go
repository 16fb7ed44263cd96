package client

import (
	"context"
	"sync"
	"time"

	"mcptea/client/transport"
)

// pausingAuthorization is the authorization of a client. While it waits for a person the
// clocks of the requests stand still: the server is not the one who is late.
type pausingAuthorization struct {
	transport.Authorization
	c *Client
}

func (a pausingAuthorization) Renew(ctx context.Context, answered transport.Answered, by transport.Requester) error {
	a.c.authorizing.Add(1)
	defer func() {
		// First: a clock that strikes now must see one or the other.
		a.c.authorized.Add(1)
		a.c.resetTimeouts()
		a.c.authorizing.Add(-1)
	}()
	return a.Authorization.Renew(ctx, answered, by)
}

// authorization is what the transports over HTTP get, nil when there is none.
func (c *Client) authorization() transport.Authorization {
	if c.cfg.Authorization == nil {
		return nil
	}
	return pausingAuthorization{c.cfg.Authorization, c}
}

// resetTimeouts gives all requests their whole time again.
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

// withTimeout bounds a wait as context.WithTimeoutCause does, but for the time in
// which an authorization goes on.
func (c *Client) withTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var mu sync.Mutex // the clock may strike before there is a name for it
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
