package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// post is the exchange of one frame, with the requests that need a response.
type post struct {
	t *Streamable
	message
	pending pendingIDs     // belongs to the goroutine of run
	refusal *jsonrpc.Error // without an id, to a POST of one request, or nil. It belongs to run, too

	life      context.Context // context of the exchange
	cancel    context.CancelCauseFunc
	abandoned atomic.Bool // no request waits for the responses: the stream is not resumed

	mu        sync.Mutex
	reported  bool  // the result of Send is set
	returned  bool  // Send has returned early
	err       error // error that Send returns
	statusErr error // the status is not 2xx, and the body is still being read
	done      chan struct{}
}

// Send POSTs one frame (2025-03-26, transports, "Sending Messages to the Server"). It
// returns nil after the headers of a JSON or stream response, whose frames are
// delivered to the Receiver. The errors are
// *transport.StatusError, also wrapped in [ErrSessionExpired], *[ContentError],
// [errClosed], and failures to reach the server. When ctx ends first, the
// exchange continues, and a later failure is reported to Config.Lost.
func (t *Streamable) Send(ctx context.Context, frame transport.Outgoing) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	open := t.opened
	t.mu.Unlock()
	if !open {
		return errNotOpen
	}
	p := &post{t: t, message: newMessage(frame), done: make(chan struct{})}
	p.pending = requestIDs(p.frame, p.envelope)
	p.life, p.cancel = context.WithCancelCause(t.life)
	leave := t.track(p)
	written := make(chan *Exchange, 1)
	if !t.start(func() {
		defer p.cancel(nil)
		defer leave()
		p.run(<-written)
	}) {
		leave()
		p.cancel(nil)
		return errClosed
	}
	ex := t.post(t.server, t.header(http.MethodPost, &p.message), &p.message)
	url := ex.Report.URL
	written <- ex // owned by run
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return p.leave(url, context.Cause(ctx))
	}
}

// leave makes Send return an error before the result is known.
func (p *post) leave(url string, why error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.reported:
		return p.err
	case p.statusErr != nil:
		p.reported = true
		return fmt.Errorf("%w (%w while reading the body)", p.statusErr, why)
	}
	p.returned = true
	return fmt.Errorf("no response to POST %s yet: %w", url, why)
}

// report sets the result of Send, once. If Send has returned early, an error is
// reported to Config.Lost.
func (p *post) report(err error) {
	p.mu.Lock()
	if p.reported {
		p.mu.Unlock()
		return
	}
	p.reported, p.err = true, err
	left := p.returned
	close(p.done)
	p.mu.Unlock()
	if left && err != nil {
		p.reportLost(err)
	}
}

// reportLost calls Config.Lost for the pending ids.
func (p *post) reportLost(err error) {
	ids := p.pending
	p.pending = nil
	if p.t.config.Lost == nil || p.t.closed() || p.canceled() {
		return
	}
	if p.refusal != nil && len(ids) == 1 {
		err = &refusalError{Err: err, Refusal: p.refusal}
	}
	for _, id := range ids {
		p.t.config.Lost(id, &LostError{ID: id, Err: err})
	}
}

// canceled reports whether the request was cancelled.
func (p *post) canceled() bool { return errors.Is(context.Cause(p.life), errCanceled) }

// maxRefusal bounds the message of an error without an id, in bytes.
const maxRefusal = 4 << 10

// answered takes a message of the response.
func (p *post) answered(frame []byte, e jsonrpc.Envelope) {
	p.pending.removeAnswered(frame, e)
	id := e.ID.Of(frame)
	if e.Kind != jsonrpc.ErrorResponse || p.refusal != nil || id.Present() && id.Type() != jsonrpc.IDNull {
		return
	}
	rpcError := jsonrpc.ParseError(frame, e)
	text := rpcError.Message[:min(len(rpcError.Message), maxRefusal)]
	p.refusal = &jsonrpc.Error{Code: rpcError.Code, Message: strings.ToValidUTF8(strings.Clone(text), "")}
}

// run makes the exchange.
func (p *post) run(ex *Exchange) {
	ex, err := ex.RoundTrip(p.life)
	if err != nil {
		p.report(err)
		return
	}
	if p.isInitialize() && ex.ok() {
		p.t.startSession(ex.Response.Header.Get(sessionHeader))
	}
	media := ex.mediaType()
	switch {
	case !ex.ok():
		p.readStatusError(ex)
	case media == StreamType:
		p.report(nil)
		p.readStream(ex)
	case IsJSON(media), ex.Response.ContentLength == 0, ex.Report.Status == http.StatusAccepted:
		p.report(nil)
		p.readBody(ex)
	default:
		p.readWrongType(ex)
	}
}

// readStatusError handles a status other than 2xx.
func (p *post) readStatusError(ex *Exchange) {
	p.mu.Lock()
	p.statusErr = statusError(ex, nil)
	p.mu.Unlock()
	body, err := ex.Read(bodyLimit)
	if p.isInitialize() && jsonrpc.Scan(body).Kind == jsonrpc.Response { // the client continues with it
		p.t.startSession(ex.Response.Header.Get(sessionHeader))
	}
	ex.expired = isExpired(ex, body)
	if IsJSON(ex.mediaType()) && !isBlank(body) || jsonrpc.Scan(body).Kind != jsonrpc.Invalid {
		p.answered(body, ex.deliver(body, err != nil, "", ""))
	}
	ex.Finish(err)
	p.report(statusError(ex, body))
}

// readBody handles a response of one frame, or of nothing.
func (p *post) readBody(ex *Exchange) {
	body, err := ex.Read(bodyLimit)
	empty := isBlank(body)
	if !empty {
		e := ex.deliver(body, err != nil, "", "")
		if err == nil {
			p.answered(body, e)
		}
	}
	ex.Finish(err)
	switch {
	case err != nil:
		p.reportLost(err)
	case empty:
		p.reportLost(emptyError(ex.Report.Status))
	default:
		p.reportLost(ErrNoAnswer)
	}
}

// readWrongType handles a successful response with another content type. A message is accepted, since some
// servers omit the type. If no response is expected, anything is accepted: the status reports that the
// notification or response was accepted (2025-03-26, transports, "Sending Messages to the Server").
func (p *post) readWrongType(ex *Exchange) {
	body, err := ex.Read(bodyLimit)
	if isBlank(body) && err == nil {
		ex.Finish(nil)
		p.report(nil)
		p.reportLost(emptyError(ex.Report.Status))
		return
	}
	e := ex.deliver(body, err != nil, "", "")
	if len(p.pending) == 0 {
		ex.Finish(err)
		p.report(nil)
		return
	}
	known := err == nil && e.Kind != jsonrpc.Invalid
	if known {
		p.answered(body, e)
		ex.Finish(nil)
		p.report(nil)
		p.reportLost(ErrNoAnswer)
		return
	}
	if err == nil {
		err = ex.contentError(body)
	} else {
		err = fmt.Errorf("%w; %w", ex.contentError(body), err)
	}
	ex.Finish(err)
	p.report(err)
}

// satisfied reports whether the stream needs no continuation.
func (p *post) satisfied() bool { return len(p.pending) == 0 || p.abandoned.Load() }

// readStream handles a response that is an event stream.
func (p *post) readStream(ex *Exchange) {
	var s stream
	err := events(ex, &s, p.answered)
	ex.Finish(err)
	if p.satisfied() || p.t.closed() {
		return
	}
	if isFinal(err) {
		p.reportLost(err)
		return
	}
	if _, revision := p.t.headerState(); isStateless(revision) {
		if err == nil {
			err = ErrStreamUnanswered
		}
		p.reportLost(err)
		return
	}
	if s.lastID == "" {
		if err == nil {
			err = ErrStreamUnanswered
		}
		p.reportLost(fmt.Errorf("%w; without an event id it cannot be resumed", err))
		return
	}
	if err = p.resume(s); err != nil {
		p.reportLost(fmt.Errorf("its event stream ended, and the resumption failed: %w", err))
	}
}
