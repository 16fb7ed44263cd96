package client

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

const discoverMethod = "server/discover"

// How long a server may take to respond to the probe. Commands that may download
// a package before they run it get more.
const (
	probeTimeout  = 5 * time.Second
	runnerTimeout = 30 * time.Second
)

// The ids of the probes, which no other request of a connection has.
const (
	probeID     jsonrpc.ID = `"mcptea-probe-1"`
	toolsListID jsonrpc.ID = `"mcptea-probe-2"`
)

// runners are the commands that may download what they run.
var runners = []string{"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "docker", "podman", "nerdctl", "dnx", "go"}

func (c *Client) probeTimeout() time.Duration {
	timeout := c.cfg.ConnectTimeout
	if c.probeWithin > 0 {
		return c.probeWithin
	}
	if c.target.URL != "" {
		return timeout
	}
	if len(c.target.Argv) > 0 {
		name := strings.ToLower(filepath.Base(c.target.Argv[0]))
		name = strings.TrimSuffix(name, filepath.Ext(name))
		if slices.Contains(runners, name) {
			return min(timeout, runnerTimeout)
		}
	}
	return min(timeout, probeTimeout)
}

// probe sends server/discover to a server of unknown era. After a timeout, and
// after a message that came before the response, n.late delivers the response.
func (n *negotiation) probe(ctx context.Context) negotiate.Event {
	early := make(chan struct{}, 1)
	n.early.Store(&early)
	defer n.early.Store(nil)
	timeout := n.probeTimeout()
	open := timeout
	if n.target.URL == "" {
		open += n.cfg.ConnectTimeout // a late response corrects the detection
	}
	events := make(chan negotiate.Event, 1)
	if !n.start(func() { events <- n.discover(ctx, probeID, timeout, open) }) {
		return negotiate.Event{Kind: negotiate.Canceled, Err: ErrClosed}
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case e := <-events:
		return e
	case <-early:
		n.late = events
		return negotiate.Event{Kind: negotiate.Unsolicited}
	case <-timer.C:
		if n.target.URL != "" {
			return <-events // it times out now, and knows the state of the exchange
		}
		n.late = events
		return negotiate.Event{Kind: negotiate.Timeout, After: timeout, Err: &TimeoutError{discoverMethod, timeout}}
	}
}

// discover sends server/discover and waits for the response as long as open;
// timeout is what the steps say. No notifications/cancelled follows a timeout:
// servers with a handshake may reject it before initialize.
func (n *negotiation) discover(ctx context.Context, id jsonrpc.ID, timeout, open time.Duration) negotiate.Event {
	r := newRequest(id, discoverMethod, withMeta(nil, n.clientMeta()))
	n.list.Begin(StepDiscover, n.target.String(), timeout)
	sent := n.list.onSent(StepDiscover, fmt.Sprintf("%d bytes, version %s", len(r.Frame), revision.NewestStateless), timeout)
	return n.exchange(ctx, call{Request: r, timeout: open, silent: true, onSent: sent})
}

// listTools sends tools/list as a second probe.
func (n *negotiation) listTools(ctx context.Context) negotiate.Event {
	r := newRequest(toolsListID, Tools.Method, withMeta(nil, n.clientMeta()))
	return n.exchange(ctx, call{Request: r, timeout: n.cfg.ConnectTimeout, silent: true})
}

// exchange sends a request of the negotiation and waits for its response.
func (c *Client) exchange(ctx context.Context, r call) negotiate.Event {
	c.update(func(s *state) { s.status = transport.Exchange{} })
	var accepted atomic.Bool
	onSent := r.onSent
	r.onSent = func() {
		accepted.Store(true)
		if onSent != nil {
			onSent()
		}
	}
	response, err := c.do(ctx, r)
	return c.event(response, err, accepted.Load())
}

// noteUnsolicited reports a message that came before the response to the probe:
// stateless servers send neither requests nor log messages unasked.
func (c *Client) noteUnsolicited(e jsonrpc.Envelope, frame []byte) {
	early := c.early.Load()
	if early == nil || e.Kind != jsonrpc.Request && !e.HasMethod(frame, "notifications/message") {
		return
	}
	select {
	case *early <- struct{}{}:
	default:
	}
}
