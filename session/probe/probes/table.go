package probes

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// table is a probe as data: what is sent, one after another, and what is reported about
// the outcomes.
type table struct {
	send     sender
	samples  []sample
	verdicts []verdict
}

// run is the function of the probe.
func (t table) run(r *probe.Run) { try(r, t.send, t.samples, t.verdicts...) }

// try sends the samples of a table and judges the outcomes.
func try(r *probe.Run, send sender, samples []sample, verdicts ...verdict) {
	for _, s := range samples {
		judge(r, s, send(r, s), verdicts...)
	}
}

// sample is what is sent: a frame, a request of a method, or a raw HTTP request.
type sample struct {
	name string // what is sent, in a few words
	what string // the same in the messages; the name if it is empty
	// frame is text in which $id is a new id, $ping a method that each server has, and $meta
	// the params that it needs; bytes are sent as they are.
	frame          string
	bytes          []byte
	method, params string
	http           probe.HTTPRequest
	subject        string // of the findings
	odd            bool   // which verdicts apply; the table says what it means
}

// on returns the frame of a sample for a connection.
func (s sample) on(c *probe.Conn) []byte {
	switch {
	case s.bytes != nil:
		return s.bytes
	case s.method != "":
		return c.Request(s.method, s.params)
	}
	ping := c.Ping()
	params, _ := jsonrpc.Member(ping, "params")
	if len(params) == 0 {
		params = []byte("{}")
	}
	return []byte(strings.NewReplacer("$id", string(c.ID()), "$ping", jsonrpc.Text(ping, "method"), "$meta", string(params)).Replace(s.frame))
}

// sender sends a sample.
type sender func(*probe.Run, sample) probe.Outcome

// ask sends correct requests on the shared connection, provoke malformed frames on
// another one. tolerate sends correct frames that need no response.
func ask(r *probe.Run, s sample) probe.Outcome      { return askOn(r.Shared())(r, s) }
func provoke(r *probe.Run, s sample) probe.Outcome  { return provokeOn(r.Dirty())(r, s) }
func tolerate(r *probe.Run, s sample) probe.Outcome { return provokeOn(r.Shared())(r, s) }

// askOn is ask on a connection.
func askOn(c *probe.Conn) sender {
	return func(r *probe.Run, s sample) probe.Outcome { return r.Ask(c, s.name, s.on(c)) }
}

// provokeOn is provoke on a connection.
func provokeOn(c *probe.Conn) sender {
	return func(r *probe.Run, s sample) probe.Outcome { return r.Provoke(c, s.name, s.on(c)) }
}

// post sends raw HTTP requests.
func post(r *probe.Run, s sample) probe.Outcome { return r.HTTP(s.name, s.http) }

// postIn sends raw HTTP requests in a session.
func postIn(session http.Header) sender {
	return func(r *probe.Run, s sample) probe.Outcome {
		s.http.Session = session
		return r.HTTP(s.name, s.http)
	}
}

// verdict is a finding about some outcomes. In its message {case} is the name of the
// sample, {what} the sample in the messages; {outcome}, {code}, {error}, {id}, {status},
// {media} and {version} are what the server replied with. A verdict without a message ends the
// judgement.
type verdict struct {
	when     condition
	severity lint.Severity
	message  string
}

// judge reports the first verdict that applies to an outcome.
func judge(r *probe.Run, s sample, o probe.Outcome, verdicts ...verdict) {
	i := slices.IndexFunc(verdicts, func(v verdict) bool { return v.when(r, s, o) })
	if i < 0 || verdicts[i].message == "" {
		return
	}
	r.About(verdicts[i].severity, s.subject, "%s", strings.NewReplacer(
		"{case}", s.name, "{what}", cmp.Or(s.what, s.name), "{outcome}", probe.Describe(o), "{code}", o.ShownCode(), "{error}", o.Message,
		"{id}", string(o.ID), "{status}", strconv.Itoa(o.Status), "{media}", mediaType(o), "{version}", strconv.Quote(versionOf(o)),
	).Replace(verdicts[i].message))
}

// condition is about the outcome of a sample.
type condition func(r *probe.Run, s sample, o probe.Outcome) bool

func always(*probe.Run, sample, probe.Outcome) bool            { return true }
func isResult(_ *probe.Run, _ sample, o probe.Outcome) bool    { return o.Kind == probe.Result }
func isRefusal(_ *probe.Run, _ sample, o probe.Outcome) bool   { return o.IsRefusal() }
func isSilent(_ *probe.Run, _ sample, o probe.Outcome) bool    { return o.Kind == probe.Silent }
func isOK(_ *probe.Run, _ sample, o probe.Outcome) bool        { return o.OK() }
func isRefused(_ *probe.Run, _ sample, o probe.Outcome) bool   { return o.Refused() }
func isExecuted(_ *probe.Run, _ sample, o probe.Outcome) bool  { return executed(o) }
func isOdd(_ *probe.Run, s sample, _ probe.Outcome) bool       { return s.odd }
func overHTTP(r *probe.Run, _ sample, _ probe.Outcome) bool    { return r.IsHTTP() }
func isStateless(r *probe.Run, _ sample, _ probe.Outcome) bool { return r.IsStateless() }
func isFailed(_ *probe.Run, _ sample, o probe.Outcome) bool    { return o.Err != nil }
func hasUnknownVersion(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return o.Kind == probe.Result && !isReleased(versionOf(o))
}
func isInputRequired(_ *probe.Run, _ sample, o probe.Outcome) bool { return asks(o) }

// isError is an error response with one of the codes; with any without them.
func isError(codes ...int64) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.IsError(codes...) }
}

// errorBut is an error response with none of the codes.
func errorBut(codes ...int64) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool {
		return o.Kind == probe.Error && !o.IsError(codes...)
	}
}

// is is an outcome of a kind.
func is(kind probe.Kind) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Kind == kind }
}

// atLeast is an HTTP status from that one.
func atLeast(status int) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Status >= status }
}

// hasStatus is an HTTP status.
func hasStatus(status int) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Status == status }
}

// hasText is an outcome with a header that has a text in it.
func hasText(header, text string) condition {
	return func(_ *probe.Run, _ sample, o probe.Outcome) bool {
		return o.Header.Get(header) != "" && strings.Contains(o.Header.Get(header), text)
	}
}

// and is true if all conditions are.
func and(all ...condition) condition {
	return func(r *probe.Run, s sample, o probe.Outcome) bool {
		return !slices.ContainsFunc(all, func(c condition) bool { return !c(r, s, o) })
	}
}

// not is true if a condition is not.
func not(c condition) condition {
	return func(r *probe.Run, s sample, o probe.Outcome) bool { return !c(r, s, o) }
}

// named makes a sample of each text, which is its what.
func named(name string, texts []string, rest func(text string) sample) []sample {
	var all []sample
	for _, text := range texts {
		s := rest(text)
		s.name, s.what = name+text, text
		all = append(all, s)
	}
	return all
}

// withID is a ping with an id, which is raw.
func withID(c *probe.Conn, id string) []byte {
	frame := c.Ping()
	span := jsonrpc.Scan(frame).ID
	return append(append(bytes.Clone(frame[:span.Start]), id...), frame[span.End:]...)
}
