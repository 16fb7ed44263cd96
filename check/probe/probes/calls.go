package probes

import (
	"slices"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// logFilter provokes log messages below the set level. A rule reports them.
func logFilter(r *probe.Run) {
	c := r.Linted(true)
	if o := r.Ask(c, "logging/setLevel emergency", c.Request("logging/setLevel", `{"level":"emergency"}`)); o.Kind != probe.Result {
		return // P-081 reports it
	}
	for range 2 {
		r.Ask(c, "a list while the level is emergency", c.List())
	}
	r.Quiet()
}

// progressTokens causes progress notifications. Rules check them.
func progressTokens(r *probe.Run) {
	c := r.Linted(true)
	for _, s := range reporting(r) {
		for _, token := range []string{`"mcptea-é"`, `0`, `9007199254740991`, ""} {
			meta := ""
			if token != "" {
				meta = `,"_meta":{"progressToken":` + token + `}`
			}
			o, ok := r.Exchange(c, s.Name+" with the progress token "+token, s.Name, c.Request("tools/call", `{"name":`+probe.JSON(s.Name)+`,"arguments":`+s.Arguments+meta+`}`))
			if !ok || o.Kind != probe.Result {
				break
			}
			r.Quiet()
		}
	}
}

// fewTools is the number of tools to call if no tool has reported progress so far.
const fewTools = 3

// reporting returns the tools that have reported progress in this run, or the first few if none has.
func reporting(r *probe.Run) []probe.Subject {
	all := r.Callables()
	known := slices.DeleteFunc(slices.Clone(all), func(s probe.Subject) bool { return !r.Progressed(s.Name) })
	if len(known) > 0 {
		return known
	}
	return all[:min(len(all), fewTools)]
}

func cancelRunning(r *probe.Run) {
	if r.SkipIf(r.IsHTTP() && r.IsStateless(), "over HTTP, a request of 2026-07-28 is cancelled by closing its response stream") {
		return // the specification neither requires nor expects notifications/cancelled there
	}
	slow, wait := slowTool(r, r.IsLong), r.CallTime()
	brief := slow == nil
	if brief {
		slow, wait = slowTool(r, r.IsNoticeable), r.Brief()
	}
	if r.SkipIf(slow == nil, "no callable tool that takes a while") {
		return
	}
	c := r.Ready()
	took := r.Took(slow.Name)
	if brief { // a single call may have been slow by chance
		r.Exchange(c, "a call of "+slow.Name, slow.Name, c.Request("tools/call", callParams(*slow, "")))
		if took = min(took, r.Took(slow.Name)); r.SkipIf(!r.IsNoticeable(took), "no callable tool that takes a while") {
			return
		}
	}
	var judge func() // judges the first of three cases
	for _, id := range []jsonrpc.ID{jsonrpc.IDOf(`"c1"`), jsonrpc.IDOf(`7001`), jsonrpc.IDOf(`0`)} {
		cancelled := func(c *probe.Conn) (probe.Outcome, bool) {
			c.Take()
			call := c.RequestAs(id, "tools/call", `{"name":`+probe.JSON(slow.Name)+`,"arguments":`+slow.Arguments+`}`)
			return r.Cancelled(c, "the cancelled call with the id "+id.String(), call, took, took+wait)
		}
		o, late := cancelled(c)
		if late && !brief { // the message may have been late by chance; an id can be used only once per connection
			o, late = cancelled(r.Ready())
		}
		pairs := []string{"what", slow.Name, "as", id.String()}
		if late {
			pairs = append(pairs, "late", "yes")
		}
		if !brief {
			job{Run: r}.judge("P-087", o, pairs...)
			continue
		}
		// A call that ends soon may have ended just then; three of three do not.
		if o.Kind != probe.Result || !late {
			return
		}
		if judge == nil {
			judge = func() { job{Run: r}.judge("P-087", o, pairs...) }
		}
	}
	if judge != nil {
		judge()
	}
}

func cancelStray(r *probe.Run) {
	c := r.Dirty()
	done := c.Ping()
	r.Ask(c, "ping", done)
	job{Run: r}.run("P-088", "finished", string(jsonrpc.Scan(done).ID.Of(done).Shown()))
}

// connect returns a connection after a handshake with some capabilities.
func connect(r *probe.Run, capabilities string) *probe.Conn {
	if c := r.Spare(capabilities, true); c != nil {
		return c
	}
	c := r.Open()
	o := begin(r, c, "initialize with the capabilities "+capabilities, c.Request("initialize", r.InitializeParams(string(r.Server.Revision), capabilities)))
	r.SkipIf(versionOf(o) == "", "initialize fails")
	return c
}

func caplessClient(r *probe.Run) {
	c := r.Linted(false)
	o := begin(r, c, "initialize with the capabilities {}", c.Request("initialize", r.InitializeParams(string(r.Server.Revision), "{}")))
	r.SkipIf(versionOf(o) == "", "initialize fails")
	for _, kind := range client.ListKinds {
		if r.Server.Offers(kind) {
			r.Ask(c, kind.Method, c.Request(kind.Method, ""))
		}
	}
	subjects := r.Callables()
	for _, s := range subjects[:min(len(subjects), 3)] {
		r.Exchange(c, "a call of "+s.Name, s.Name, c.Request("tools/call", callParams(s, "")))
	}
	r.Linger()
}

func oddAnswers(r *probe.Run) {
	c := connect(r, `{"roots":{"listChanged":true}}`)
	r.Linger() // the server may request the roots
	job{Run: r, conn: c}.run("P-096")
}

func callsBack(r *probe.Run) {
	c := r.Declaring()
	for _, s := range r.Callables() {
		if !r.IsLong(r.Took(s.Name)) {
			r.Exchange(c, "a call of "+s.Name, s.Name, c.Request("tools/call", callParams(s, "")))
		}
	}
	r.Linger()
	asked := slices.ContainsFunc(c.Take(), func(f probe.Frame) bool { return jsonrpc.Scan(f.Bytes).Kind == jsonrpc.Request })
	r.SkipIf(!asked, "the server sends no request")
}
