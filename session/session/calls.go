package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/offer/content"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// A Call is a request and, later, its outcome. Its methods are safe for concurrent use and do not block, except
// for Wait.
type Call struct {
	ID      jsonrpc.ID // empty when the frame is not a request
	Method  string
	Name    string // name of the tool, prompt or resource, or ""
	Params  []byte
	Started time.Time

	cancel    context.CancelCauseFunc
	done      chan struct{}
	progress  func(params []byte) // handler for a request of another client or of an app; nil for the session's own
	forwarded bool                // the request is from another client
	cause     transport.Ref       // the message that it is sent for, if any
	batch     bool                // the frame has several messages
	waits     atomic.Bool         // waits for the outcome of a save; set before the call is registered

	mu         sync.Mutex
	response   client.Response
	err        error
	toolError  bool              // the response is a result with isError
	last       jsonrpc.ID        // id of the newest request; empty while it is the first
	ref        transport.Ref     // newest request in the record; none before it is sent
	ids        []jsonrpc.ID      // ids of all its requests; guarded by the lock of the session
	needsInput bool              // the newest response is an input request
	resent     bool              // the request was sent again on a new session
	breaks     transport.Breaks  // reason for line breaks in the frame
	exact      bool              // the bytes of the frame are the user's: it is never sent again
	task       *requests.Tracked // nil unless the server made the call a task
}

// IsRequest reports whether a response is expected. It returns false for a frame of the user without an id or
// with invalid JSON.
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

// Unsent reports whether the call failed before its request reached a server: the connection had ended, or its
// HTTP exchange got no connection. Then it proves nothing about the server. st is the record of the session.
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

// note returns the session's information about the requests of the call. It registers where they are recorded.
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

// ErrCancelled is the outcome of a call that the user cancelled. It is a [client.ErrCancelled].
var ErrCancelled = fmt.Errorf("%w by the user", client.ErrCancelled)

// Done returns a channel that is closed when there is an outcome.
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

// Result returns the result or the error. An error response counts as an error.
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

// settle sets the outcome of the call, once.
func (c *Call) settle(response client.Response, err error) {
	toolError := content.ToolFailed(response.Result()) // now instead of when the result is shown: it may have megabytes
	c.mu.Lock()
	c.response, c.err, c.toolError = response, err, toolError
	c.mu.Unlock()
	close(c.done)
}

// Cancel cancels the call and notifies the server. A call that has become a task ends when the server has
// responded to tasks/cancel, within seconds. If the task had already ended, the call ends with its
// outcome. It has no effect on a call that has ended.
func (c *Call) Cancel() { c.cancel(ErrCancelled) }

// CancelFor is like Cancel, but for a reason other than the user's wish, such as a [*client.TimeoutError]. The reason is the
// outcome of the call, and the server receives its text.
func (c *Call) CancelFor(reason error) { c.cancel(reason) }

// timed sets the duration of a response from the times of its frames, not from when it was read. For a call of
// several rounds, the duration starts with its first request.
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

// Cancel cancels the pending request with an id, even if the session sent it for itself. The error says why the
// id is unknown.
func (s *Session) Cancel(id jsonrpc.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client
	if call := s.calls[id.Key()]; call != nil {
		call.Cancel()
	} else if s.state.Phase == Connecting && s.stop != nil {
		s.stop() // initialize must not be cancelled; the attempt can be
	} else if id.Type() == jsonrpc.IDNull {
		return errors.New("a request with the id null cannot be cancelled: notifications/cancelled must name an id")
	} else if c != nil && !s.closed() {
		s.wg.Go(func() {
			ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
			defer stop()
			_ = c.Cancel(ctx, id, ErrCancelled.Error()) // the traffic shows it
		})
	}
	return nil
}

// Running returns the number of calls without a response. It does not count streams, nor calls that wait for
// the outcome of a saved file.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls) - s.waiting
	for _, c := range s.calls {
		if revision.Lasts(c.Method) && !c.waits.Load() {
			n--
		}
	}
	return n
}

// Calls returns how many calls run, and how many have ended.
func (s *Session) Calls() (running int, ended uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) - s.waiting, s.ended
}

// Settled returns a channel that has an element after calls have ended, and a function that ends the subscription.
func (s *Session) Settled() (<-chan struct{}, func()) { return s.settled.Subscribe() }

// NoResponse describes how a request ended without a JSON-RPC response: with a different HTTP response, or with
// none. err is the error of [Call.Outcome].
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
