package session

import (
	"context"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Forward sends a frame of another client over the connection, as [Session.StartFrame]
// does. The other client does what a client does about a response: input requests and
// tasks are an outcome, and only Cancel ends the wait for one. The record has the frame
// as [transport.Attached]. The id of a request is one of [Session.NextID], and so is the
// progress token, if there is one. progress is called with the params of notifications
// about it, which are valid during the call; it must not block.
func (s *Session) Forward(frame []byte, progress func(params []byte)) *Call {
	r := client.ParseRequest(frame)
	call := &Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true, breaks: transport.Composed, forwarded: true, progress: progress}
	return s.start(call, r)
}

// Origin is the message on a connection beside that of the session for which a request is sent.
type Origin struct {
	Row int32 // of the message
	// Progress is called with the params of notifications about the request, which are valid
	// during the call, if its params have a progress token; it must not block. Nil ignores them.
	Progress func(params []byte)
}

// StartFor is [Session.Start] for a message on another connection. The record says so. A
// progress token in params is replaced by one of this connection.
func (s *Session) StartFor(o Origin, method string, params []byte) *Call {
	id, err := s.idFor(method, params)
	if err != nil {
		return failed(method, params, err)
	}
	params = jsonrpc.SpanOf(params, jsonrpc.Get(params, "_meta", "progressToken")).Replace(params, id.Bytes())
	return s.start(&Call{ID: id, Method: method, Params: params, cause: transport.RefTo(o.Row, 0), progress: o.Progress}, client.Request{})
}

// Closing is closed when the session begins to close.
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
