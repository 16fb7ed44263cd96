package watch

import (
	"context"
	"net"
	"net/url"
	"time"

	"mcptea/client"
)

const (
	reachInterval = 100 * time.Millisecond
	reachTimeout  = 500 * time.Millisecond // per attempt
	// maxReach bounds the wait for a server to become reachable. followed is the time in which follow keeps looking
	// for its restart after it has connected.
	maxReach = 30 * time.Second
	followed = 5 * time.Second
)

// follow calls connect once the server is reachable. Another program restarts the server, perhaps a moment
// after the change, so if the server becomes unreachable in between, follow calls connect again.
func follow(ctx context.Context, reachable, connect func() bool) {
	start := time.Now()
	connected := false
	tick := time.NewTicker(reachInterval)
	defer tick.Stop()
	for {
		reached := reachable()
		switch {
		case !reached:
			connected = false
		case !connected:
			connected = connect()
		}
		limit := maxReach
		if connected {
			limit = followed
		}
		if time.Since(start) > limit {
			if !reached && !connected {
				connect() // the connection error is the result
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reachable returns "" if the URL of a target accepts connections, or its host and port if they accept none.
func reachable(ctx context.Context, t client.Target) (refused string) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return "" // connecting reports the error
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	dial := t.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: reachTimeout}).DialContext
	}
	address := net.JoinHostPort(u.Hostname(), port)
	c, err := dial(ctx, "tcp", address)
	if err != nil {
		return address
	}
	_ = c.Close()
	return ""
}
