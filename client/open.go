package client

import (
	"context"
	"fmt"
	"time"

	"mcptea/client/negotiate"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
)

// Open opens the transport without a negotiation, instead of [Client.Connect]: the caller sends initialize, or
// a message that it expects to be rejected, with [Client.Send]. The client responds to requests of the server
// as on a negotiated connection. It must be closed in any case. A later [Client.Connect] negotiates on the open
// transport.
func (c *Client) Open(ctx context.Context) error {
	list := newChecklist(c.tap, c.secrets)
	c.update(func(s *state) { s.steps = list })
	if c.target.IsStdio() {
		list.Plan(stepsOfOpening...)
	}
	if err := c.open(ctx, list); err != nil {
		return list.fail(err)
	}
	c.update(func(s *state) { s.opened = true })
	c.start(c.sendReplies)
	return nil
}

// UseRevision makes later requests and headers conform to a protocol version, after the caller has completed a
// handshake.
func (c *Client) UseRevision(r revision.Revision) {
	c.update(func(s *state) { s.stateless = r.IsStateless() })
	c.transport().Negotiated(string(r))
}

// open starts the process, or makes the transport ready.
func (c *Client) open(ctx context.Context, list *checklist) error {
	if c.target.IsStdio() {
		command := c.target.Argv[0]
		list.Begin(StepFind, command, 0)
		path, err := stdio.Resolve(command, c.target.Env, c.target.Dir)
		if err != nil {
			return err
		}
		detail := path
		if path != command {
			detail = command + " → " + path
		}
		list.End(StepFind, StepDone, detail)
		list.Begin(StepStart, c.target.String(), 0)
	}
	if err := c.transport().Open(ctx, wire{c}); err != nil {
		return err
	}
	if c.target.IsStdio() {
		detail := "started"
		if p, ok := c.transport().(*stdio.Transport); ok {
			detail = fmt.Sprintf("pid %d", p.PID())
		}
		if c.target.Dir != "" {
			detail += "   cwd " + c.target.Dir
		}
		list.End(StepStart, StepDone, detail)
	}
	return nil
}

// restart replaces a process that has ended.
func (n *negotiation) restart(ctx context.Context) error {
	_ = n.transport().Close(ctx) // the outcome of Close is reported through the tap
	var closing bool
	n.update(func(s *state) {
		if closing = s.closing; !closing {
			s.t = n.redial()
			s.replies = replyQueue{} // its requests ended with the process
			clear(s.serverRequests)
		}
	})
	if closing {
		return ErrClosed
	}
	if err := n.open(ctx, n.list); err != nil {
		return err
	}
	n.start(n.sendReplies)
	return nil
}

// openStream opens the event stream of HTTP+SSE.
func (n *negotiation) openStream(ctx context.Context) negotiate.Event {
	n.list.Begin(StepStream, n.target.String(), n.cfg.ConnectTimeout)
	n.update(func(s *state) { s.unexpected, s.garbled = nil, false }) // the unexpected frames were responses to other requests
	whole := ctx
	ctx, stop := n.withTimeout(ctx, n.cfg.ConnectTimeout, &TimeoutError{Method: "GET", After: n.cfg.ConnectTimeout})
	defer stop()
	var endpoint string
	var err error
	switch t := n.transport().(type) {
	case *autoTransport:
		endpoint, err = t.fallBack(ctx)
	case *mcphttp.SSE:
		err = t.Open(ctx, wire{n.Client})
		endpoint = t.Endpoint()
	}
	if err != nil {
		e := n.event(Response{}, err, false)
		if whole.Err() != nil {
			e.Kind = negotiate.Canceled
		}
		return e
	}
	detail := "endpoint " + endpoint
	if otherOrigin(n.target.URL, endpoint) {
		detail += ", at another origin: continued because of --lenient, without credentials"
	}
	n.list.End(StepStream, StepDone, detail)
	return negotiate.Event{Kind: negotiate.StreamOpened}
}

// listenTimeout bounds how long the first request waits for the stream of server messages to open.
// Until then, servers drop their messages.
const listenTimeout = 200 * time.Millisecond

// listen opens the stream on which the server sends its own messages.
func (c *Client) listen(ctx context.Context) {
	opened := c.transport().Listen()
	if opened == nil {
		return
	}
	timer := time.NewTimer(listenTimeout)
	defer timer.Stop()
	select {
	case <-opened:
	case <-timer.C:
	case <-ctx.Done():
	case <-c.quit:
	}
}
