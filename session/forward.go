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
	call := &Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true, progress: progress}
	c, err := s.current()
	if err != nil {
		return failed(call.Method, call.Params, err)
	}
	return s.start(c, call, r)
}

// doForward sends a request of another client and waits for the outcome.
func (s *Session) doForward(ctx context.Context, c *client.Client, call *Call, r client.Request) (client.Response, error) {
	s.sent.put(r.Frame, sending{side: transport.Attached})
	defer s.sent.take(r.Frame) // if it was not sent
	return c.Do(ctx, r, client.WithoutTimeout(), client.OnResend(func(id jsonrpc.ID) { s.continuedBy(call, id) }))
}

// progressed passes progress on to the client of a request.
func (s *Session) progressed(params []byte) {
	token, _ := jsonrpc.Member(params, "progressToken")
	s.mu.Lock()
	call := s.calls[jsonrpc.ID(token)]
	s.mu.Unlock()
	if call != nil && call.progress != nil {
		call.progress(params)
	}
}
