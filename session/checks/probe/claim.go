package probe

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// exchange is what an outcome is of: what was sent, and where. It is enough to send the
// plain form of it, and the same again.
type exchange struct {
	name string       // the case, in a few words
	conn *Conn        // nil for a raw HTTP request
	http *HTTPRequest // nil on a connection
	// altered reports that other frames than plain ones had been sent on the connection, first
	// that nothing had.
	altered, first bool
	// ends reports that the frame has ended the connection: [Run.dead] has shown it.
	ends bool
}

// claim is what a finding says about the server. It decides what has to be shown before
// the finding is reported.
type claim uint8

const (
	// claimShows: what was received is wrong by itself, whatever was sent. The frame is the proof.
	claimShows claim = iota
	// claimAccepts: the server takes what is odd in what it was sent. The same request in its plain
	// form must get a result, too, so that the response is one to the request.
	claimAccepts
	// claimExecutes: the server does what it was asked for although the params are wrong. The plain
	// form must get another result: one that all params get says nothing about them.
	claimExecutes
	// claimRefuses: the server rejects what it was sent. The same request in its plain form
	// must be accepted, on the same connection, right after.
	claimRefuses
	// claimSilent: there is no response. The plain form must get one, in a time that the
	// odd one was given several times over.
	claimSilent
	// claimEnds: the connection has ended. [Run.dead] repeats the frame, and the plain one,
	// on connections of their own.
	claimEnds
	// claimCounts: some of the requests at once have led to what each of them alone does not.
	claimCounts
)

var claimNames = [...]string{claimShows: "shows", claimAccepts: "accepts", claimExecutes: "executes", claimRefuses: "refuses", claimSilent: "silent", claimEnds: "ends", claimCounts: "counts"}

// UnmarshalText reads the name of a claim.
func (c *claim) UnmarshalText(text []byte) error {
	i := slices.Index(claimNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no claim is called %q", text)
	}
	*c = claim(i)
	return nil
}

// claim is what a finding of the judgment says. One with frames of its own shows what was
// received.
func (j Judgment) claim() claim {
	o := j.of
	switch {
	case j.burst != nil:
		return claimCounts
	case j.exit != nil:
		return claimEnds
	case j.frames != nil || o.x == nil:
		return claimShows
	case o.x.http != nil && j.r.Server.Transport == client.TransportSSE: // responses come on the stream
		return claimShows
	case o.Kind == Dead:
		return claimEnds
	case o.Kind == Silent && o.Status < http.StatusMultipleChoices, o.Kind == Hang, o.Kind == Mute:
		return claimSilent
	case o.IsRefusal(), o.Kind == Network && o.x.http != nil:
		return claimRefuses
	case o.Kind == Result && !j.r.isPlain(o.Sent):
		return max(claimAccepts, j.declared)
	}
	return claimShows
}

// owns reports whether a frame is the plain form of a method, and the probe the one that reports
// that this fails: nothing is plainer.
func (r *Run) owns(method string, frame []byte) bool {
	return methodOf(frame) == method && r.isPlain(frame) && r.runner.because(method, "").Probe == r.report.Entry.ID
}

// answersOther reports whether another method than one has given a result in this run: the
// failure is not one of the server as a whole.
func (r *Run) answersOther(method string) bool {
	o, seen := r.runner.premise(r.plainRequest(method), "")
	return seen && o.Kind == Result
}

// differently is the cause of what cannot be repeated.
const differently = "the same frame led to different reactions"

// How often a frame is sent again: more often where the server is known to react in
// different ways to the same.
const (
	repetitions      = 2
	repetitionsFlaky = 4
)

// varies repeats the frame of an exchange, and reports how the reaction differs from the
// first: of what the server does once, and not again, nothing can be said.
func (r *Run) varies(j Judgment) *Because {
	first, n := j.of, repetitions
	flaky := r.runner.flaky.Load()
	if flaky {
		n = repetitionsFlaky
	}
	if first.Kind > Refused && !first.EndsEmpty() { // each takes as long as is waited
		n /= 2
	}
	for range n {
		again, ok := r.repeat(j)
		if !ok || r.ctx.Err() != nil {
			return nil
		}
		if again.Kind == first.Kind && again.Code == first.Code && again.Status == first.Status || again.Kind > Refused && again.Kind < Dead && first.Kind > Refused {
			continue
		}
		if sent := jsonrpc.Scan(first.Sent).ID.Of(first.Sent); first.Kind > Refused && again.Kind <= Error && !isOwnID(jsonrpc.Scan(first.Sent), first.Sent) && !sent.Is(again.ID) {
			continue // the response has another id
		}
		r.runner.flaky.Store(true)
		return &Because{Cause: differently, lost: first.Kind == Hang && again.Kind <= Refused, again: again, Why: fmt.Sprintf("%s returned %s, and %s when it was sent again", first.x.name, describe(first, "a result"), describe(again, "a result"))}
	}
	return nil
}

// repeat sends the frame of an exchange again. ok is false where that says nothing.
func (r *Run) repeat(j Judgment) (again Outcome, ok bool) {
	first := j.of
	if j.again != nil {
		return j.again(), true
	}
	if first.x.http != nil {
		return r.resend(first.x.name, *first.x.http)
	}
	e := jsonrpc.Scan(first.Sent)
	c := first.x.conn
	if c == nil || e.Kind != jsonrpc.Request {
		return again, false
	}
	mode, limit := tolerated, r.runner.responseTimeout()
	switch {
	case c.raw && first.x.first, !isOwnID(e, first.Sent):
		c = &Conn{r: r.runner, raw: c.raw, config: c.config, target: c.target}
		if !r.reopen(c) {
			return again, false
		}
		limit = r.runner.firstTimeout(limit)
		if first.Kind == Hang {
			mode = expected
		}
	case !c.link().alive():
		return again, false
	}
	frame := first.Sent
	if isOwnID(e, frame) {
		frame = bytes.Replace(frame, append([]byte(`"id":`), e.ID.Of(frame).Shown()...), c.ID().Append([]byte(`"id":`)), 1)
	}
	r.report.Sent++
	return c.exchange(r.ctx, frame, mode, limit), true
}

// isOwnID reports a request with an id of [Conn.ID]: another one would do as well.
func isOwnID(e jsonrpc.Envelope, frame []byte) bool {
	n, ok := jsonrpc.Integer(e.ID.Of(frame).Shown())
	return ok && n > firstID && n < firstID+maxMessages
}

// controlOf sends the plain form of the frame of an exchange: that of its method with params
// that the server should accept, or a sign of life where none are known, and where the frame
// is that form itself. ok is false where none can be sent. Where cheap, the newest outcome
// of the same control in the run will do.
func (r *Run) controlOf(of Outcome, c claim, cheap bool) (x control, ok bool) {
	sent := of.Sent
	e := jsonrpc.Scan(sent)
	x.method = e.MethodName(sent)
	if e.Kind == jsonrpc.Batch {
		return x, false
	}
	if x.method == "initialize" && of.x.http == nil {
		return r.controlInitialize(of, cheap)
	}
	isPlain := r.isPlain(sent)
	name := jsonrpc.Text(e.Params.Of(sent), "name")
	params, known := r.plainParams(x.method, name)
	if c == claimSilent && x.method == "tools/call" && !slices.ContainsFunc(r.Callables(), func(s Subject) bool { return s.Name == name }) {
		known = false // a tool may work for long; what does not exist does not
	}
	if x.params = params; !known || isPlain && x.method != r.runner.signOfLife() && (of.x.conn == nil || !of.x.conn.raw) {
		x.method, x.params = r.plainRequest(x.method), ""
	}
	if o, seen := r.runner.premise(x.method, x.params); cheap && seen {
		x.o = o
		return x, true
	}
	if of.x.http != nil {
		return r.controlHTTP(of, x)
	}
	// On the same connection, unless that is what is odd: one without a handshake, or on
	// which other frames than plain ones came before.
	conn := of.x.conn
	if conn == nil || conn.raw || !conn.link().answers() {
		conn = nil
	} else if isPlain && x.method == jsonrpc.Scan(sent).MethodName(sent) {
		if !of.x.altered && r.owns(x.method, sent) {
			return x, false
		}
		if of.x.altered {
			conn = nil
		}
	}
	if conn == nil {
		if r.control == nil {
			r.control = r.plain()
		}
		conn = r.control
	}
	if conn.connect(r.ctx) != nil {
		if conn == r.control {
			r.control = nil // it was never opened
		}
		x.o.Kind = Unsent
		return x, r.ctx.Err() == nil
	}
	r.report.Sent++
	x.o = conn.exchange(r.ctx, conn.Request(x.method, x.params), expected, r.runner.responseTimeout())
	r.runner.setPremise(x.method, x.params, x.o)
	return x, r.ctx.Err() == nil
}

// firstMethod is that of the first request of a connection.
func (r *Run) firstMethod() string {
	if r.IsStateless() {
		return "server/discover"
	}
	return "initialize"
}

// controlInitialize sends initialize as each client does, as the first frame of a connection.
// ok is false for one that was so itself, in the probe that says so. It takes a process, so where
// cheap, the newest one will do.
func (r *Run) controlInitialize(of Outcome, cheap bool) (x control, ok bool) {
	version, capabilities := r.HandshakeVersion(), ""
	if !r.IsStateless() {
		version, capabilities = string(r.Server.Revision), r.Capabilities()
	}
	x.method, x.params = "initialize", r.InitializeParams(version, capabilities)
	if o, seen := r.runner.premise(x.method, x.params); cheap && seen {
		x.o = o
		return x, true
	}
	c := &Conn{r: r.runner, raw: true}
	r.fresh = append(r.fresh, c)
	if c.connect(r.ctx) != nil {
		x.o.Kind = Unsent
		return x, r.ctx.Err() == nil
	}
	plain := jsonrpc.EncodeRequest(c.ID(), "initialize", []byte(x.params))
	if of.x.first && samePlain(of.Sent, plain) && r.report.Entry.ID == owners["initialize"] {
		return x, false
	}
	r.report.Sent++
	x.o = c.exchange(r.ctx, plain, expected, r.runner.firstTimeout(r.runner.responseTimeout()))
	r.runner.setPremise(x.method, x.params, x.o)
	return x, r.ctx.Err() == nil
}

// exchangeOn is the exchange that begins on a connection.
func exchangeOn(c *Conn, name string) *exchange {
	x := &exchange{name: name, conn: c}
	if l := c.link(); l != nil {
		l.mu.Lock()
		x.altered, x.first = l.stage == stageAltered, l.stage == stageBefore
		l.mu.Unlock()
	}
	return x
}

// controlHTTP is controlOf for a raw request: without the headers that the probe has
// changed, in the same session.
func (r *Run) controlHTTP(of Outcome, x control) (control, bool) {
	q := *of.x.http
	if len(q.Body) == 0 {
		return x, false // no message
	}
	odd := len(q.Header) > 0 || q.Host != "" || q.URL != "" || q.Method != ""
	q.Header, q.Host, q.URL, q.Method, q.MayFail, q.HeadersOnly = nil, "", "", "", true, false
	q.Body = r.Maker().Request(x.method, x.params)
	if e := jsonrpc.Scan(of.Sent); e.HasMethod(of.Sent, "initialize") { // no session yet
		x.method, x.params, q.Body = "initialize", "", r.InitializeBody()
	}
	if !odd && samePlain(of.Sent, q.Body) {
		return x, false
	}
	var ok bool
	x.o, ok = r.resend(x.sent(), q)
	return x, ok && r.ctx.Err() == nil
}

// samePlain reports whether two requests differ in nothing but their ids and progress tokens.
func samePlain(a, b []byte) bool {
	x := jsonrpc.Scan(a)
	return x.Kind == jsonrpc.Request && x.Flaws == 0 && len(bytes.TrimSpace(a)) == len(a) && jsonrpc.EqualRequests(a, b)
}
