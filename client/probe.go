package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

const discoverMethod = "server/discover"

// How long a server may take to respond to the probe. A command that may download a package first
// gets more time.
const (
	probeTimeout  = 5 * time.Second
	runnerTimeout = 30 * time.Second
)

// toolsListID is the id of the second probe. No other request of a connection has this id, and
// [probeID] never returns it.
var toolsListID = jsonrpc.StringID("mcptea-2")

// probeID returns the id of the n-th probe. If the client counts its ids, the probe gets the next
// one.
func (c *Client) probeID(n int) jsonrpc.ID {
	if _, counts := c.cfg.As.FirstID(); counts {
		return c.NextID()
	}
	return probeID(n)
}

// probeID returns the id of the n-th attempt of the probe, from 1. An id must not be used again
// (basic, section Requests).
func probeID(n int) jsonrpc.ID {
	if n <= 1 {
		return jsonrpc.StringID("mcptea-1")
	}
	return jsonrpc.StringID("mcptea-1." + strconv.Itoa(n))
}

// runners are the commands that may download what they run.
var runners = []string{"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "docker", "podman", "nerdctl", "dnx", "go"}

func (c *Client) probeTimeout() time.Duration {
	timeout := c.cfg.ConnectTimeout
	if c.probeWithin > 0 {
		return c.probeWithin
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

// errUnsolicited ends the wait for the response to the probe. It means that the server has a
// handshake: a stateless server sends no requests or log messages by itself.
var errUnsolicited = errors.New("the server sent a message before its response to server/discover")

// probe sends server/discover to a server of unknown era. noteLate handles a response that arrives after a
// timeout or after another message.
func (n *negotiation) probe(ctx context.Context) negotiate.Event {
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	n.abandonProbe.Store(&abandon)
	defer n.abandonProbe.Store(nil)
	id := n.probeID(n.probes)
	n.update(func(s *state) { s.probe = id })
	e := n.discover(ctx, id, n.probeTimeout())
	if errors.Is(e.Err, errUnsolicited) {
		e = negotiate.Event{Kind: negotiate.Unsolicited}
	}
	return e
}

// discover sends server/discover and waits for the response. After a timeout it sends no
// notifications/cancelled: servers with a handshake may reject that before initialize.
func (n *negotiation) discover(ctx context.Context, id jsonrpc.ID, timeout time.Duration) negotiate.Event {
	params, _ := n.profileParams(id, discoverMethod, nil)
	r := n.newRequest(id, discoverMethod, withMeta(params, n.clientMeta()))
	n.list.Begin(StepDiscover, n.target.String(), timeout)
	waits := ""
	if n.abandonProbe.Load() != nil {
		waits = "none yet; initialize follows"
	}
	sent := n.list.onSent(StepDiscover, fmt.Sprintf("%d bytes, version %s", len(r.Frame), revision.NewestStateless), waits, timeout)
	return n.exchange(ctx, call{Request: r, timeout: timeout, silent: true, onSent: sent})
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

// noteUnsolicited reports a message that came before the response to the probe.
func (c *Client) noteUnsolicited() {
	if abandon := c.abandonProbe.Load(); abandon != nil {
		(*abandon)(errUnsolicited)
	}
}

// noteLate reports a response to the probe that arrives after the wait for it has ended.
func (s *state) noteLate(frame []byte, e jsonrpc.Envelope) {
	s.machine.Next(negotiate.Event{Kind: negotiate.LateResponse, Frame: frame, Envelope: e})
}
