package relay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/tap/pipeline"
)

const (
	// takeTimeout bounds how long a server may take to accept a message without a response.
	takeTimeout = 10 * time.Second
	// streamTimeout bounds how long messages after initialized wait for the stream of the server's messages.
	// newStreamTimeout is the same for a session that replaces another one, in which the host continues
	// immediately.
	streamTimeout    = 200 * time.Millisecond
	newStreamTimeout = 2 * time.Second
)

// Tool returns the input schema of a tool that the host has listed, whose annotations are mirrored in headers,
// or nil.
func (r *Relay) Tool(name string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known.tools[name]
}

// carried returns a frame that is recorded with the exchange that carries it; reported is called then.
func (s *server) carried(frame []byte, side transport.Side, reported func()) transport.Outgoing {
	line := append(frame[:len(frame):len(frame)], '\n')
	var once sync.Once // the message may be sent again, for example after an authorization
	return transport.Outgoing{Bytes: frame, Note: transport.Note{Side: side, Carried: func(exchange uint32) {
		once.Do(func() {
			s.r.out.Record(time.Now(), line, nil, side, pipeline.Origin{Exchange: exchange})
			reported()
		})
	}}}
}

// post sends a frame of the host over HTTP. Requests have concurrent exchanges, which start in
// order. A frame without a response is accepted by the server before the next frame is sent.
func (s *server) post(frame []byte, e *jsonrpc.Envelope, recorded bool) {
	frame = bytes.Clone(frame)
	s.name(frame, e)
	if e.HasMethod(frame, "notifications/cancelled") && s.cancels(frame, e, recorded) {
		return
	}
	reported := make(chan struct{})
	report := sync.OnceFunc(func() { close(reported) })
	scanned := *e
	o := transport.Outgoing{Bytes: frame, Note: transport.Note{Carried: func(uint32) { report() }}}
	if !recorded {
		o = s.carried(frame, transport.Both, report)
	}
	o.Scanned = &scanned
	if e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Batch {
		go func() {
			defer report()
			s.exchanged(o, &scanned)
		}()
		<-reported
		return
	}
	s.exchanged(o, &scanned)
	if e.HasMethod(frame, "notifications/initialized") {
		s.listen(s.r.ctx, streamTimeout)
	}
}

// name sets the headers to the protocol version of a frame.
func (s *server) name(frame []byte, e *jsonrpc.Envelope) {
	version := jsonrpc.Text(e.Params.Of(frame), "_meta", revision.MetaProtocolVersion)
	if version == "" {
		s.r.mu.Lock()
		version = s.r.known.version
		s.r.mu.Unlock()
	}
	// A notification of the stateless era has no _meta: it has the version of the previous frames, even if the
	// host has not sent server/discover.
	if version != "" && version != s.version && !e.HasMethod(frame, "initialize") {
		s.version = version
		s.t.Negotiated(version)
	}
}

// cancels ends the exchange of a request in the stateless era, instead of notifications/cancelled.
func (s *server) cancels(frame []byte, e *jsonrpc.Envelope, recorded bool) bool {
	id := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(frame), "requestId")).ID()
	c, ok := s.t.(transport.RequestCanceler)
	if !ok || !c.CancelRequest(id) {
		return false
	}
	if !recorded {
		const why = "the end of its exchange cancels the request"
		s.r.out.Drop(transport.Frame{Bytes: frame, Time: time.Now(), Dir: transport.Out}, append(frame, '\n'), why, pipeline.Origin{})
	}
	return true
}

// listen opens the stream of the server's own messages, and waits until the server has responded, at most for the
// limit: what the server sends before that may be lost. If a server has never responded to such a request in time,
// because its headers arrive with the first event, the wait is short.
func (s *server) listen(ctx context.Context, limit time.Duration) {
	r, opened := s.r, s.t.Listen()
	if opened == nil {
		return
	}
	r.mu.Lock()
	if r.streamless {
		limit = min(limit, streamTimeout)
	}
	r.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-opened:
		return
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	if limit < newStreamTimeout {
		return
	}
	r.mu.Lock()
	r.streamless = true
	r.mu.Unlock()
	r.tell(fmt.Sprintf("the server has not opened the stream for its own messages within %s: what it sends before may be lost", phrase.Duration(limit)))
}

// exchanged sends a frame and settles it if it fails.
func (s *server) exchanged(o transport.Outgoing, e *jsonrpc.Envelope) {
	err := s.sendWithin(o, e)
	switch {
	case err == nil:
		return
	case !e.HasMethod(o.Bytes, "initialize") && s.r.isExpired(err):
		if o, err = s.sendInNextSession(o, e, err); err == nil {
			return
		}
	case e.HasMethod(o.Bytes, "initialize") && s.mayFallBack(err):
		if err = s.fallBack(err); err != nil {
			break
		}
		if err = s.t.Send(s.r.ctx, s.carried(o.Bytes, transport.Own, func() {})); err == nil {
			return
		}
	}
	s.r.settle(o.Bytes, e, err)
}

// sendWithin sends a frame; while an authorization waits for the user, for a limited time.
func (s *server) sendWithin(o transport.Outgoing, e *jsonrpc.Envelope) error {
	ctx, stop := context.WithCancelCause(s.r.ctx)
	defer stop(nil)
	waits := e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Batch
	limit := takeTimeout
	if waits {
		limit = authorizeWait
	}
	timer := time.AfterFunc(limit, func() {
		if unsigned := s.r.waitsForUser(); unsigned != nil {
			stop(unsigned)
		} else if !waits {
			stop(errNotTaken)
		}
	})
	defer timer.Stop()
	err := s.t.Send(ctx, o)
	var unsigned *consentError
	if cause := context.Cause(ctx); err != nil && (errors.As(cause, &unsigned) || errors.Is(cause, errNotTaken)) {
		return cause
	}
	return err
}

var errNotTaken = fmt.Errorf("the server has not responded within %s", phrase.Duration(takeTimeout))

// isRefusal reports whether the HTTP status determines the meaning of an error response: the response has no id
// of a request, or its session has expired. The caller holds the lock.
func (r *Relay) isRefusal(s *server, f *transport.Frame) bool {
	if f.Exchange == 0 || f.Envelope.Kind != jsonrpc.ErrorResponse {
		return false
	}
	status := s.status(f.Exchange)
	if status < http.StatusBadRequest {
		return false
	}
	switch {
	case f.Expired && r.known.result != nil:
		return true
	case status == http.StatusBadRequest && r.deniesSession(f.Bytes, &f.Envelope):
		return true
	}
	id := f.Envelope.ID.Of(f.Bytes)
	return r.known.calls.get(id) == nil && !r.isOwn(id)
}

// settle responds to the requests of a frame that has failed.
func (r *Relay) settle(frame []byte, e *jsonrpc.Envelope, err error) {
	if e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Batch {
		r.tell(fmt.Sprintf("%s of the host did not reach the server: %s", whatIs(frame, e), r.redact(err.Error())))
		return
	}
	requestsIn(frame, e, func(id jsonrpc.ID) { r.failed(id, err) })
}

func whatIs(frame []byte, e *jsonrpc.Envelope) string {
	if e.Kind == jsonrpc.Notification {
		return e.MethodName(frame)
	}
	return "a response"
}

// lost settles a request that gets no response.
func (r *Relay) lost(id jsonrpc.ID, err error) {
	r.mu.Lock()
	response := r.ownRequests[id.Key()]
	r.mu.Unlock()
	if response == nil {
		r.failed(id, err)
	}
}

// failed responds to a request of the host with an error of HTTP, unless it has a response.
func (r *Relay) failed(id jsonrpc.ID, err error) {
	if r.ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	c := r.known.calls.withID(id)
	r.known.calls.forget(c)
	if c == nil {
		r.mu.Unlock()
		return
	}
	r.known.settle(id.Key())
	defer r.answers()()
	r.wake()
	if !r.responded {
		r.failure = explained(c, err)
	}
	r.mu.Unlock()
	if status, rpcError := ownWords(err); rpcError != nil {
		code, _ := rpcError.Code.Number()
		r.inject(jsonrpc.EncodeError(id, code, rpcError.Message, rpcError.Data), fmt.Sprintf("the error of the response with status %d", status.Status))
		return
	}
	t := r.textOf(c, err)
	r.Warn(strings.ReplaceAll(t.text, cmp.Or(t.page, "\x00"), t.masked)) // stderr has the page already
	r.answer(id, t)
}

// ownWords returns the JSON-RPC error in which the server has refused a request, or nil. It returns
// nil for a refusal in another form, for a refusal of authorization, which mcptea has tried, and
// for a request that the server had accepted before. In that case, the refusal is about a later
// request of mcptea.
func ownWords(err error) (status *transport.StatusError, rpcError *jsonrpc.Error) {
	var tried *transport.AuthorizationError
	var lost *mcphttp.LostError
	if errors.As(err, &tried) || errors.As(err, &lost) || !errors.As(err, &status) {
		return nil, nil
	}
	e := jsonrpc.Scan(status.Body)
	if !e.IsError() {
		return nil, nil
	}
	return status, jsonrpc.ParseError(status.Body, e)
}

// explained returns the failure of a request as the explanation needs it.
func explained(c *call, err error) error {
	if c.method == "initialize" || c.method == "server/discover" {
		return &client.ConnectError{Step: c.method, Err: err}
	}
	return err
}

// textOf returns the reason why a request has failed, in the words of every command.
func (r *Relay) textOf(c *call, err error) failureText {
	t := failureText{reason: "http", detail: r.redact(err.Error())}
	var status *transport.StatusError
	var unsigned *consentError
	var refused *transport.AuthorizationError
	var lost *mcphttp.LostError
	e := failure.Explain(explained(c, err), failure.TargetFacts(r.Server, r.Secrets))
	t.text = e.Sentence
	switch {
	case errors.As(err, &unsigned):
		t.text, t.reason = t.detail, "authorization"
		t.page, t.masked = unsigned.page, (oauth.Step{URL: unsigned.page}).MaskedURL()
	case errors.As(err, &refused):
		t.reason, status = "authorization", refused.Status
		t.detail = r.redact(refused.Status.Error()) // the text has the other error
	case errors.As(err, &lost):
		t.reason = "lost"
		t.text += " The request may have been carried out."
	case errors.As(err, &status):
		t.reason = fmt.Sprintf("http %d", status.Status)
	}
	if status != nil && unsigned == nil {
		message := r.redact(failure.Said(status))
		if quoted := phrase.QuoteAll(message); message != "" && !strings.Contains(t.text, message) && !strings.Contains(t.text, quoted) {
			t.text += " The body of the response: " + quoted + "."
		}
	}
	if try := e.Try(); try != "" && unsigned == nil {
		t.text += " " + try
	}
	return t
}
