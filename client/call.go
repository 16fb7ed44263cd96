package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// Response is a result or an error response.
type Response struct {
	Frame    []byte // frame as received; the caller may keep it
	Envelope jsonrpc.Envelope
	Took     time.Duration
	// Ref is the place of the response in the record. Request is the place of its request.
	Ref, Request transport.Ref

	method string // method of the request
}

// Result returns the raw result, nil for an error response.
func (a Response) Result() []byte { return a.Envelope.Result.Of(a.Frame) }

// Err returns a *RequestError around the *RPCError of an error response, nil for a result.
func (a Response) Err() error {
	if a.Envelope.Kind != jsonrpc.ErrorResponse {
		return nil
	}
	return &RequestError{ID: a.Envelope.ID.Of(a.Frame).ID(), Method: a.method, Ref: a.Request, Err: jsonrpc.ParseError(a.Frame, a.Envelope)}
}

// pending is a request without a response yet.
type pending struct {
	method   string
	token    jsonrpc.Key        // progress token
	reply    chan reply         // 1 slot
	progress chan struct{}      // 1 slot; a value restarts the timeout
	garbled  chan struct{}      // 1 slot; the response has probably come, but garbled
	restart  chan struct{}      // 1 slot; a value restarts the timeout after an authorization
	extend   chan time.Duration // 1 slot; time that the user adds
	lost     chan error         // 1 slot; error of an exchange that ended without the response
	deadline atomic.Int64       // time of the timeout, in Unix nanoseconds, or 0 before the wait starts
	onSent   func()             // called once the frame is sent; may be nil
	ref      transport.Ref      // reference of the request in the record; guarded by the lock of the client
}

type reply struct {
	response Response
	err      error
}

// withGrace returns a context that ends d after ctx.
func withGrace(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(d, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(later, func() { timer.Stop() })
	})
	return later, func() {
		stop()
		cancel(nil)
	}
}

// call is a request that is about to be sent.
type call struct {
	Request
	timeout time.Duration // maximum time without progress, or noLimit
	silent  bool          // no cancellation is sent if the wait ends without a response
	onSent  func()        // called once the frame is sent; may be nil
	note    transport.Note
}

// do registers a request, sends it and waits for the response.
func (c *Client) do(ctx context.Context, r call) (Response, error) {
	p := c.register(r)
	if p == nil {
		return Response{}, c.sendOnly(ctx, r)
	}
	defer c.forget(r.ID, p)
	reported := r.note.Reported
	r.note.Reported = func(at transport.Ref) {
		c.update(func(*state) { p.ref = at })
		if reported != nil {
			reported(at)
		}
	}
	start := time.Now()
	sendCtx, stop := context.WithCancel(ctx) // wait applies the timeouts
	defer stop()
	sent, tried := make(chan error, 1), make(chan struct{})
	if !c.start(func() {
		defer close(tried)
		sent <- c.Transmit(sendCtx, transport.Outgoing{Bytes: r.Frame, Scanned: &r.Envelope, Note: r.note})
	}) {
		return Response{}, &RequestError{ID: r.ID, Method: r.Method, Err: &ClosedError{r.Method, ErrClosed}}
	}
	response, err := c.wait(ctx, p, sent, r.timeout)
	at := read(c, func(*state) transport.Ref { return p.ref })
	response.Took, response.Request, response.method = time.Since(start), at, r.Method
	if err != nil {
		err = &RequestError{ID: r.ID, Method: r.Method, Ref: at, Err: c.secrets.Error(err)}
		if announced, lost := c.cancelAfter(ctx, r, err, tried); !announced {
			c.tap.Lost(r.ID, lost)
		}
	}
	return response, err
}

// sendOnly sends a frame that cannot have a response, with a timeout.
func (c *Client) sendOnly(ctx context.Context, r call) error {
	ctx, stop := c.withTimeout(ctx, c.cfg.Timeout, context.DeadlineExceeded)
	defer stop()
	return c.Transmit(ctx, transport.Outgoing{Bytes: r.Frame, Scanned: &r.Envelope, Note: r.note})
}

// register returns nil if a pending request has the id.
func (c *Client) register(r call) *pending {
	token := r.ID.Key()
	if t, ok := jsonrpc.Member(r.Params, "_meta", "progressToken"); ok {
		token = jsonrpc.TokenOf(t).Key()
	}
	p := &pending{
		method: r.Method, token: token, onSent: r.onSent,
		reply: make(chan reply, 1), progress: make(chan struct{}, 1), garbled: make(chan struct{}, 1),
		restart: make(chan struct{}, 1), extend: make(chan time.Duration, 1), lost: make(chan error, 1),
	}
	c.update(func(s *state) {
		if s.pending[r.ID.Key()] != nil {
			p = nil
			return
		}
		s.pending[r.ID.Key()] = p
	})
	return p
}

func (c *Client) forget(id jsonrpc.ID, p *pending) {
	c.update(func(s *state) {
		if s.pending[id.Key()] == p {
			delete(s.pending, id.Key())
		}
	})
}

// noLimit is longer than any connection.
const noLimit = 100 * 365 * 24 * time.Hour

// wait waits for the response to a request. No other function waits for the server on behalf of a
// caller.
func (c *Client) wait(ctx context.Context, p *pending, sent <-chan error, timeout time.Duration) (Response, error) {
	start := time.Now()
	idle := time.NewTimer(timeout)
	defer idle.Stop()
	limit := max(c.cfg.MaxTimeout, timeout) // timeout may be noLimit
	hard := time.NewTimer(limit)
	defer hard.Stop()
	extended := false         // the idle timer was reset
	last := start.Add(limit)  // progress does not extend it
	var lost error            // the response can only come on another stream
	var gone <-chan time.Time // fires when the wait on another stream ends; nothing extends it
	p.expires(start.Add(timeout))
	for {
		select {
		case r := <-p.reply:
			return p.replied(r)
		case err := <-sent:
			if exit, ok := errors.AsType[*stdio.ExitError](err); ok { // exited before or during the write
				return p.preferReply(&ClosedError{p.method, exit})
			}
			if err != nil {
				return p.preferReply(err)
			}
			sent = nil // sent; wait for the response
			p.isSent()
		case lost = <-p.lost:
			gone = time.After(lostGrace)
			p.expires(time.Now().Add(lostGrace))
		case <-gone:
			return p.preferReply(lost)
		case <-p.garbled:
			idle.Reset(garbledGrace)
			p.expires(time.Now().Add(garbledGrace))
			extended = true
		case <-p.progress:
			// Progress does not shorten an extension by the user.
			if at := time.Now().Add(timeout); at.After(p.expiry()) {
				idle.Reset(timeout)
				p.expires(minTime(at, last))
			}
			extended = true
		case by := <-p.extend:
			at := p.expiry().Add(by)
			p.expires(at)
			idle.Reset(time.Until(at))
			if at.After(last) {
				last = at
				hard.Reset(time.Until(at))
			}
			extended = true
		case <-idle.C:
			if read(c, (*state).timeoutsPaused) || len(p.restart) > 0 {
				idle.Reset(timeout) // the server waits for a response of the client
				p.expires(time.Now().Add(timeout))
				extended = true
				continue
			}
			if !extended { // states the configured timeout, without the delay of a busy machine
				return Response{}, c.timedOut(p, timeout)
			}
			return Response{}, c.timedOut(p, time.Since(start))
		case <-p.restart:
			start = time.Now()
			last = start.Add(limit)
			idle.Reset(timeout)
			hard.Reset(limit)
			p.expires(start.Add(timeout))
		case <-hard.C:
			if read(c, func(s *state) bool { return s.authorizing > 0 }) || len(p.restart) > 0 {
				hard.Reset(limit)
				last = time.Now().Add(limit)
				continue
			}
			return Response{}, c.timedOut(p, time.Since(start))
		case <-ctx.Done():
			return p.preferReply(context.Cause(ctx))
		case <-c.quit:
			return p.preferReply(&ClosedError{p.method, c.errClosed()})
		case <-c.transport().Done():
			err := c.Err()
			if err == nil {
				err = c.errClosed()
			}
			return p.preferReply(&ClosedError{p.method, err})
		}
	}
}

// errClosed returns [ErrClosed], with the reason of [Client.CloseFor] if that was called.
func (c *Client) errClosed() error {
	select {
	case <-c.quit:
	default:
		return ErrClosed
	}
	if c.closedFor == "" {
		return ErrClosed
	}
	return fmt.Errorf("%w: %s", ErrClosed, c.closedFor)
}

// Pending reports whether a request with an id waits for its response.
func (c *Client) Pending(id jsonrpc.ID) bool { return c.pending(id) != nil }

// Unfinished returns the number of bytes of an incomplete message of the server.
func (c *Client) Unfinished() int64 {
	if u, ok := c.transport().(transport.Unfinisher); ok {
		return u.Unfinished()
	}
	return 0
}

func (p *pending) isSent() {
	if p.onSent != nil {
		p.onSent()
		p.onSent = nil
	}
}

// replied returns the outcome after a reply. A reply can arrive before the write is reported as done or as
// failed, such as HTTP 404 with a response in its body.
func (p *pending) replied(r reply) (Response, error) {
	p.isSent()
	return r.response, r.err
}

// preferReply returns a response that came at the same time as an error.
func (p *pending) preferReply(err error) (Response, error) {
	select {
	case r := <-p.reply:
		return p.replied(r)
	default:
		return Response{}, err
	}
}

// deliver delivers the first reply; later ones are only recorded.
func (p *pending) deliver(r reply) {
	select {
	case p.reply <- r:
	default:
	}
}

// Params marshals params for a request. It is for values that always marshal:
// maps, strings, numbers, raw JSON.
func Params(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
