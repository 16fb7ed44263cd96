package browse

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
)

// locate notes the row of a call's response, or of its request without one. It is
// done once, when the call has ended: later connections use the ids again.
func (p *Pane) locate(c *call) {
	row := store.None
	c.row = &row
	s := p.session.Store()
	if s == nil {
		return
	}
	if t, ok := c.Task(); ok && t.ResponseRow >= 0 {
		row = t.ResponseRow
		return
	}
	sent := c.flight.Row
	if sent == store.None { // it ended before it was seen pending
		sent = s.RequestRow(transport.Out, string(c.Last()))
	}
	request, response := s.Related(sent)
	if row = response; response == store.None {
		row = request
	}
}

// rowOf is the row that locate has noted; store.None without one.
func (c *call) rowOf() int32 {
	if c.row == nil {
		return store.None
	}
	return *c.row
}

// argumentsOf is what a request was sent with, to be shown.
func argumentsOf(params []byte) string {
	for _, name := range []string{"arguments", "uri"} {
		if v, ok := jsonrpc.Member(params, name); ok {
			return loose(v)
		}
	}
	return ""
}
