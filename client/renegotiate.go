package client

import (
	"bytes"
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
	c.mu.Lock()
	r := c.renegotiation
	c.mu.Unlock()
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

// renegotiated returns the request to send in place of a stateless one that the
// server refused for lack of a handshake, after that handshake; a nil frame
// otherwise.
func (c *Client) renegotiated(ctx context.Context, frame []byte, response Response, err error) (id jsonrpc.ID, again []byte) {
	envelope := jsonrpc.Scan(frame)
	method, params := envelope.MethodName(frame), envelope.Params.Of(frame)
	if !revision.Revision(text(params, "_meta", revision.MetaProtocolVersion)).IsModern() {
		return "", nil
	}
	e := negotiate.Event{Kind: negotiate.RequestSucceeded, Frame: response.Frame, Envelope: response.Envelope, Err: err, Method: method}
	if err != nil || response.Err() != nil {
		e.Kind = negotiate.RequestRefused
	}
	c.mu.Lock()
	action := c.machine.Next(e)
	if action.Kind == negotiate.SendInitialize {
		c.renegotiation = &renegotiation{done: make(chan struct{})}
	}
	r, list := c.renegotiation, c.list
	c.mu.Unlock()
	switch action.Kind {
	case negotiate.SendInitialize:
		// The caller may give up; others wait for the same.
		if !c.start(func() { c.renegotiate(r, list, action) }) {
			close(r.done)
		}
	case negotiate.AwaitHandshake:
	default:
		return "", nil
	}
	if c.waitRenegotiation(ctx) != nil || !r.ok {
		return "", nil
	}
	id = c.NextID()
	return id, c.Request(id, method, c.withoutClientMeta(params, envelope.ID.Of(frame)))
}

func (c *Client) renegotiate(r *renegotiation, list *checklist, action negotiate.Action) {
	defer close(r.done)
	if list == nil {
		list = &checklist{tap: c.tap}
	}
	list.reopen(StepReady)
	c.setConnected(false)
	n := &negotiation{Client: c, list: list}
	if n.run(context.Background(), action) != nil {
		return
	}
	c.listen(context.Background())
	r.ok = true
}

// withoutClientMeta removes from params what stateless requests carry. What the
// caller has put into _meta stays.
func (c *Client) withoutClientMeta(params, id []byte) []byte {
	meta, _ := jsonrpc.Member(params, "_meta")
	var ours []string
	for _, m := range c.clientMeta() {
		ours = append(ours, m.name)
	}
	if token, _ := jsonrpc.Member(meta, "progressToken"); bytes.Equal(token, id) {
		ours = append(ours, "progressToken") // the new request has another
	}
	rest := without(meta, ours...)
	params = without(params, "_meta")
	if string(rest) != `{}` {
		return insert(params, []member{{"_meta", rest}})
	}
	if string(params) == `{}` {
		return nil
	}
	return params
}
