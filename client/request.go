package client

import (
	"context"
	"errors"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Request is a frame to send, scanned once. Its slices are not changed.
type Request struct {
	Frame    []byte
	Envelope jsonrpc.Envelope
	ID       jsonrpc.ID // empty when the frame is not a request
	Method   string     // set for notifications, too
	Params   []byte     // raw JSON, nil when absent
}

// ParseRequest reads a frame of any kind. Its bytes are sent unchanged.
func ParseRequest(frame []byte) Request {
	e := jsonrpc.Scan(frame)
	r := Request{Frame: frame, Envelope: e, Method: e.MethodName(frame), Params: e.Params.Of(frame)}
	if e.Kind == jsonrpc.Request {
		r.ID = e.ID.Of(frame).ID()
	}
	return r
}

// NewRequest builds a request. params may be nil. Requests for which progress may be reported get a progress
// token, unless params have a _meta. Stateless requests get the _meta that they require; see [Config].
func (c *Client) NewRequest(id jsonrpc.ID, method string, params []byte) Request {
	return c.newRequest(id, method, c.RequestParams(id, method, params))
}

// RequestParams returns the params that [Client.NewRequest] sends. Incomplete params, such as the
// start of an object, get the added members if possible. The given text is not changed.
func (c *Client) RequestParams(id jsonrpc.ID, method string, params []byte) []byte {
	var added []member
	params, fromProfile := c.profileParams(id, method, params)
	_, hasMeta := jsonrpc.Member(params, "_meta")
	if m, ok := revision.Lookup(method); ok && m.Progresses() && len(params) > 0 && !hasMeta && !fromProfile {
		// A _meta without a progress token lacks it on purpose.
		added = append(added, member{"progressToken", id.Bytes()})
	}
	if c.isStateless() {
		added = append(added, c.clientMeta()...)
	}
	return withMeta(params, added)
}

// profileParams returns the params that the profile [Config.As] defines. fromProfile reports
// whether the profile decides about the progress token too.
func (c *Client) profileParams(id jsonrpc.ID, method string, params []byte) (_ []byte, fromProfile bool) {
	if as, ok := c.cfg.As.Params(id, method, params); ok {
		return as, true
	}
	sends, known := c.cfg.As.SendsProgressToken()
	return params, known && !sends
}

// newRequest builds a request with these params, in the form of [Config.As].
func (c *Client) newRequest(id jsonrpc.ID, method string, params []byte) Request {
	if frame, ok := c.cfg.As.Request(id, method, params); ok {
		return ParseRequest(frame)
	}
	return newRequest(id, method, params)
}

func newRequest(id jsonrpc.ID, method string, params []byte) Request {
	return ParseRequest(jsonrpc.EncodeRequest(id, method, params))
}

// Option changes how [Client.Do] sends a request.
type Option func(*options)

type options struct {
	input    bool
	noLimit  bool
	onResend func(jsonrpc.ID)
	note     transport.Note
}

// WithInput completes a request whose result requests input. It collects the input from
// [Config.OnServerRequest] and the roots, and sends the request again with it, until the result is
// complete (2026-07-28, basic / patterns / multi round-trip requests). If the input is refused or
// unavailable, the last result is returned with an error.
func WithInput() Option { return func(o *options) { o.input = true } }

// OnResend calls resent with the id of each request that replaces the first one: after a renegotiation, with
// other headers, or with input.
func OnResend(resent func(jsonrpc.ID)) Option { return func(o *options) { o.onResend = resent } }

// WithNote sends the request, and each request that replaces it, with the note of the caller.
func WithNote(n transport.Note) Option { return func(o *options) { o.note = n } }

// WithoutTimeout waits until the context ends.
func WithoutTimeout() Option { return func(o *options) { o.noLimit = true } }

// resend builds another request and announces its id.
func (c *Client) resend(o options, method string, params []byte) Request {
	r := c.NewRequest(c.NextID(), method, params)
	if o.onResend != nil {
		o.onResend(r.ID)
	}
	return r
}

// Do sends a request and waits for its response. Callers send all their requests with it. An error response is
// a Response and not an error; see [Response.Err].
//
// The error is a *RequestError around a *TimeoutError, *ClosedError, *InvalidResponseError, *CancelledError, an
// error of the transport, or the cause of the context. After a timeout and after the end of the context the
// server gets a cancellation.
//
// A request is sent again with another id in two cases. If the error response shows that the server requires a
// handshake, the handshake is done first (once per connection, and only if no version was requested; see
// [Client.EraDetection]). If the server rejects the headers of a tools/call, the tools are listed first.
//
// A frame that cannot have a response, because it is not a request or its id is already pending, is sent, and
// Do immediately returns the zero Response.
func (c *Client) Do(ctx context.Context, r Request, opts ...Option) (Response, error) {
	var o options
	for _, set := range opts {
		set(&o)
	}
	if !r.ID.Present() {
		return Response{}, c.sendOnly(ctx, call{Request: r, note: o.note})
	}
	response, err := c.send(ctx, r, o)
	for round := 0; o.input && err == nil && c.requestsInput(r.Method, response); round++ {
		if round == maxRounds {
			return response, ErrTooManyRounds
		}
		in, inputErr := c.collectInput(ctx, r.Method, response)
		if inputErr == nil && in.responses == nil {
			// The result has a state and no input requests: the server needs a little time.
			inputErr = c.sleep(ctx, min(time.Duration(round)*100*time.Millisecond, time.Second))
		}
		if inputErr != nil {
			return response, inputErr
		}
		response, err = c.send(ctx, c.resend(o, r.Method, in.addTo(r.Params)), o)
	}
	return response, err
}

// Call sends a request under a new id and waits for its response, as [Client.Do]
// does. params may be nil. The error is an *InvalidToolError when the call is
// not sent.
func (c *Client) Call(ctx context.Context, method string, params []byte) (Response, error) {
	if err := c.ValidateCall(method, params); err != nil {
		return Response{}, err
	}
	if err := c.waitRenegotiation(ctx); err != nil { // the renegotiation determines the frame
		return Response{}, err
	}
	return c.Do(ctx, c.NewRequest(c.NextID(), method, params))
}

// send sends a request. It sends the request again if an error response requires that.
func (c *Client) send(ctx context.Context, r Request, o options) (Response, error) {
	if err := c.waitRenegotiation(ctx); err != nil {
		return Response{}, err
	}
	response, err := c.sendOnce(ctx, r, o)
	if params, ok := c.renegotiated(ctx, r, response, err); ok {
		r = c.resend(o, r.Method, params)
		response, err = c.sendOnce(ctx, r, o)
	}
	if err == nil && c.headersMismatch(r, response) {
		if _, err := c.List(ctx, Tools); err != nil {
			return response, nil // the error response is more useful
		}
		again, err := c.sendOnce(ctx, c.resend(o, r.Method, r.Params), o)
		if err != nil {
			return response, err
		}
		return again, nil
	}
	return response, err
}

// headersMismatch reports whether a server rejected the headers of a call. The
// schema of the tool may have changed: a new list of tools renews the headers
// (2026-07-28, basic / transports).
func (c *Client) headersMismatch(r Request, response Response) bool {
	var rpc *RPCError
	return r.Method == "tools/call" && c.isStateless() && c.target.URL != "" &&
		errors.As(response.Err(), &rpc) && rpc.Code.Is(revision.CodeHeaderMismatch)
}

// taskGrace bounds how long a cancelled call waits for its task, so that the task can be
// cancelled.
const taskGrace = 5 * time.Second

// sendOnce sends a request and waits for its response.
func (c *Client) sendOnce(ctx context.Context, r Request, o options) (Response, error) {
	p := call{Request: r, timeout: c.cfg.Timeout, note: o.note}
	if o.noLimit || revision.Lasts(r.Method) {
		p.timeout = noLimit
	}
	if c.requestsTask(r.Method, r.Params) {
		// Such a request must not be cancelled. Its task can be cancelled when the task exists
		// (2025-11-25, basic / utilities / cancellation).
		var stop context.CancelFunc
		ctx, stop = withGrace(ctx, taskGrace)
		defer stop()
		p.silent = true
	}
	return c.do(ctx, p)
}
