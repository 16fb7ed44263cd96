package session

import (
	"context"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Forward sends a frame of another client over the connection, like [Session.StartFrame]. The other client
// handles the response itself: input requests and tasks count as outcomes, and only Cancel ends the wait for
// one. The record marks the frame as [transport.Attached]. The id of a request, and the progress token if there
// is one, must come from [Session.NextID]. progress is called with the params of progress notifications, which
// are valid during the call. It must not block.
func (s *Session) Forward(frame []byte, progress func(params []byte)) *Call {
	r := client.ParseRequest(frame)
	call := &Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true, breaks: transport.Composed, forwarded: true, progress: progress}
	return s.start(call, r)
}

// An Origin is a message on another connection that caused a request.
type Origin struct {
	Row int32 // row of the message
	// Progress is called with the params of notifications about the request, which are valid
	// during the call, if its params have a progress token; it must not block. Nil ignores them.
	Progress func(params []byte)
}

// StartFor is like [Session.Start], but for a message of another connection, which the record names. It
// replaces a progress token in params with one of this connection.
func (s *Session) StartFor(o Origin, method string, params []byte) *Call {
	id, err := s.idFor(method, params)
	if err != nil {
		return failed(method, params, err)
	}
	params = jsonrpc.SpanOf(params, jsonrpc.Get(params, "_meta", "progressToken")).Replace(params, id.Bytes())
	return s.start(&Call{ID: id, Method: method, Params: params, cause: transport.RefTo(o.Row, 0), progress: o.Progress}, client.Request{})
}

// Closing returns a channel that is closed when the session starts to close.
func (s *Session) Closing() <-chan struct{} { return s.life.Done() }

// doForward sends a request of another client and waits for the outcome.
func (s *Session) doForward(ctx context.Context, c *client.Client, call *Call, r client.Request) (client.Response, error) {
	return c.Do(ctx, r, client.WithNote(call.note(s, transport.Attached)), client.WithoutTimeout(), client.OnResend(func(id jsonrpc.ID) { s.continuedBy(call, id) }))
}

// progressed passes progress on to the client of a request.
func (s *Session) progressed(params []byte) {
	token, _ := jsonrpc.Member(params, "progressToken")
	s.mu.Lock()
	call := s.calls[jsonrpc.IDOf(token).Key()]
	s.mu.Unlock()
	if call != nil && call.progress != nil {
		call.progress(params)
	}
}
