package browse

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
)

// frameOf finds the row of a call's answer, or of its request when there is no
// answer; store.None when there is neither.
func (p *Pane) frameOf(c *call) int32 {
	s := p.session.Store()
	if s == nil {
		return store.None
	}
	if t, ok := c.Task(); ok && t.ResponseRow >= 0 {
		return t.ResponseRow
	}
	if c.flight.Row != store.None {
		request, answer := s.Related(c.flight.Row)
		if answer != store.None {
			return answer
		}
		return request
	}
	// It was over before it was seen in flight: look for the very bytes.
	for i := int32(s.Snapshot().Rows) - 1; i >= 0; i-- {
		row, ok := s.Row(i)
		if ok && row.Time < c.Started.UnixNano() {
			break // the answer came later than the request
		}
		if !ok || !row.Kind.IsResponse() || row.Dir != transport.In || int(row.Size) != len(c.answer.Frame) {
			continue
		}
		if body, err := s.Body(i); err == nil && bytes.Equal(body, c.answer.Frame) {
			return i
		}
	}
	return store.None
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
