package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
)

// claim is what a finding says about the server. It decides what has to be shown before
// the finding is reported.
type claim uint8

const (
	// claimShows: what was received is wrong by itself. The frame is the proof.
	claimShows claim = iota
	// claimRefuses: the server rejects what it was sent. The same request in its plain form
	// must be accepted, on the same connection, right after.
	claimRefuses
	// claimSilent: there is no response. The plain form must get one, in a time that the
	// odd one was given several times over.
	claimSilent
	// claimEnds: the connection has ended. [Run.dead] repeats the frame, and the plain one,
	// on connections of their own.
	claimEnds
)

// claimOf is what a finding about the newest exchange says. One with frames of its own, and
// one of a probe that has sent nothing, shows what was received.
func (r *Run) claimOf(f Finding) claim {
	if f.Frames != nil || f.Rule != nil || f.Exit != nil || r.last.Sent == nil {
		return claimShows
	}
	switch o := r.last; {
	case o.Kind == Dead:
		return claimEnds
	case o.Kind == Silent && o.Status < http.StatusMultipleChoices, o.Kind == Hang, o.Kind == Mute:
		return claimSilent
	case o.IsRefusal():
		return claimRefuses
	}
	return claimShows
}

// control is the plain form of a frame and what it has led to: what separates the odd
// element of a request from the rest.
type control struct {
	method string
	o      Outcome
}

// passes reports whether the control carries a claim.
func (x control) passes(c claim) bool {
	if c == claimSilent {
		return x.o.Kind <= Error
	}
	return x.o.Kind == Result && !x.o.ToolError()
}

// stands examines a claim before it is reported. why is the reason why nothing can be
// concluded from it; empty if it stands.
func (r *Run) stands(f *Finding) (why string) {
	c := r.claimOf(*f)
	if c == claimEnds && !r.endStands {
		return r.unproven // [Run.dead] has concluded nothing from the end
	}
	if c != claimRefuses && c != claimSilent {
		return ""
	}
	x, ok := r.controlOf(f.Severity == lint.Info)
	switch {
	case !ok:
		return ""
	case !x.passes(c):
		return fmt.Sprintf("%s in its plain form returns %s, too", x.method, describe(x.o, "a tool error"))
	case c == claimSilent && r.last.late == nil && r.last.waited > 0 && r.last.waited < paceFactor*x.o.Took:
		return fmt.Sprintf("%s in its plain form takes %s, and no longer than %s was waited", x.method, x.o.Took.Round(shownTook), r.last.waited.Round(shownTook))
	}
	if f.Control = &x.o; c == claimRefuses && f.Severity != lint.Info {
		return r.varies()
	}
	return ""
}

// varies repeats the frame of the newest exchange, and reports how the reaction differs
// from the first: of what the server does once, and not again, nothing can be said.
func (r *Run) varies() (why string) {
	first := r.last
	var again Outcome
	switch c := r.lastConn; {
	case r.lastHTTP != nil:
		req := r.httpRequest(r.ctx, *r.lastHTTP)
		if req == nil {
			return ""
		}
		again = r.roundTrip(req, *r.lastHTTP)
	case c == nil || c.raw || c.link == nil || !c.link.alive():
		return ""
	default:
		e := jsonrpc.Scan(first.Sent)
		if e.Kind != jsonrpc.Request {
			return ""
		}
		frame := bytes.Replace(first.Sent, append([]byte(`"id":`), e.ID.Of(first.Sent).Shown()...), c.ID().Append([]byte(`"id":`)), 1)
		again = c.exchange(r.ctx, frame, tolerated, r.runner.responseTimeout())
	}
	if r.report.Sent++; again.Kind == first.Kind && again.Code == first.Code && again.Status == first.Status || r.ctx.Err() != nil {
		return ""
	}
	return fmt.Sprintf("%s returned %s, and %s when it was sent again", r.name, describe(first, "a result"), describe(again, "a result"))
}

// controlOf sends the plain form of the newest frame: that of its method with params that
// the server should accept, or a ping where none are known, and where the frame is that
// form itself. ok is false where none can be sent. Where cheap, the newest outcome of the
// same control in the run will do.
func (r *Run) controlOf(cheap bool) (x control, ok bool) {
	sent := r.last.Sent
	e := jsonrpc.Scan(sent)
	x.method = e.MethodName(sent)
	if x.method == "initialize" || e.Kind == jsonrpc.Batch {
		return x, false // the probes of the handshake have connections of their own
	}
	params, known := r.plainParams(x.method, jsonrpc.Text(e.Params.Of(sent), "name"))
	if !known { // a request that every server takes, or the first list
		x.method, params = pingOf(r), ""
		if kind, has := r.Server.FirstList(); has {
			x.method = kind.Method
		}
	}
	if o, seen := r.runner.premise(x.method); cheap && seen {
		x.o = o
		return x, true
	}
	if r.lastHTTP != nil {
		return r.controlHTTP(x, params)
	}
	// On the same connection, unless that is what is odd: one without a handshake, or on
	// which other frames than plain ones came before.
	conn := r.lastConn
	if conn == nil || conn.raw || conn.link == nil || !conn.link.alive() || conn.link.mute.Load() {
		conn = nil
	} else if samePlain(sent, conn.RequestAs(jsonrpc.IntID(0), x.method, params)) {
		if x.method == pingOf(r) && !r.lastAltered {
			return x, false // nothing is plainer
		}
		if !r.lastAltered || conn == r.runner.shared {
			x.method, params = pingOf(r), ""
		} else {
			conn = nil
		}
	}
	if conn == nil {
		if r.control == nil {
			r.control = &Conn{r: r.runner}
			r.fresh = append(r.fresh, r.control)
		}
		conn = r.control
	}
	if conn.connect(r.ctx) != nil {
		if conn == r.control {
			r.control = nil // it was never opened
		}
		return x, false
	}
	r.report.Sent++
	x.o = conn.exchange(r.ctx, conn.Request(x.method, params), expected, r.runner.responseTimeout())
	r.runner.setPremise(x.method, x.o)
	return x, r.ctx.Err() == nil
}

// isAltered reports a connection on which more was sent than pings and lists.
func (c *Conn) isAltered() bool {
	if c.link == nil {
		return false
	}
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	return c.link.stage == stageAltered
}

// controlHTTP is controlOf for a raw request: without the headers that the probe has
// changed, in the same session.
func (r *Run) controlHTTP(x control, params string) (control, bool) {
	q := *r.lastHTTP
	if len(q.Body) == 0 {
		return x, false // no message
	}
	odd := len(q.Header) > 0 || q.Host != "" || q.URL != "" || q.Method != ""
	q.Header, q.Host, q.URL, q.Method, q.MayFail, q.HeadersOnly = nil, "", "", "", true, false
	q.Body = r.Maker().Request(x.method, params)
	if !odd && samePlain(r.last.Sent, q.Body) {
		return x, false
	}
	ctx := r.ctx
	req := r.httpRequest(ctx, q)
	if req == nil {
		return x, false
	}
	r.report.Sent++
	x.o = r.roundTrip(req, q)
	return x, r.ctx.Err() == nil
}

// plainParams are params with which the server should accept a method. ok is false
// where none are known.
func (r *Run) plainParams(method, name string) (params string, ok bool) {
	s := r.Server
	first := func(kind client.ListKind, key string) (string, bool) {
		if items := s.Items(kind); len(items) > 0 {
			return `{` + JSON(key) + `:` + JSON(jsonrpc.Text(items[0], key)) + `}`, true
		}
		return "", false
	}
	for _, kind := range client.ListKinds {
		if kind.Method == method {
			return "", s.Has(kind.Needs)
		}
	}
	switch method {
	case "tools/call":
		all := r.Callables()
		if i := slices.IndexFunc(all, func(s Subject) bool { return s.Name == name }); len(all) > 0 {
			s := all[max(i, 0)]
			return `{"name":` + JSON(s.Name) + `,"arguments":` + s.Arguments + `}`, true
		}
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return first(client.Resources, "uri")
	case "logging/setLevel":
		return `{"level":"info"}`, s.Has("logging")
	case "ping":
		return "", !r.IsStateless()
	case "server/discover":
		return "", r.IsStateless()
	}
	return "", false
}

func pingOf(r *Run) string {
	if r.IsStateless() {
		return "server/discover"
	}
	return "ping"
}

// samePlain reports whether two requests differ in nothing but their ids.
func samePlain(a, b []byte) bool {
	x := jsonrpc.Scan(a)
	return x.Kind == jsonrpc.Request && x.Flaws == 0 && len(bytes.TrimSpace(a)) == len(a) && reflect.DeepEqual(plainValue(a), plainValue(b))
}

// plainValue is the value of a request without what differs from one to the next: its id,
// and its progress token.
func plainValue(frame []byte) map[string]any {
	var v map[string]any
	_ = json.Unmarshal(frame, &v) // the zero value equals no other request
	delete(v, "id")
	params, _ := v["params"].(map[string]any)
	if meta, ok := params["_meta"].(map[string]any); ok {
		if delete(meta, "progressToken"); len(meta) == 0 {
			delete(params, "_meta")
		}
	}
	if len(params) == 0 {
		delete(v, "params")
	}
	return v
}

// premise is the newest outcome of a request in its plain form.
func (r *Runner) premise(method string) (Outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, ok := r.premises[method]
	return o, ok
}

func (r *Runner) setPremise(method string, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.premises == nil {
		r.premises = map[string]Outcome{}
	}
	r.premises[method] = o
}

// drop leaves out a finding from which nothing can be concluded. The probe is not judged
// if it has no other.
func (r *Run) drop(why string) {
	if r.unproven == "" {
		r.unproven = why
	}
	r.unprovenCases++
}
