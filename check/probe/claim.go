package probe

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// An exchange records what was sent and where. With it, the harness can send the plain form, or the
// same frame again.
type exchange struct {
	name string       // description of the case
	conn *Conn        // connection, or nil for a raw HTTP request
	http *HTTPRequest // HTTP request, or nil on a connection
	// altered reports whether frames that are not plain were sent on the connection before. first
	// reports whether no frame was sent before.
	altered, first bool
	// ends reports whether the frame ended the connection, as [Run.dead] has established.
	ends bool
}

// A claim is the kind of statement that a finding makes about the server. It determines the proof that the
// finding needs.
type claim uint8

const (
	// claimShows: what was received is wrong regardless of the request. The frame is the proof.
	claimShows claim = iota
	// claimAccepts: the server accepts something odd in a request. The plain form must get a result too, which
	// shows that the response belongs to the request.
	claimAccepts
	// claimExecutes: the server carries out a request with invalid params. The plain form must get a different
	// result: a result that is the same for all params says nothing about them.
	claimExecutes
	// claimRefuses: the server rejects a request. The plain form must be accepted right afterwards on the same
	// connection.
	claimRefuses
	// claimSilent: there is no response. The plain form must get one, and within a fraction of the time allowed
	// for the odd form.
	claimSilent
	// claimEnds: the connection ended. [Run.dead] repeats the frame and the plain form on separate
	// connections.
	claimEnds
	// claimCounts: some concurrent requests led to outcomes that none of them has when sent alone.
	claimCounts
)

var claimNames = [...]string{claimShows: "shows", claimAccepts: "accepts", claimExecutes: "executes", claimRefuses: "refuses", claimSilent: "silent", claimEnds: "ends", claimCounts: "counts"}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *claim) UnmarshalText(text []byte) error {
	i := slices.Index(claimNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no claim is called %q", text)
	}
	*c = claim(i)
	return nil
}

// claim returns the claim of the judgment's findings. If the judgment has frames of its own, the claim is
// claimShows.
func (j Judgment) claim() claim {
	o := j.of
	switch {
	case j.burst != nil:
		return claimCounts
	case j.exit != nil:
		return claimEnds
	case j.frames != nil || o.x == nil:
		return claimShows
	case o.x.http != nil && j.r.Server.Transport == client.TransportSSE: // responses arrive on the stream
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

// owns reports whether the frame is the plain form of the method and this probe reports its
// failure. Then there is no plainer form to compare with.
func (r *Run) owns(method string, frame []byte) bool {
	return methodOf(frame) == method && r.isPlain(frame) && r.runner.because(method, "").Probe == r.report.Entry.ID
}

// answersOther reports whether another method returned a result in this run, which rules out a failure of the
// whole server.
func (r *Run) answersOther(method string) bool {
	o, seen := r.runner.premise(r.plainRequest(method), "")
	return seen && o.Kind == Result
}

// differently is the cause of findings that cannot be reproduced.
const differently = "the same frame led to different reactions"

// Number of times that a frame is sent again. Flaky servers get more repetitions.
const (
	repetitions      = 2
	repetitionsFlaky = 4
)

// varies repeats the frame of an exchange. It returns a reason not to report the finding if the reaction
// differs from the first one.
func (r *Run) varies(j Judgment) *Because {
	first, n := j.of, repetitions
	flaky := r.runner.flaky.Load()
	if flaky {
		n = repetitionsFlaky
	}
	if first.Kind > Refused && !first.EndsEmpty() { // each repetition takes the whole timeout
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
			continue // the response has the id of another request
		}
		r.runner.flaky.Store(true)
		return &Because{Cause: differently, lost: first.Kind == Hang && again.Kind <= Refused, again: again, Why: fmt.Sprintf("%s returned %s, and %s when it was sent again", first.x.name, describe(first, "a result"), describe(again, "a result"))}
	}
	return nil
}

// repeat sends the frame of an exchange again. ok is false if that cannot be done or proves nothing.
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

// isOwnID reports whether the frame is a request with an id from [Conn.ID]. Such an id may be replaced by
// another one.
func isOwnID(e jsonrpc.Envelope, frame []byte) bool {
	n, ok := jsonrpc.Integer(e.ID.Of(frame).Shown())
	return ok && n > firstID && n < firstID+maxMessages
}

// controlOf sends the plain form of the frame of an exchange: the same method with params that the
// server should accept. If there is no plain form, or if the frame already is the plain form, it
// sends a sign of life. ok is false if no control can be sent. If cheap is set, the newest outcome
// of the same control in this run is reused.
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
		known = false // an existing tool may run for long; a nonexistent one cannot
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
	// Use the same connection, unless the connection itself is odd: it has no handshake, or it has carried
	// frames that are not plain.
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
			r.control = nil // never opened
		}
		x.o.Kind = Unsent
		return x, r.ctx.Err() == nil
	}
	r.report.Sent++
	x.o = conn.exchange(r.ctx, conn.Request(x.method, x.params), expected, r.runner.responseTimeout())
	r.runner.setPremise(x.method, x.params, x.o)
	return x, r.ctx.Err() == nil
}

// firstMethod returns the method of the first request on a connection.
func (r *Run) firstMethod() string {
	if r.IsStateless() {
		return "server/discover"
	}
	return "initialize"
}

// controlInitialize sends a regular initialize request as the first frame of a new connection. ok
// is false if the judged frame was such a request and this probe reports its failure. A new
// connection costs a process, so if cheap is set, the newest outcome is reused.
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

// exchangeOn returns the exchange that is about to begin on a connection.
func exchangeOn(c *Conn, name string) *exchange {
	x := &exchange{name: name, conn: c}
	if l := c.link(); l != nil {
		l.mu.Lock()
		x.altered, x.first = l.stage == stageAltered, l.stage == stageBefore
		l.mu.Unlock()
	}
	return x
}

// controlHTTP is controlOf for a raw HTTP request. It sends the request without the headers that the probe
// changed, in the same session.
func (r *Run) controlHTTP(of Outcome, x control) (control, bool) {
	q := *of.x.http
	if len(q.Body) == 0 {
		return x, false // the request has no message
	}
	odd := len(q.Header) > 0 || q.Host != "" || q.URL != "" || q.Method != ""
	q.Header, q.Host, q.URL, q.Method, q.MayFail, q.HeadersOnly = nil, "", "", "", true, false
	q.Body = r.Maker().Request(x.method, x.params)
	if e := jsonrpc.Scan(of.Sent); e.HasMethod(of.Sent, "initialize") { // the session does not exist yet
		x.method, x.params, q.Body = "initialize", "", r.InitializeBody()
	}
	if !odd && samePlain(of.Sent, q.Body) {
		return x, false
	}
	var ok bool
	x.o, ok = r.resend(x.sent(), q)
	return x, ok && r.ctx.Err() == nil
}

// samePlain reports whether two requests are equal except for ids and progress tokens.
func samePlain(a, b []byte) bool {
	x := jsonrpc.Scan(a)
	return x.Kind == jsonrpc.Request && x.Flaws == 0 && len(bytes.TrimSpace(a)) == len(a) && jsonrpc.EqualRequests(a, b)
}
