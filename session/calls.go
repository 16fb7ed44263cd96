package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Call is a request and, later, its outcome. Its methods may be called from any
// goroutine and do not block.
type Call struct {
	ID      jsonrpc.ID // empty when the frame is not a request
	Method  string
	Name    string // of the tool, prompt or resource, if it is about one
	Params  []byte
	Started time.Time

	cancel context.CancelCauseFunc
	done   chan struct{}

	mu     sync.Mutex
	answer client.Response
	err    error
	last   jsonrpc.ID   // of the newest request; empty while it is the first
	ids    []jsonrpc.ID // of all its requests; guarded by the lock of the session
	asking bool         // the newest response is an input request
	resent bool         // it was sent again on a new session
	exact  bool         // the bytes of the frame are the user's: it is never sent again
	owner  *Session     // of its task
	task   *task        // nil unless the server made the call a task
}

// Last returns the id of the newest request of the call: after an input request
// the call is sent again under a new id.
func (c *Call) Last() jsonrpc.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == "" {
		return c.ID
	}
	return c.last
}

// Asking reports whether the newest response is an input request without input so
// far.
func (c *Call) Asking() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asking
}

// setAsking records an input request and returns the name that the call is about.
func (c *Call) setAsking() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking = true
	return c.Name
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
	return c.answer, c.err
}

// settle gives the call its outcome, once.
func (c *Call) settle(answer client.Response, err error) {
	c.mu.Lock()
	c.answer, c.err = answer, err
	c.mu.Unlock()
	close(c.done)
}

// Cancel cancels the call and notifies the server. A call that has become a task
// ends when the server has answered tasks/cancel, within seconds, or with the
// outcome of the task when that had ended already. It has no effect on a call that
// has ended.
func (c *Call) Cancel() { c.cancel(ErrCancelled) }

// Start sends a request under a new id, without waiting for anything. params
// may be nil.
func (s *Session) Start(method string, params []byte) *Call {
	c, err := s.current()
	if err != nil {
		return failed(method, params, err)
	}
	if err := c.ValidateCall(method, params); err != nil {
		return failed(method, params, err)
	}
	id := c.NextID()
	return s.start(c, &Call{ID: id, Method: method, Params: params}, c.NewRequest(id, method, params))
}

// StartFrame sends any bytes as one frame. If they are a request, its response
// becomes the outcome.
func (s *Session) StartFrame(frame []byte) *Call {
	r := client.ParseRequest(frame)
	call := &Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true}
	c, err := s.current()
	if err != nil {
		return failed(call.Method, call.Params, err)
	}
	return s.start(c, call, r)
}

// NextID reserves an id, which the composer shows before the frame is sent.
func (s *Session) NextID() (jsonrpc.ID, error) {
	c, err := s.current()
	if err != nil {
		return "", err
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
	call.Name = member(call.Params, "name")
	if call.Name == "" {
		call.Name = member(call.Params, "uri")
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return failed(call.Method, call.Params, client.ErrClosed)
	}
	if call.ID != "" {
		s.calls[call.ID] = call
		call.ids = append(call.ids, call.ID)
	}
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		defer cancel(nil)
		answer, err := s.callOrPoll(ctx, c, call, r)
		if next := s.afterRenewal(ctx, c, err); next != nil && call.ID != "" && !call.exact {
			c = next
			answer, err = s.sendAgain(ctx, c, call)
		}
		s.urlsRequired(c, call, answer)
		s.mu.Lock()
		for _, id := range call.ids {
			if s.calls[id] == call {
				delete(s.calls, id)
			}
		}
		s.mu.Unlock()
		call.settle(answer, err)
		s.store.Poke()
	}()
	return call
}

// callOrPoll sends a request and returns its outcome. If the server makes it a
// task, it polls the task.
func (s *Session) callOrPoll(ctx context.Context, c *client.Client, call *Call, r client.Request) (client.Response, error) {
	answer, err := c.Do(ctx, r, client.WithInput(), client.OnResend(func(id jsonrpc.ID) { s.continuedBy(call, id) }))
	if err != nil {
		return answer, err
	}
	now, created, err := c.CreatedTask(call.Method, answer)
	if !created || err != nil {
		return answer, err
	}
	answer, err = s.pollTask(ctx, c, s.callBecameTask(call, now, answer))
	answer.Took = time.Since(call.Started)
	return answer, err
}

// continuedBy records that a call is sent again, under a new id, with the input
// that the server requested.
func (s *Session) continuedBy(call *Call, id jsonrpc.ID) {
	call.mu.Lock()
	call.last, call.asking = id, false
	call.mu.Unlock()
	s.mu.Lock()
	s.calls[id] = call
	call.ids = append(call.ids, id)
	s.mu.Unlock()
}

// Cancel cancels the pending request with an id, also one that the session sent
// for itself.
func (s *Session) Cancel(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client
	if call := s.calls[id]; call != nil {
		call.Cancel()
	} else if s.state.Phase == Connecting && s.stop != nil {
		s.stop() // initialize must not be cancelled; the attempt can be
	} else if c != nil && !s.closed {
		s.wg.Go(func() {
			ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
			defer stop()
			_ = c.Cancel(ctx, id, ErrCancelled.Error()) // the traffic shows it
		})
	}
}

// Running is how many calls have no outcome yet.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}
