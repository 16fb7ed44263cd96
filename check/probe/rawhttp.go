package probe

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// An HTTPRequest is a request that is sent unchanged, outside of any connection.
type HTTPRequest struct {
	Method string // default POST
	URL    string // default the target
	// Header overrides headers of a correct request. A nil value removes a header.
	Header http.Header
	Host   string // Host header, if not empty
	Body   []byte
	// Session holds the headers of the session and its version.
	Session http.Header
	// Timeout is the response timeout. The default is the timeout of the run.
	Timeout time.Duration
	// HeadersOnly returns after the headers, without reading the body.
	HeadersOnly bool
	// MayFail leaves a missing HTTP response to the probe. Otherwise it is reported and ends the probe.
	MayFail bool
	// Metadata reports whether the request is for metadata of authorization. Rules judge the
	// document.
	Metadata bool
}

const maxHTTPBody = 1 << 20

// HTTP sends a raw request without following redirects.
func (r *Run) HTTP(name string, q HTTPRequest) Outcome {
	none := Outcome{Kind: Unsent}
	if !r.begin(name, q.Body, nil) {
		return none
	}
	p, ok := r.send(name, q)
	if !ok {
		return none
	}
	if r.isStopped() {
		return none
	}
	p.x = &exchange{name: name, http: &q}
	r.noteSent(p)
	if p.Err == nil {
		r.reached = true
		if e := jsonrpc.Scan(q.Body); p.Kind <= Error && !isPing(e, q.Body) {
			r.runner.note(&r.runner.paces, p.Took)
		}
	} else {
		if r.checkAlive(&p); r.ended == "" && !q.MayFail {
			r.noResponse(p)
		}
	}
	if mcphttp.IsLimit(p.Status, p.Header) {
		r.limited()
	}
	if r.ended != "" {
		return none
	}
	return p
}

// record makes a raw exchange and records its frames.
func (r *Run) record(req *http.Request, q HTTPRequest) Outcome {
	j, start := r.runner.journal, time.Now()
	x := j.startExchange(req, q.Body, start)
	if q.Metadata {
		x.x.Purpose = transport.PurposeAuthorization
	}
	first := j.add(0, transport.Frame{Dir: transport.Out, Time: start, Bytes: requestText(req, q)}, x.row)
	p := r.roundTrip(req, q)
	p.Sent, p.Took = q.Body, time.Since(start)
	p.waited = p.Took
	x.end(&p)
	second := j.add(0, transport.Frame{Dir: transport.In, Time: time.Now(), Bytes: responseText(p)}, x.row)
	p.evidence = []Frame{first, second}
	if target, err := url.Parse(r.runner.cfg.Target.URL); err == nil && (q.Metadata || mcphttp.SameOrigin(target, req.URL)) {
		x.lint(first, second, &p) // other responses are not from the server
	}
	return p
}

// resend makes a raw exchange to examine a finding. ok is false if the request cannot be built.
func (r *Run) resend(name string, q HTTPRequest) (o Outcome, ok bool) {
	r.report.Sent++
	return r.send(name, q)
}

// send makes a raw exchange. If the server limits the rate, it pauses and sends the request again.
func (r *Run) send(name string, q HTTPRequest) (o Outcome, ok bool) {
	limits := &r.runner.limits
	for range maxResent {
		limits.pass(r.ctx)
		if o, ok = r.sendOnce(name, q); !ok || !limits.note(o.Status, o.Header) || r.ctx.Err() != nil {
			break
		}
	}
	return o, ok
}

func (r *Run) sendOnce(name string, q HTTPRequest) (o Outcome, ok bool) {
	ctx, stop := context.WithTimeout(r.ctx, cmp.Or(q.Timeout, r.runner.requestTimeout()))
	defer stop()
	req := r.httpRequest(ctx, q)
	if req == nil {
		return o, false
	}
	o = r.record(req, q)
	if o.timedOut = ctx.Err() != nil; o.Err == nil {
		r.runner.survived(nil, contact{probe: r.report.Entry, name: name, sent: q.Body, status: o.Status, evidence: o.evidence})
	}
	return o, true
}

// noResponse ends the probe after a request without an HTTP response.
func (r *Run) noResponse(p Outcome) {
	if p.timedOut {
		r.Of(p).Error("There is no response to %s within %s.", r.name, phrase.Duration(p.Took.Round(time.Second)))
	} else {
		r.Of(p).Warn("The server closed the connection without an HTTP response to %s.", r.name)
	}
	r.Unjudged("there is no HTTP response to %s: %s", r.name, r.runner.journal.redact(p.Err.Error()))
}

// httpRequest builds a request with the headers of a correct client. If it cannot be built, httpRequest ends
// the probe and returns nil.
func (r *Run) httpRequest(ctx context.Context, q HTTPRequest) *http.Request {
	target := r.runner.cfg.Target
	method := cmp.Or(q.Method, http.MethodPost)
	req, err := http.NewRequestWithContext(ctx, method, cmp.Or(q.URL, target.URL), bytes.NewReader(q.Body))
	if err != nil {
		r.Unjudged("cannot build the request: %v", err)
		return nil
	}
	maps.Copy(req.Header, target.Header.Clone())
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/event-stream")
	}
	if len(q.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.IsStateless() && len(q.Body) > 0 {
		e := jsonrpc.Scan(q.Body)
		m, params := e.MethodName(q.Body), e.Params.Of(q.Body)
		req.Header.Set("MCP-Protocol-Version", string(revision.NewestStateless))
		req.Header.Set("Mcp-Method", m)
		if param, ok := revision.NameParam(m); ok {
			req.Header.Set("Mcp-Name", revision.HeaderValue(jsonrpc.Text(params, param)))
		}
	}
	if a := r.runner.cfg.Client.Authorization; a != nil {
		a.Authorize(method, req.URL, req.Header)
	}
	for name, values := range q.Session {
		req.Header[name] = values
	}
	for name, values := range q.Header {
		if values == nil {
			delete(req.Header, http.CanonicalHeaderKey(name))
			continue
		}
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if q.Host != "" {
		req.Host = q.Host
	}
	return req
}

func (r *Run) roundTrip(req *http.Request, q HTTPRequest) Outcome {
	var written atomic.Bool // net/http repeats a repeatable request, on a connection that is then refused
	trace := httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) { written.Store(w.Err == nil || written.Load()) }}
	res, err := r.runner.httpClient().Do(req.WithContext(httptrace.WithClientTrace(req.Context(), &trace)))
	if err != nil {
		return Outcome{Kind: Network, Err: err, written: written.Load()}
	}
	defer func() { _ = res.Body.Close() }()
	p := Outcome{Kind: Silent, Status: res.StatusCode, Header: res.Header}
	if !q.HeadersOnly {
		id := jsonrpc.Scan(q.Body).ID.Of(q.Body)
		var cut bool
		if p.Body, p.Frame, cut = r.readMessage(res, id); cut {
			p.acts = []Act{{time.Now(), "closed the event stream, which had no message"}}
		}
	}
	if p.Frame != nil {
		p.settle()
	} else if p.Status >= 400 {
		p.Kind = Refused
	}
	return p
}

// readMessage reads a body until its message is complete, and returns both. In an event stream, the message is
// the first response with the id. cut reports that mcptea closed the stream before one arrived.
func (r *Run) readMessage(res *http.Response, id jsonrpc.Token) (body, message []byte, cut bool) {
	stream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	var closed atomic.Bool
	if stream { // the stream may stay open
		grace := r.runner.atLeast(streamGrace)
		if res.Request.Method == http.MethodGet {
			grace = r.runner.atLeast(listenGrace)
		}
		timer := time.AfterFunc(grace, func() {
			closed.Store(true)
			_ = res.Body.Close()
		})
		defer timer.Stop()
	}
	var all bytes.Buffer
	source := io.TeeReader(io.LimitReader(res.Body, maxHTTPBody), &all)
	if !stream {
		_, _ = io.Copy(io.Discard, source) // what arrived before an error counts
	}
	for events := mcphttp.NewEventReader(source); stream; {
		event, err := events.Next() // accepts an event without the blank line that should end it
		if e := jsonrpc.Scan(event.Data); e.Kind.IsResponse() && (!id.Present() || e.ID.Of(event.Data).Same(id)) {
			return all.Bytes(), bytes.Clone(event.Data), false
		}
		if err != nil {
			break
		}
	}
	body = all.Bytes()
	if e := jsonrpc.Scan(body); !stream && e.Kind.IsResponse() {
		return body, bytes.TrimSpace(body), false
	}
	return body, nil, closed.Load()
}

// httpClient returns the client for raw requests.
func (r *Runner) httpClient() *http.Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.http == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		if dial := r.cfg.Target.Dial; dial != nil {
			t.DialContext, t.Proxy = dial, nil
		}
		target, _ := mcphttp.Endpoint(r.cfg.Target.URL) // valid, because the shared connection is open
		r.http = &http.Client{
			Transport:     mcphttp.NewTransport(r.cfg.Target.TLS, target, t),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return r.http
}

// requestText formats a request as evidence: request line, headers without secrets, body.
func requestText(req *http.Request, q HTTPRequest) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", req.Method, req.URL.RequestURI())
	if q.Host != "" || q.URL != "" {
		fmt.Fprintf(&b, "Host: %s\n", req.Host)
	}
	odd, rest := http.Header{}, http.Header{} // headers that the probe changed come first
	for name, values := range req.Header {
		if _, changed := q.Header[name]; changed {
			odd[name] = values
		} else {
			rest[name] = values
		}
	}
	writeHeader(&b, odd)
	writeHeader(&b, rest)
	b.Write(q.Body[:min(len(q.Body), maxEvidence)])
	return b.Bytes()
}

func responseText(p Outcome) []byte {
	if p.Err != nil {
		return []byte("no response: " + p.Err.Error())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d %s\n", p.Status, http.StatusText(p.Status))
	shown := http.Header{}
	for name, values := range p.Header {
		if strings.HasPrefix(name, "Access-Control-Allow-") || slices.Contains(shownHeaders, name) {
			shown[name] = values
		}
	}
	writeHeader(&b, shown)
	b.Write(p.Body[:min(len(p.Body), maxEvidence)])
	return b.Bytes()
}

// shownHeaders lists the response headers that probes may be about.
var shownHeaders = []string{"Allow", "Content-Encoding", "Content-Type", "Location", "Mcp-Session-Id", "Retry-After", "Www-Authenticate"}

// writeHeader writes headers, hiding values that may be credentials.
func writeHeader(b *bytes.Buffer, h http.Header) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			switch name {
			case "Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "Mcp-Session-Id", "X-Api-Key":
				v = "[redacted]"
			}
			fmt.Fprintf(b, "%s: %s\n", name, v)
		}
	}
}

// Session performs the handshake with raw requests and returns the headers of the session, which ends with the
// probe. In stateless revisions there are none.
func (r *Run) Session() http.Header {
	h := http.Header{}
	if r.IsStateless() {
		return h
	}
	p := r.HTTP("initialize", HTTPRequest{Body: r.InitializeBody()})
	version := jsonrpc.Text(p.Result(), "protocolVersion")
	if version == "" {
		r.Unjudged("the server replied to initialize with HTTP status %d", p.Status)
		return h
	}
	if !revision.Revision(version).Before(revision.R20250618) {
		h.Set("MCP-Protocol-Version", version)
	}
	if id := p.Header.Get("Mcp-Session-Id"); id != "" {
		h.Set("Mcp-Session-Id", id)
		r.sessions = append(r.sessions, h)
	}
	r.HTTP("notifications/initialized", HTTPRequest{Session: h, Body: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)})
	return h
}

// endSessions ends the sessions of raw requests.
func (r *Run) endSessions() {
	for _, h := range r.sessions {
		ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), closeTimeout)
		req := r.httpRequest(ctx, HTTPRequest{Method: http.MethodDelete, Session: h})
		if res, err := r.runner.httpClient().Do(req); err == nil { // cannot be nil: earlier requests of the session were built
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxHTTPBody))
			_ = res.Body.Close()
		}
		stop()
	}
}

// InitializeBody returns a correct first request: initialize, or server/discover in stateless
// protocol versions.
func (r *Run) InitializeBody() []byte {
	if r.IsStateless() {
		return r.Maker().Request("server/discover", "")
	}
	return jsonrpc.EncodeRequest(jsonrpc.IDOf("1"), "initialize", []byte(r.InitializeParams(string(r.Server.Revision), "")))
}

// Maker returns a connection that builds frames for raw requests: the shared one, whether open or not.
func (r *Run) Maker() *Conn { return r.runner.shared }

// Endpoint returns the message URI of the shared connection over HTTP+SSE, or "".
func (r *Run) Endpoint() string {
	l := r.runner.shared.link()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endpoint
}
