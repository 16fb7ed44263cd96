package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/offer/content"
	"mcptea/session/record/store"
	"mcptea/session/requests"
)

// Call is a request and, later, its outcome. Its methods may be called from any
// goroutine and do not block, but for Wait.
type Call struct {
	ID      jsonrpc.ID // empty when the frame is not a request
	Method  string
	Name    string // of the tool, prompt or resource, if it is about one
	Params  []byte
	Started time.Time

	cancel    context.CancelCauseFunc
	done      chan struct{}
	progress  func(params []byte) // of a request of another client or of an app; nil for the session's own
	forwarded bool                // it is a request of another client
	cause     transport.Ref       // the message that it is sent for, if any

	mu         sync.Mutex
	response   client.Response
	err        error
	toolError  bool              // the response is a result with isError
	last       jsonrpc.ID        // of the newest request; empty while it is the first
	ref        transport.Ref     // of the newest request in the record; none before it is sent
	ids        []jsonrpc.ID      // of all its requests; guarded by the lock of the session
	needsInput bool              // the newest response is an input request
	resent     bool              // it was sent again on a new session
	breaks     transport.Breaks  // reason for line breaks in the frame
	exact      bool              // the bytes of the frame are the user's: it is never sent again
	task       *requests.Tracked // nil unless the server made the call a task
}

// IsRequest reports whether a response is awaited: not of a frame of the user's that has no id, or is no JSON.
func (c *Call) IsRequest() bool { return c.ID.Present() || !c.exact }

// Last returns the id of the newest request of the call: after an input request
// the call is sent again under a new id.
func (c *Call) Last() jsonrpc.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last.Present() {
		return c.ID
	}
	return c.last
}

// Ref returns the place of the newest request in the record; none before it is sent.
func (c *Call) Ref() transport.Ref {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ref
}

// Unsent reports that the call has failed before its request reached a server, so that nothing can be concluded
// about one: the connection had ended, or there was none for its HTTP exchange. st is the record of its session.
func (c *Call) Unsent(st *store.Store) bool {
	if c.Running() {
		return false
	}
	at := c.Ref()
	if _, err := c.Outcome(); err == nil || !at.Present() {
		return err != nil
	}
	r, ok := st.Row(at.Row())
	return ok && st.NeverSent(&r)
}

// note is what the session knows of the requests of the call, and has it know where they are.
func (c *Call) note(s *Session, side transport.Side) transport.Note {
	return transport.Note{Side: side, Cause: c.cause, Breaks: c.breaks, Reported: func(at transport.Ref) {
		c.mu.Lock()
		c.ref = at
		c.mu.Unlock()
		s.store.Notify()
	}}
}

// NeedsInput reports whether the newest response is an input request without input
// so far.
func (c *Call) NeedsInput() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.needsInput
}

// requestInput records an input request and returns the name that the call is
// about.
func (c *Call) requestInput() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.needsInput = true
	return c.Name
}

// Task returns the task that the call has become; ok is false for other calls.
func (c *Call) Task() (t requests.Task, ok bool) {
	c.mu.Lock()
	tracked := c.task
	c.mu.Unlock()
	if tracked == nil {
		return requests.Task{}, false
	}
	return tracked.Task(), true
}

// ErrCancelled is the outcome of a call that the user cancelled.
var ErrCancelled = errors.New("cancelled by the user")

// Done is closed when there is an outcome.
func (c *Call) Done() <-chan struct{} { return c.done }

// Running reports whether there is no outcome yet.
func (c *Call) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Outcome returns the response, or the error that prevented one. An error
// response is a response; see [client.Response.Err].
func (c *Call) Outcome() (client.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.response, c.err
}

// Result returns the result, or the error in its place; an error response is an error here.
func (c *Call) Result() ([]byte, error) {
	response, err := c.Outcome()
	return response.Result(), cmp.Or(err, response.Err())
}

// Wait waits for the result; see [Call.Result]. It cancels the call when the context ends.
func (c *Call) Wait(ctx context.Context) ([]byte, error) {
	select {
	case <-c.done:
		return c.Result()
	case <-ctx.Done():
		c.Cancel()
		return nil, context.Cause(ctx)
	}
}

// ToolError reports whether the response is a result with isError.
func (c *Call) ToolError() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.toolError
}

// settle gives the call its outcome, once.
func (c *Call) settle(response client.Response, err error) {
	toolError := content.ToolFailed(response.Result()) // here, and not while the result is shown: it may have megabytes
	c.mu.Lock()
	c.response, c.err, c.toolError = response, err, toolError
	c.mu.Unlock()
	close(c.done)
}

// Cancel cancels the call and notifies the server. A call that has become a task
// ends when the server has responded to tasks/cancel, within seconds, or with the
// outcome of the task when that had ended already. It has no effect on a call that
// has ended.
func (c *Call) Cancel() { c.cancel(ErrCancelled) }

// Start sends a request under a new id, without waiting for anything. params
// may be nil.
func (s *Session) Start(method string, params []byte) *Call {
	return s.request(method, params, jsonrpc.ID{})
}

// StartFrame sends any bytes as one frame, line breaks included: the user has written them. If they
// are a request, its response becomes the outcome.
func (s *Session) StartFrame(frame []byte) *Call {
	return s.startFrame(frame, transport.Composed)
}

func (s *Session) startFrame(frame []byte, breaks transport.Breaks) *Call {
	r := client.ParseRequest(frame)
	call := &Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true, breaks: breaks}
	c, err := s.current()
	if err != nil {
		return failed(call.Method, call.Params, err)
	}
	return s.start(c, call, r)
}

// Again sends the request of a frame under a new id. A progress token that is its id, as the client
// fills in, is the new one then; all else of the params stays as it is. A frame that is no request
// is sent exactly as it is.
func (s *Session) Again(frame []byte) *Call {
	r := client.ParseRequest(frame)
	if !r.ID.Present() {
		return s.startFrame(frame, transport.NoBreaks)
	}
	return s.request(r.Method, r.Params, r.ID)
}

// request sends a request under a new id, in the place of the one that the params were sent with
// before, if there is one: a progress token that means the same becomes the new id, too.
func (s *Session) request(method string, params []byte, before jsonrpc.ID) *Call {
	c, err := s.current()
	if err != nil {
		return failed(method, params, err)
	}
	if err := c.ValidateCall(method, params); err != nil {
		return failed(method, params, err)
	}
	id := c.NextID()
	if token, ok := jsonrpc.Member(params, "_meta", "progressToken"); ok && before.Present() && jsonrpc.TokenOf(token).Is(before) {
		at := jsonrpc.SpanOf(params, token)
		params = slices.Concat(params[:at.Start], id.Bytes(), params[at.End:])
	}
	return s.start(c, &Call{ID: id, Method: method, Params: params}, c.NewRequest(id, method, params))
}

// NextID reserves an id, which the composer shows before the frame is sent. In a
// recording it is that of a new connection.
func (s *Session) NextID() (jsonrpc.ID, error) {
	if s.recorded != nil {
		return jsonrpc.IDOf("1"), nil
	}
	c, err := s.current()
	if err != nil {
		return jsonrpc.ID{}, err
	}
	return c.NextID(), nil
}

// RequestParams returns the params with which [Session.Start] would send a request:
// with the _meta that the revision requires and the progress token.
func (s *Session) RequestParams(id jsonrpc.ID, method string, params []byte) ([]byte, error) {
	c, err := s.current()
	if err != nil {
		return nil, err
	}
	return c.RequestParams(id, method, params), nil
}

func failed(method string, params []byte, err error) *Call {
	call := &Call{Method: method, Params: params, Started: time.Now(), done: make(chan struct{}), err: err, cancel: func(error) {}}
	close(call.done)
	return call
}

func (s *Session) start(c *client.Client, call *Call, r client.Request) *Call {
	ctx, cancel := context.WithCancelCause(context.Background())
	call.Started, call.cancel, call.done = time.Now(), cancel, make(chan struct{})
	call.Name = jsonrpc.Text(call.Params, "name")
	if call.Name == "" {
		call.Name = jsonrpc.Text(call.Params, "uri")
	}
	s.mu.Lock()
	if s.closed() {
		s.mu.Unlock()
		return failed(call.Method, call.Params, client.ErrClosed)
	}
	if call.ID.Present() {
		s.calls[call.ID.Key()] = call
		call.ids = append(call.ids, call.ID)
	}
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		defer cancel(nil)
		var response client.Response
		var err error
		if call.forwarded {
			response, err = s.doForward(ctx, c, call, r)
		} else {
			response, err = s.callOrPoll(ctx, c, call, r)
		}
		if next := s.afterRenewal(ctx, c, err); next != nil && call.ID.Present() && !call.exact {
			c = next
			response, err = s.sendAgain(ctx, c, call)
		}
		if !call.forwarded {
			s.urlsRequired(c, call, response)
		}
		if _, isTask := call.Task(); !isTask { // it takes longer than the request for its result
			s.timed(call, &response)
		}
		s.mu.Lock()
		for _, id := range call.ids {
			if s.calls[id.Key()] == call {
				delete(s.calls, id.Key())
				s.lastCall = time.Now()
			}
		}
		s.mu.Unlock()
		call.settle(response, err)
		s.store.Notify()
	}()
	return call
}

// callOrPoll sends a request and returns its outcome. If the server makes it a
// task, it polls the task.
func (s *Session) callOrPoll(ctx context.Context, c *client.Client, call *Call, r client.Request) (client.Response, error) {
	response, err := c.Do(ctx, r, client.WithNote(call.note(s, transport.Both)), client.WithInput(), client.OnResend(func(id jsonrpc.ID) { s.continuedBy(call, id) }))
	if err != nil {
		return response, err
	}
	now, created, err := c.CreatedTask(call.Method, response)
	if !created || err != nil {
		return response, err
	}
	tracked := s.tasks.Created(requests.Call{ID: call.ID, Last: call.Last(), Resent: call.Resent(), Name: call.Name, Params: call.Params}, response.Request.Row(), now,
		requests.Frame{Bytes: response.Frame, Row: response.Ref.Row(), Time: time.Now()})
	call.mu.Lock()
	call.task = tracked
	call.mu.Unlock()
	s.keepTask(call.Name, now)
	response, err = s.tasks.Poll(ctx, c, tracked)
	s.dropTask(call)
	response.Took = time.Since(call.Started)
	return response, err
}

// timed has a response take as long as its frames say, as everywhere else: not until it was read. That
// of a call of several rounds took from its first request on.
func (s *Session) timed(call *Call, response *client.Response) {
	got, ok := s.store.Row(response.Ref.Row())
	request, sent := s.store.Row(response.Request.Row())
	if ok && sent && got.Pair == response.Request.Row() {
		from := request.Time
		if call.Resent() {
			from = call.Started.UnixNano()
		}
		response.Took = max(0, time.Duration(got.Time-from))
	}
}

// continuedBy records that a call is sent again, under a new id, with the input
// that the server requested.
func (s *Session) continuedBy(call *Call, id jsonrpc.ID) {
	call.mu.Lock()
	call.last, call.needsInput = id, false
	call.mu.Unlock()
	s.mu.Lock()
	s.calls[id.Key()] = call
	call.ids = append(call.ids, id)
	s.mu.Unlock()
}

// Cancel cancels the pending request with an id, also one that the session sent
// for itself. The error says why it cannot be named.
func (s *Session) Cancel(id jsonrpc.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client
	if call := s.calls[id.Key()]; call != nil {
		call.Cancel()
	} else if s.state.Phase == Connecting && s.stop != nil {
		s.stop() // initialize must not be cancelled; the attempt can be
	} else if id.Type() == jsonrpc.IDNull {
		return errors.New("a request with the id null cannot be cancelled: notifications/cancelled has to name an id")
	} else if c != nil && !s.closed() {
		s.wg.Go(func() {
			ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
			defer stop()
			_ = c.Cancel(ctx, id, ErrCancelled.Error()) // the traffic shows it
		})
	}
	return nil
}

// Running is how many calls have no outcome yet.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// LastCall is when a call ran last: now while one runs, and zero before the first.
func (s *Session) LastCall() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) > 0 {
		return time.Now()
	}
	return s.lastCall
}

// NoResponse says in a few words how a request ended that has no JSON-RPC response: with an HTTP
// response of another kind, or without any. err is that of [Call.Outcome].
func NoResponse(err error) string {
	var status *transport.StatusError
	var other *mcphttp.ContentError
	var invalid *client.InvalidResponseError
	switch {
	case errors.As(err, &invalid):
		return "invalid response"
	case errors.As(err, &status):
		return fmt.Sprintf("HTTP %d", status.Status)
	case errors.As(err, &other):
		return "no JSON-RPC response"
	}
	return "no response"
}
