package session

import (
	"context"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/requests"
)

// Start sends a request under a new id, without waiting for anything. params
// may be nil.
func (s *Session) Start(method string, params []byte) *Call {
	return s.request(method, params, jsonrpc.ID{})
}

// StartFrame sends any bytes as one frame, line breaks included: the user has written them. If they
// are a request, its response becomes the outcome.
func (s *Session) StartFrame(frame []byte) *Call { return s.startFrame(frame, transport.Composed) }

func (s *Session) startFrame(frame []byte, breaks transport.Breaks) *Call {
	r := client.ParseRequest(frame)
	batch := jsonrpc.Scan(frame).Kind == jsonrpc.Batch
	return s.start(&Call{ID: r.ID, Method: r.Method, Params: r.Params, exact: true, breaks: breaks, batch: batch}, r)
}

// Again sends the request of a frame again under a new id. A progress token that equals the id, which is what
// the client fills in, is replaced with the new id; the other params stay unchanged. A frame that is not a
// request is sent unchanged.
func (s *Session) Again(frame []byte) *Call {
	r := client.ParseRequest(frame)
	if !r.ID.Present() {
		return s.startFrame(frame, transport.NoBreaks)
	}
	return s.request(r.Method, r.Params, r.ID)
}

// request sends a request under a new id. before is the id that the params were sent with earlier, or the zero
// ID; a progress token that equals it is replaced with the new id.
func (s *Session) request(method string, params []byte, before jsonrpc.ID) *Call {
	id, err := s.idFor(method, params)
	if err != nil {
		return failed(method, params, err)
	}
	if token, ok := jsonrpc.Member(params, "_meta", "progressToken"); ok && before.Present() && jsonrpc.TokenOf(token).Is(before) {
		at := jsonrpc.SpanOf(params, token)
		params = slices.Concat(params[:at.Start], id.Bytes(), params[at.End:])
	}
	return s.start(&Call{ID: id, Method: method, Params: params}, client.Request{})
}

// idFor reserves the id of a request. It returns an error if the request is already known to be invalid.
func (s *Session) idFor(method string, params []byte) (jsonrpc.ID, error) {
	if c, err := s.current(); err == nil {
		if err := c.ValidateCall(method, params); err != nil {
			return jsonrpc.ID{}, err
		}
	}
	return s.NextID()
}

// NextID reserves an id, so that the composer can show it before the frame is sent. For a recording, it returns
// the first id of a new connection.
func (s *Session) NextID() (jsonrpc.ID, error) {
	if s.recorded != nil {
		return jsonrpc.IDOf("1"), nil
	}
	c, err := s.current()
	if err == nil {
		return c.NextID(), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil || s.state.Phase == Idle || s.closed() {
		return jsonrpc.ID{}, err
	}
	return jsonrpc.IntID(s.ids.Add(1)), nil // id for the server that is being started
}

// RequestParams returns the params of a request that [Session.Start] would send. They have the
// _meta that the protocol version requires, and the progress token.
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

// start sends a in the background. exact is the request of a call whose bytes are the user's.
func (s *Session) start(call *Call, exact client.Request) *Call {
	c, err := s.current()
	if err != nil && (s.recorded != nil || !s.follows() || !call.awaits()) {
		return failed(call.Method, call.Params, err)
	}
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
		if s.sources != nil {
			call.waits.Store(true)
			s.waiting++
		}
	}
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		defer cancel(nil)
		response, err := s.send(ctx, call, c, exact)
		if _, isTask := call.Task(); !isTask { // the task takes longer than the request for its result
			s.timed(call, &response)
		}
		s.mu.Lock()
		s.endWait(call)
		for _, id := range call.ids {
			if s.calls[id.Key()] == call {
				delete(s.calls, id.Key())
				s.ended++
				s.settled.Notify()
			}
		}
		s.mu.Unlock()
		call.settle(response, err)
		s.store.Notify()
	}()
	return call
}

// send sends a call once the server may answer it, and returns its outcome. c is the client at the moment of the call;
// nil if there was none. r is the request of a call whose bytes are the user's.
func (s *Session) send(ctx context.Context, call *Call, c *client.Client, r client.Request) (response client.Response, err error) {
	first := c
	if c, err = s.awaitServer(ctx, c, call); err != nil {
		return response, err
	}
	if !call.exact {
		if c != first {
			if err := c.ValidateCall(call.Method, call.Params); err != nil {
				return response, err
			}
		}
		r = c.NewRequest(call.ID, call.Method, call.Params)
	}
	if call.forwarded {
		response, err = s.doForward(ctx, c, call, r)
	} else {
		response, err = s.callOrPoll(ctx, c, call, r)
	}
	for range maxResends {
		next := s.afterRenewal(ctx, c, err)
		if next == nil || !call.ID.Present() || call.exact {
			break
		}
		c = next
		response, err = s.sendAgain(ctx, c, call)
	}
	if err == nil {
		s.answeredBy(c)
	}
	if !call.forwarded {
		s.urlsRequired(c, call, response)
	}
	return response, err
}

// maxResends is the maximum number of new sessions on which a request is sent again.
const maxResends = 3

// answeredBy records that a request had a response.
func (s *Session) answeredBy(c *client.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == c {
		s.answered = s.state.Attempt
	}
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
