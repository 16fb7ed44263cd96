package client

import (
	"context"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
)

// renegotiation is a handshake after Connect.
type renegotiation struct {
	done chan struct{}
	ok   bool // set before done is closed
}

// waitRenegotiation waits while a renegotiation is under way: no request may be
// sent before its end.
func (c *Client) waitRenegotiation(ctx context.Context) error {
	r := read(c, func(s *state) *renegotiation { return s.renegotiation })
	if r == nil {
		return nil
	}
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// renegotiated performs the handshake that the server requires, and returns the params to send
// instead of the rejected stateless request. ok is false if no handshake is required, or it
// failed.
func (c *Client) renegotiated(ctx context.Context, r Request, response Response, err error) (params []byte, ok bool) {
	if !revision.Revision(jsonrpc.Text(r.Params, "_meta", revision.MetaProtocolVersion)).IsStateless() {
		return nil, false
	}
	e := negotiate.Event{Kind: negotiate.RequestSucceeded, Frame: response.Frame, Envelope: response.Envelope, Err: err, Method: r.Method}
	if err != nil || response.Err() != nil {
		e.Kind = negotiate.RequestRefused
	}
	var action negotiate.Action
	var handshake *renegotiation
	var list *checklist
	c.update(func(s *state) {
		if action = s.machine.Next(e); action.Kind == negotiate.SendInitialize {
			s.renegotiation = &renegotiation{done: make(chan struct{})}
		}
		handshake, list = s.renegotiation, s.list
	})
	switch action.Kind {
	case negotiate.SendInitialize:
		// The caller may give up. The renegotiation goes on, because others wait for it.
		if !c.start(func() { c.renegotiate(handshake, list, action) }) {
			close(handshake.done)
		}
	case negotiate.AwaitHandshake:
	default:
		return nil, false
	}
	if c.waitRenegotiation(ctx) != nil || !handshake.ok {
		return nil, false
	}
	return c.withoutClientMeta(r), true
}

func (c *Client) renegotiate(r *renegotiation, list *checklist, action negotiate.Action) {
	defer close(r.done)
	if list == nil {
		list = newChecklist(c.tap, c.secrets)
	}
	list.Reopen(StepReady)
	c.update(func(s *state) { s.connected = false })
	n := &negotiation{Client: c, list: list}
	if n.run(context.Background(), action) != nil {
		return
	}
	c.listen(context.Background())
	r.ok = true
}

// withoutClientMeta returns the params of a request without the _meta members of stateless
// requests. Members of the caller stay.
func (c *Client) withoutClientMeta(r Request) []byte {
	params := r.Params
	meta, _ := jsonrpc.Member(params, "_meta")
	var ours []string
	for _, m := range c.clientMeta() {
		ours = append(ours, m.name)
	}
	if token, _ := jsonrpc.Member(meta, "progressToken"); jsonrpc.TokenOf(token).Is(r.ID) {
		ours = append(ours, "progressToken") // the new request has a token of its own
	}
	rest := without(meta, ours...)
	params = without(params, "_meta")
	if jsonrpc.Count(rest) > 0 {
		return insert(params, []member{{"_meta", rest}})
	}
	if jsonrpc.Count(params) == 0 {
		return nil
	}
	return params
}
