package client

import (
	"bytes"
	"context"
	"errors"
	"time"

	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// framedStart begins a message in that framing.
const framedStart = "Content-Length: "

// framingGrace is how long a server may take to respond to a message in another framing, and
// framingInterval how often that is looked for.
const (
	framingGrace    = time.Second
	framingInterval = 10 * time.Millisecond
)

// diagnosed is the error of a connection that failed, after a server that has been silent was sent
// initialize once more in the framing of language servers. What it sends then is in the error.
func (n *negotiation) diagnosed(ctx context.Context, err error) error {
	t, ok := n.transport().(*stdio.Transport)
	timeout, waited := errors.AsType[*TimeoutError](err)
	of, sent := errors.AsType[*RequestError](err)
	silent := read(n.Client, func(s *state) bool { return s.unexpected == nil })
	if !ok || !waited || !sent || !silent || n.heard.Load() || t.Unfinished() > 0 || !n.cfg.Diagnose || timeout.Stdin != nil && timeout.Stdin.Unread > 0 {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, framingGrace)
	defer stop()
	// The id is that of the request before: a server that answers both late has answered one.
	r := n.initializeRequest(of.ID, revision.NewestHandshake)
	if t.SendFramed(ctx, transport.Outgoing{Bytes: r.Frame, Note: transport.Note{Side: transport.Injected}}) != nil {
		return err
	}
	look := time.NewTicker(framingInterval)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if read(n.Client, func(s *state) bool {
				return s.unexpected != nil && bytes.HasPrefix(s.unexpected.head, []byte(framedStart))
			}) {
				return n.withUnexpected(err)
			}
		case <-t.Done(): // it cannot read such a message either: that it did not respond is the failure
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// timedOut is the error of a request whose time is over, with what the system shows of the server.
func (c *Client) timedOut(p *pending, after time.Duration) *TimeoutError {
	err := &TimeoutError{Method: p.method, After: after}
	if t, ok := c.transport().(*stdio.Transport); ok {
		if seen, ok := t.Stdin(); ok {
			err.Stdin = &seen
		}
	}
	return err
}
