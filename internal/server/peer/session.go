package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Reply receives the frames about one message from the client. Frames are only valid during the call. Both
// methods are safe for concurrent use and may block until there is room.
type Reply interface {
	// Send sends a notification or a request.
	Send(frame []byte)
	// Answer sends the response, and nothing is sent after it. A nil frame means that there is no response.
	Answer(frame []byte)
}

// Message is a request or a notification from the client.
type Message struct {
	ID     jsonrpc.ID // empty for notifications
	Method string
	Params json.RawMessage // may be empty; aliases the frame
}

// errCancelled is the cause of a context whose request the client has cancelled.
var errCancelled = errors.New("cancelled by the client")

// errClosed is the cause of a context whose session is over.
var errClosed = errors.New("the session is over")

// Session is one client, or one connection for stateless requests. Its methods are safe for concurrent use.
type Session struct {
	server  *Server
	unasked func(frame []byte)
	life    context.Context // context of work that may outlive the session
	ctx     context.Context
	memory  memory
	stop    context.CancelCauseFunc
	work    sync.WaitGroup

	mu         sync.Mutex
	terms      terms
	ready      bool                                    // initialize was answered
	subscribed map[string]context.CancelFunc           // at most maxSubscribed entries
	running    map[jsonrpc.Key]context.CancelCauseFunc // at most maxRunning entries
	asked      map[jsonrpc.Key]chan<- answer           // pending requests to the client, by id
	lastID     int64
}

const (
	// maxRunning bounds the pending requests of a session. Further ones are rejected.
	maxRunning = 10_000
	// maxSubscribed bounds the subscribed resources of a session, and of one subscriptions/listen: a template
	// has any number of resources. More subscriptions are rejected.
	maxSubscribed = 1000
)

type answer struct {
	result json.RawMessage
	err    error
}

// NewSession starts a session. unasked takes frames that belong to no message
// of the client; it must not keep them. The session ends with ctx or by
// [Session.Close]; tasks that belong to no session go on until ctx ends.
func NewSession(ctx context.Context, server *Server, unasked func(frame []byte)) *Session {
	level, _ := levelNamed("info")
	s := &Session{
		server:     server,
		unasked:    unasked,
		life:       ctx,
		terms:      terms{revision: revision.NewestHandshake, level: level},
		subscribed: map[string]context.CancelFunc{},
		running:    map[jsonrpc.Key]context.CancelCauseFunc{},
		asked:      map[jsonrpc.Key]chan<- answer{},
	}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	server.mu.Lock()
	defer server.mu.Unlock()
	if server.sessions == nil {
		server.sessions = map[*Session]bool{}
	}
	server.sessions[s] = true
	context.AfterFunc(s.ctx, func() {
		server.mu.Lock()
		defer server.mu.Unlock()
		delete(server.sessions, s)
	})
	return s
}

// Close ends all work of the session. Running requests get no response.
func (s *Session) Close() { s.settleAll(errClosed) }

// settleAll ends the requests of the client, which get no response, and the requests of the server, which end
// with the context of the session. Later requests end immediately.
func (s *Session) settleAll(reason error) { s.stop(reason) }

// Wait waits until no work is running. No message may be handled in the meantime.
func (s *Session) Wait() { s.work.Wait() }

// Done returns a channel that is closed when the session ends.
func (s *Session) Done() <-chan struct{} { return s.ctx.Done() }

// Revision returns the current revision, the newest before the handshake.
func (s *Session) Revision() revision.Revision { return s.agreed().revision }

// agreed returns the terms of the session at the moment.
func (s *Session) agreed() terms {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms
}

// Ready reports whether the handshake was answered.
func (s *Session) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// Notify sends a notification that belongs to no request. params is JSON or
// empty.
func (s *Session) Notify(method string, params []byte) {
	s.unasked(jsonrpc.EncodeNotification(method, params))
}

// Emit sends bytes as a frame that belongs to no request, whatever they are.
func (s *Session) Emit(frame []byte) { s.unasked(frame) }

// ask sends a request to the client over reply and waits for its answer. If ctx ends first, it sends
// notifications/cancelled.
func (s *Session) ask(ctx context.Context, reply Reply, method string, params []byte) (json.RawMessage, error) {
	answered := make(chan answer, 1)
	s.mu.Lock()
	s.lastID++
	id := jsonrpc.IntID(s.lastID)
	s.asked[id.Key()] = answered
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id.Key())
	}()
	reply.Send(jsonrpc.EncodeRequest(id, method, params))
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		reply.Send(jsonrpc.EncodeNotification("notifications/cancelled",
			Encode(map[string]any{"requestId": json.RawMessage(id.Bytes()), "reason": "the tool was stopped"})))
		return nil, context.Cause(ctx)
	}
}

// settle hands the client's response to the caller. Responses without a caller
// are dropped.
func (s *Session) settle(frame []byte, e jsonrpc.Envelope) {
	id := e.ID.Of(frame).ID()
	s.mu.Lock()
	answered := s.asked[id.Key()]
	delete(s.asked, id.Key())
	s.mu.Unlock()
	if answered == nil {
		s.logf("an answer to no request of ours: id %q", id)
		return
	}
	a := answer{result: bytes.Clone(e.Result.Of(frame))}
	if e.Kind == jsonrpc.ErrorResponse {
		refusal := &Error{}
		if err := json.Unmarshal(e.Error.Of(frame), refusal); err != nil {
			refusal.Message = string(e.Error.Of(frame))
		}
		a.err = refusal
	}
	answered <- a
}

// begin files a request as running, or returns why it is refused.
func (s *Session) begin(id jsonrpc.ID) (context.Context, context.CancelCauseFunc, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running[id.Key()] != nil:
		return nil, nil, invalidRequest("id %s is still in use", id)
	case len(s.running) >= maxRunning:
		return nil, nil, &Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%d requests have no response yet", maxRunning)}
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.running[id.Key()] = cancel
	return ctx, cancel, nil
}

func (s *Session) end(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id.Key())
}

// cancel stops a running request. It ignores unknown ids.
func (s *Session) cancel(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.running[id.Key()]; stop != nil {
		stop(errCancelled)
	}
}

func (s *Session) logf(format string, args ...any) {
	if s.server.Log != nil {
		fmt.Fprintf(s.server.Log, format+"\n", args...)
	}
}

// ended reports whether the session is over.
func (s *Session) ended() bool { return s.ctx.Err() != nil }
