package session

import (
	"errors"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/requests"
)

// Inbox holds the server requests of the session.
func (s *Session) Inbox() *requests.Inbox { return s.inbox }

// serverRequest adds a server request to the inbox, with the call that it belongs to. It is called on the
// goroutine of the transport.
func (s *Session) serverRequest(a client.ServerRequest) {
	r := requests.Request{ID: a.ID, Method: a.Method, Params: a.Params, Row: a.Ref.Row(), Of: a.Of, Key: a.Key, Round: a.Round, Task: a.Task}
	s.mu.Lock()
	if call := s.calls[a.Of.Key()]; call != nil && a.Of.Present() {
		r.About = call.requestInput()
	}
	s.mu.Unlock()
	if a.Method == client.MethodRoots {
		r.Offered = client.Params(map[string]any{"roots": append([]client.Root{}, s.Roots()...)})
	}
	s.inbox.Add(s.belonging(r))
}

// belonging adds to a request of the server which connection and which task it is of.
func (s *Session) belonging(r requests.Request) requests.Request {
	if origin, ok := s.tasks.Origin(r.Task); ok {
		r.Call, r.About = origin.Call, origin.Tool
		if r.Row < 0 {
			r.Row = origin.StatusRow
		}
	}
	r.Conn = s.store.Conn()
	return r
}

// inputDropped handles the end of a call whose input request waits in the inbox.
func (s *Session) inputDropped(id jsonrpc.ID) {
	s.inbox.Withdraw(id, "call", time.Now())
	s.store.Notify()
}

// urlsRequired adds the pages named by the error of a call to the inbox. The user must visit them before the
// request can be processed (2025-11-25, client / elicitation, "URL Elicitation Required Error").
func (s *Session) urlsRequired(c *client.Client, call *Call, response client.Response) {
	var rpc *client.RPCError
	if !errors.As(response.Err(), &rpc) || !rpc.Code.Is(revision.CodeURLElicitationRequired) || c.Handshake().Revision != revision.R20251125 ||
		s.inbox.Policies().Elicitation.Mode != requests.PolicyUser {
		return
	}
	list, _ := jsonrpc.Member(rpc.Data, "elicitations")
	s.inbox.AddRequired(s.belonging(requests.Request{Of: call.Last(), About: call.Name, Row: response.Ref.Row()}), list, call)
}

// Retry sends a call again whose error named a page in the inbox, and takes all
// pages of that error out of the waiting ones.
func (s *Session) Retry(id jsonrpc.ID) (*Call, error) {
	required, err := s.inbox.Retry(id)
	call, ok := required.(*Call)
	if err != nil || !ok {
		return nil, err
	}
	return s.Start(call.Method, call.Params), nil
}

// goTracked runs do on a goroutine that Close waits for, unless the session is
// closing.
func (s *Session) goTracked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed() {
		s.wg.Go(do)
	}
}
