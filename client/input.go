package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// maxRounds bounds how often a request is sent again with input.
const maxRounds = 20

// maxInputs bounds the input requests of one result. A user or a model responds to each. A result
// with more is an error.
const maxInputs = 500

// ErrTooManyRounds reports a result that still asks for input after [WithInput]
// has sent the request again many times.
var ErrTooManyRounds = fmt.Errorf("the server still asks for input after %d rounds", maxRounds)

// ErrInputRefused reports an input request that the user refused. It is returned with the result that contains
// the request.
var ErrInputRefused = errors.New("the input request of the server was refused, so the request was not sent again")

// InputError reports a result with an input request that cannot be met.
type InputError struct {
	Method    string // the request
	Requested string // method that the client does not support, or "" for another fault
	Reason    string
}

// Error names the request and the reason.
func (e *InputError) Error() string {
	return fmt.Sprintf("the result of %s asks for input and %s", e.Method, e.Reason)
}

// requestsInput reports whether a result contains input requests. Only three methods may return
// such a result; for others it is forwarded unchanged.
func (c *Client) requestsInput(method string, a Response) bool {
	m, ok := revision.Lookup(method)
	return c.isStateless() && ok && m.MayRequestInput() && jsonrpc.Text(a.Result(), "resultType") == "input_required"
}

// input holds the members that a later round adds to the params of the first round.
type input struct {
	responses []byte // raw object, or nil if there are no input requests
	state     []byte // raw, as received, or nil
}

// addTo returns params with the input, which replaces the input of an earlier round.
func (i input) addTo(params []byte) []byte {
	params = without(params, "inputResponses", "requestState")
	var ours []member
	if i.responses != nil {
		ours = append(ours, member{"inputResponses", i.responses})
	}
	if i.state != nil {
		ours = append(ours, member{"requestState", i.state})
	}
	if len(params) == 0 {
		params = []byte(`{}`)
	}
	return insert(params, ours)
}

// collectInput gets the responses to the input requests of a result.
func (c *Client) collectInput(ctx context.Context, method string, a Response) (input, error) {
	var in input
	if state, ok := jsonrpc.Member(a.Result(), "requestState"); ok {
		in.state = state
	}
	requests, asks := jsonrpc.Member(a.Result(), "inputRequests")
	if !asks && in.state == nil {
		return in, &InputError{Method: method, Reason: `has neither "inputRequests" nor "requestState"`}
	}
	if !asks {
		return in, nil
	}
	var err error
	in.responses, err = c.requestInputs(ctx, inputSource{request: a.Envelope.ID.Of(a.Frame).ID(), ref: a.Request, method: method}, requests)
	return in, err
}

// An inputSource requests input: a result, or the task that it describes.
type inputSource struct {
	request jsonrpc.ID    // the request
	ref     transport.Ref // reference in the record
	method  string
	task    string // id of the task, or ""

	round   uint64        // round of ServerRequest
	refused chan struct{} // 1 slot; filled when one of the input requests is refused
}

// requestInputs gets the responses to inputRequests as one object with their keys.
func (c *Client) requestInputs(ctx context.Context, by inputSource, requests []byte) ([]byte, error) {
	c.update(func(s *state) {
		s.rounds++
		by.round = s.rounds
	})
	by.refused = make(chan struct{}, 1)
	var waits []*inputWait
	defer func() {
		for _, w := range waits {
			c.dropInput(w)
		}
	}()
	for name, request := range jsonrpc.Members(requests) {
		if len(waits) == maxInputs {
			return nil, &InputError{Method: by.method, Reason: fmt.Sprintf("has more than %d input requests", maxInputs)}
		}
		w, err := c.requestInput(by, string(name), request)
		if err != nil {
			return nil, err
		}
		waits = append(waits, w)
	}
	responses := []byte{'{'}
	for i, w := range waits {
		result, err := c.awaitInput(ctx, by.method, w)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			responses = append(responses, ',')
		}
		responses = append(append(append(responses, Params(w.key)...), ':'), result...)
	}
	return append(responses, '}'), nil
}

// inputWait is an entry of inputRequests without a result yet.
type inputWait struct {
	id     jsonrpc.ID // made up by the client: the entry has no id
	key    string
	result chan []byte // 1 slot; nil means refused

	refused chan struct{} // closed when a request of the round is refused
}

// awaitInput waits for the result of an input request. It fails if the connection ends, or if
// another input request of the round is refused: the request cannot be sent again then.
func (c *Client) awaitInput(ctx context.Context, method string, w *inputWait) ([]byte, error) {
	select {
	case <-w.refused:
		return nil, ErrInputRefused
	case result := <-w.result:
		if result == nil {
			return nil, ErrInputRefused
		}
		return result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.quit:
		return nil, ErrClosed
	case <-c.transport().Done():
		return nil, &ClosedError{method, cmp.Or(c.transport().Err(), ErrClosed)}
	}
}

// requestInput passes an entry on to Config.OnServerRequest.
func (c *Client) requestInput(by inputSource, key string, request []byte) (*inputWait, error) {
	kind := jsonrpc.Text(request, "method")
	if len(key) > MaxID || len(by.task) > MaxID {
		return nil, &InputError{Method: by.method, Reason: fmt.Sprintf("uses a key that is longer than %d kB", MaxID>>10)}
	}
	params, _ := jsonrpc.Member(request, "params")
	from := by.request.String()
	if from == "" {
		from = by.task // a notification has no id, so the task names the sender
	}
	w := &inputWait{id: jsonrpc.StringID(from + " " + key), key: key, result: make(chan []byte, 1), refused: by.refused}
	switch {
	case kind == MethodRoots && !c.accepts(kind):
		w.result <- c.roots()
		return w, nil
	case !c.accepts(kind):
		return nil, &InputError{Method: by.method, Requested: kind, Reason: fmt.Sprintf("requests %q (%s), which mcptea did not declare as a capability", kind, key)}
	}
	c.update(func(s *state) { s.inputs[w.id.Key()] = w })
	c.cfg.OnServerRequest(ServerRequest{ID: w.id, Method: kind, Params: bytes.Clone(params), Ref: by.ref, Of: by.request, Key: key, Round: by.round, Task: by.task})
	return w, nil
}

// dropInput removes an entry. If the entry has no result yet, dropInput reports that.
func (c *Client) dropInput(w *inputWait) {
	var open bool
	c.update(func(s *state) {
		open = s.inputs[w.id.Key()] != nil
		delete(s.inputs, w.id.Key())
	})
	if open && c.cfg.OnInputDropped != nil {
		c.cfg.OnInputDropped(w.id)
	}
}

// provideInput sets the result of an entry of inputRequests and reports whether the entry exists. A nil result
// refuses it.
func (c *Client) provideInput(id jsonrpc.ID, result []byte) bool {
	var w *inputWait
	c.update(func(s *state) {
		w = s.inputs[id.Key()]
		delete(s.inputs, id.Key())
	})
	if w == nil {
		return false
	}
	if result == nil {
		select {
		case w.refused <- struct{}{}:
		default: // another request of the round was refused before
		}
	}
	w.result <- bytes.Clone(result)
	return true
}
