package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// maxRounds is where a server that is never content is given up.
const maxRounds = 20

// ErrTooManyRounds says that a server asked for input again and again.
var ErrTooManyRounds = fmt.Errorf("the request was given up after %d rounds of input", maxRounds)

// ErrInputRefused says that the server asked for something that was refused, so
// that its request was not sent again. The answer that asked comes with it.
var ErrInputRefused = errors.New("what the server asked for was refused, and the request was not sent again")

// InputError is a result that asks for something that cannot be given.
type InputError struct {
	Method    string // the request
	Requested string // the method of what was not offered; empty when it is another fault
	Reason    string
}

// Error names the request and the reason.
func (e *InputError) Error() string {
	return fmt.Sprintf("the result of %s asks for input and %s", e.Method, e.Reason)
}

// asksForInput reports whether a result is a question. Only three methods may
// answer so; from others it is a fault that is shown and not obeyed.
func (c *Client) asksForInput(method string, a Response) bool {
	m, ok := revision.Lookup(method)
	return c.modern.Load() && ok && m.AsksForInput() && text(a.Result(), "resultType") == "input_required"
}

// input is what a retry has besides the params of the request.
type input struct {
	responses []byte // raw object, nil when nothing was asked
	state     []byte // raw, exactly as it came; nil when none did
}

// addTo returns the params of the retry. What an earlier round has put in is
// left out: state and responses are good for one retry.
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

// collectInput gets the answers to all that a result asks for.
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
	in.responses, err = c.requestInputs(ctx, inputSource{of: jsonrpc.ID(a.Envelope.ID.Of(a.Frame)), method: method}, requests)
	return in, err
}

// inputSource is who asks for input: the answer to a request, or a task that such an
// answer describes.
type inputSource struct {
	of     jsonrpc.ID // the request
	method string
	task   string // its id, empty when it is none
}

// requestInputs gets the answers to an object of requests and puts them into one.
func (c *Client) requestInputs(ctx context.Context, by inputSource, requests []byte) ([]byte, error) {
	var waits []*inputWait
	defer func() {
		for _, w := range waits {
			c.dropInput(w)
		}
	}()
	for name, request := range jsonrpc.Members(requests) {
		w, err := c.requestInput(by, string(name), request)
		if err != nil {
			return nil, err
		}
		waits = append(waits, w)
	}
	responses := []byte{'{'}
	for i, w := range waits {
		result, err := w.wait(ctx, c.quit)
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

// inputWait is one entry of inputRequests that waits for its answer.
type inputWait struct {
	id     jsonrpc.ID // of our own making: the entry has none
	key    string
	result chan []byte // 1 slot; nil means refused
}

func (w *inputWait) wait(ctx context.Context, quit <-chan struct{}) ([]byte, error) {
	select {
	case result := <-w.result:
		if result == nil {
			return nil, ErrInputRefused
		}
		return result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-quit:
		return nil, ErrClosed
	}
}

// requestInput passes one entry on to whoever answers such requests.
func (c *Client) requestInput(by inputSource, key string, request []byte) (*inputWait, error) {
	kind := text(request, "method")
	params, _ := jsonrpc.Member(request, "params")
	from := string(by.of)
	if from == "" {
		from = by.task // it was told of in no answer
	}
	w := &inputWait{id: jsonrpc.StringID(from + " " + key), key: key, result: make(chan []byte, 1)}
	switch {
	case kind == "roots/list":
		w.result <- c.roots()
		return w, nil
	case !c.accepts(kind):
		return nil, &InputError{Method: by.method, Requested: kind, Reason: fmt.Sprintf("wants %q (%s), which mcptea did not offer", kind, key)}
	}
	c.mu.Lock()
	if c.inputs == nil {
		c.inputs = map[jsonrpc.ID]*inputWait{}
	}
	c.inputs[w.id] = w
	c.mu.Unlock()
	c.cfg.OnServerRequest(ServerRequest{ID: w.id, Method: kind, Params: bytes.Clone(params), Of: by.of, Key: key, Task: by.task})
	return w, nil
}

// dropInput forgets an entry. Who still thinks about it is told that nobody waits.
func (c *Client) dropInput(w *inputWait) {
	c.mu.Lock()
	_, open := c.inputs[w.id]
	delete(c.inputs, w.id)
	c.mu.Unlock()
	if open && c.cfg.OnInputDropped != nil {
		c.cfg.OnInputDropped(w.id)
	}
}

// provideInput answers an entry of inputRequests and reports whether there is one of
// that id. A nil result refuses.
func (c *Client) provideInput(id jsonrpc.ID, result []byte) bool {
	c.mu.Lock()
	w := c.inputs[id]
	delete(c.inputs, id)
	c.mu.Unlock()
	if w == nil {
		return false
	}
	w.result <- bytes.Clone(result)
	return true
}
