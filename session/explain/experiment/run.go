package experiment

import (
	"context"
	"net/http"
	"slices"
	"time"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// A runner carries out the trials for one failure.
type runner struct {
	s      *session.Session
	client *mcphttp.Client
	c      situation
	used   int // number of requests so far
	first  transport.Exchange
	report Report
	found  map[string]outcome
}

func newRunner(s *session.Session, failed failure.Failed) *runner {
	t, x := s.Target(), failed.Exchange
	u, _ := mcphttp.Endpoint(t.URL) // the URL is valid, since a response came
	r := &runner{s: s, client: s.Trials(), first: x, found: map[string]outcome{}}
	r.c = situation{first: x.Status, before: failed.Before, failed: transport.Request{Purpose: transport.PurposeTrial, Method: x.Method, URL: u, Header: http.Header{}, Body: failed.Frame}}
	for name := range t.Header {
		r.c.userHeaders = append(r.c.userHeaders, http.CanonicalHeaderKey(name))
	}
	slices.Sort(r.c.userHeaders)
	// The report has headers without secrets; the headers with secrets come from the target.
	mcphttp.SetHeaders(r.c.failed.Header, x.RequestHeader)
	mcphttp.SetHeaders(r.c.failed.Header, mcphttp.DefaultHeaders(u))
	mcphttp.SetHeaders(r.c.failed.Header, t.Header)
	return r
}

// run carries out trials until one works, the budget is used up, or none is left.
func (r *runner) run(ctx context.Context) Report {
	if r.s.Transport() == "sse" && r.c.isPost() {
		end, ok := r.openStream(ctx)
		defer end()
		if !ok {
			return r.report
		}
	}
	if r.c.inSession() {
		r.trySession(ctx)
		return r.report
	}
	if r.c.isGuarded() || r.c.first == http.StatusUnauthorized || r.c.first == http.StatusTooManyRequests {
		x := r.first // the first request counts: a refused credential is not sent again
		r.c.control = outcome{status: x.Status, header: x.ResponseHeader, body: x.ResponseBody, shown: r.s.Redact(string(x.ResponseBody))}
	} else {
		r.c.control = r.try(ctx, "again", "the same request again", substitution, r.c.failed)
	}
	for _, t := range trials {
		if r.c.control.works || ctx.Err() != nil {
			break
		}
		if r.used+t.cost() > maxRequests || !t.when(r.c) || r.c.isGuarded() && t.id != "elsewhere" && t.id != "headers" {
			continue
		}
		changed := clone(r.c.failed)
		t.change(r.c, &changed)
		if o := r.try(ctx, t.id, t.label(r.c), t.kind, changed); o.works {
			r.confirm(ctx, t, changed)
			break
		}
	}
	r.conclude()
	return r.report
}

// confirm repeats the failed request, and then the request that worked.
func (r *runner) confirm(ctx context.Context, t trial, changed transport.Request) {
	again := r.try(ctx, "control", "the first request again", substitution, r.c.failed)
	if !again.works && !r.try(ctx, "confirm", "the request that worked again", t.kind, changed).works {
		again.works = true // the failure is intermittent
		r.found["control"] = again
	}
}

func clone(r transport.Request) transport.Request {
	u := *r.URL
	r.URL, r.Header = &u, r.Header.Clone()
	return r
}

// try carries out one trial and reports it.
func (r *runner) try(ctx context.Context, id, label string, k kind, req transport.Request) outcome {
	at := time.Now()
	o := r.do(ctx, req)
	switch {
	case k != substitution:
		o.works = false // the response to a smaller request is not a success
	case id == "again":
		o.works = o.works || o.speaks && r.c.first/100 != 2
	default:
		o.works = o.works || o.speaks && !r.c.control.speaks
	}
	r.found[id] = o
	r.add(Tried{ID: id, Changed: label, Outcome: o.String(), Same: r.isSame(id, o), Works: o.works, Took: time.Since(at)})
	if session := o.header.Get("Mcp-Session-Id"); o.works && session != "" && req.Header.Get("Mcp-Session-Id") == "" {
		r.endSession(ctx, session)
	}
	return o
}

// isSame reports whether an outcome is the outcome of the failed request. The control must have the same
// status.
func (r *runner) isSame(id string, o outcome) bool {
	if id == "again" {
		return o.reason == "" && o.status == r.c.first
	}
	return o.key() == r.c.control.key()
}

func (r *runner) add(t Tried) {
	t.Changed, t.Outcome = r.s.Redact(t.Changed), r.s.Redact(t.Outcome)
	r.report.Tried = append(r.report.Tried, t)
}

// do sends one request.
func (r *runner) do(ctx context.Context, req transport.Request) outcome {
	r.used++
	ctx, stop := context.WithTimeout(ctx, maxEach)
	defer stop()
	reply, err := r.client.Request(ctx, req)
	switch {
	case err == nil:
		o := outcomeOf(reply, r.c.sse)
		o.shown = r.s.Redact(string(o.body)) // redacted before it is cut
		return o
	case ctx.Err() != nil:
		return outcome{reason: "no response within " + maxEach.String()}
	case mcphttp.ReasonOf(err) == "refused":
		return outcome{reason: refused}
	}
	return outcome{reason: ended}
}

// openStream opens the event stream of HTTP+SSE and uses its endpoint for the messages of trials.
func (r *runner) openStream(ctx context.Context) (end func(), ok bool) {
	r.used++
	open := clone(r.c.failed)
	open.Method, open.Body = http.MethodGet, nil
	mcphttp.DeleteHeader(open.Header, "Content-Type")
	open.Header["Accept"] = []string{mcphttp.StreamType}
	endpoint, end := r.client.OpenStream(ctx, open)
	to, err := r.c.failed.URL.Parse(endpoint)
	if endpoint == "" || err != nil || !mcphttp.SameOrigin(to, r.c.failed.URL) {
		return end, false
	}
	r.c.sse, r.c.stream, r.c.failed.URL = true, r.c.failed.URL, to
	return end, true
}

// endSession ends a session that a trial started.
func (r *runner) endSession(ctx context.Context, id string) {
	end := clone(r.c.failed)
	end.Method, end.Body = http.MethodDelete, nil
	end.Header["Mcp-Session-Id"] = []string{id}
	r.do(ctx, end)
}
