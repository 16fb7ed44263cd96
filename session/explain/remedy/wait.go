package remedy

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"mcptea/client"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

const (
	waitInterval = 500 * time.Millisecond // between two attempts to connect to a port
	// waitTimeout bounds the wait for a port.
	waitTimeout = 10 * time.Minute
)

// WaitFor returns nil when the port of a target accepts connections, or an error if the wait is over. It sends
// nothing.
func WaitFor(ctx context.Context, t client.Target) error {
	u, err := url.Parse(t.URL)
	if err != nil || u.Hostname() == "" {
		return errors.New("the target has no port")
	}
	ctx, stop := context.WithTimeoutCause(ctx, waitTimeout, errors.New("the port was closed for "+phrase.Duration(waitTimeout)))
	defer stop()
	dial := t.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	for {
		if conn, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), mcphttp.Port(u))); err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(waitInterval):
		}
	}
}
