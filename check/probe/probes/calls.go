package probes

import (
	"cmp"
	"slices"
	"time"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
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

const noTask = `{"taskId":"mcptea-none"}`

func unknownTask(r *probe.Run) {
	c := r.Shared()
	methods := []string{"tasks/get", "tasks/result", "tasks/cancel"}
	if r.IsStateless() {
		methods = []string{"tasks/get", "tasks/cancel"}
	}
	for _, method := range methods {
		m, ok := revision.Lookup(method)
		if !ok || !m.In(r.Server.Revision) || method == "tasks/cancel" && !r.IsStateless() && !r.Server.Has("tasks.cancel") {
			continue
		}
		o := r.Ask(c, method+" of an unknown task", c.Request(method, noTask))
		job{Run: r}.judge("P-090", o, "what", method)
	}
	if r.Server.Has("tasks.list") {
		job{Run: r}.run("P-090 cursor")
	}
}

func hasTasks(r *probe.Run) bool {
	return r.Server.Has("tasks") || r.IsStateless() && r.Server.Handshake.HasCapability("extensions", revision.TasksExtension)
}

// support returns the taskSupport of a tool.
func support(s probe.Subject) string { return jsonrpc.Text(s.Raw, "execution", "taskSupport") }

func callParams(s probe.Subject, more string) string {
	return `{"name":` + probe.JSON(s.Name) + `,"arguments":` + s.Arguments + more + `}`
}

const asTask = `,"task":{"ttl":60000}`

func taskSupport(r *probe.Run) {
	c := r.Shared()
	found := false
	for _, s := range r.Callables() {
		switch support(s) {
		case "required":
			found = true
			o, _ := r.Exchange(c, s.Name+" without task", s.Name, c.Request("tools/call", callParams(s, "")))
			job{Run: r}.judge("P-092", o, "what", s.Name, "subject", "tool:"+s.Name, "required", s.Name)
		case "", "forbidden":
			if found {
				continue
			}
			found = true
			o, _ := r.Exchange(c, s.Name+" as a task", s.Name, c.Request("tools/call", callParams(s, asTask)))
			job{Run: r}.judge("P-092", o, "what", s.Name, "subject", "tool:"+s.Name)
		}
	}
	r.SkipIf(!found, "no callable tool")
}

var terminal = []string{"completed", "failed", "cancelled"}

func taskLifecycle(r *probe.Run) {
	i := slices.IndexFunc(r.Callables(), func(s probe.Subject) bool { return support(s) == "optional" || support(s) == "required" })
	if r.SkipIf(i < 0 || !r.Server.Has("tasks.requests.tools.call"), "no callable tool that supports tasks") {
		return
	}
	s, c := r.Callables()[i], r.Shared()
	o, ok := r.Exchange(c, s.Name+" as a task", s.Name, c.Request("tools/call", callParams(s, asTask)))
	id := jsonrpc.Text(o.Member("task"), "taskId")
	if !ok || id == "" {
		if o.Kind == probe.Result {
			r.Of(o).Named("no-task").Error("The call of %s as a task returns no task.", s.Name)
		}
		return
	}
	params := `{"taskId":` + probe.JSON(id) + `}`
	status, begun := "", time.Now()
	r.Until(func() bool {
		o = r.Ask(c, "tasks/get", c.Request("tasks/get", params))
		if o.Kind != probe.Result {
			r.Of(o).Named("task-get").Error("tasks/get of a running task returns %s.", probe.Describe(o))
			return true
		}
		next := jsonrpc.Text(o.Result(), "status")
		status = next
		return slices.Contains(terminal, status) || status == "input_required"
	})
	if o.Kind != probe.Result {
		return
	}
	if status == "working" && r.Returned(s.Name) {
		r.Of(o).Info("The task of %s has the status working after %s; a call without a task returned after %s.", s.Name, shown(time.Since(begun)), shown(r.Took(s.Name)))
	}
	if status == "completed" {
		if o = r.Ask(c, "tasks/result", c.Request("tasks/result", params)); o.IsRefusal() {
			r.Of(o).Named("task-result").Error("tasks/result of a completed task returns %s.", probe.Describe(o))
		}
	}
	if slices.Contains(terminal, status) {
		o = r.Ask(c, "tasks/get of a task that has ended", c.Request("tasks/get", params))
		if o.Kind == probe.Result && jsonrpc.Text(o.Result(), "status") != status {
			return // a rule reports that the status has changed
		}
	}
	o = r.Ask(c, "tasks/cancel", c.Request("tasks/cancel", params))
	if slices.Contains(terminal, status) && o.Kind == probe.Result {
		r.Of(o).Named("task-cancel").Error("tasks/cancel of a task with the terminal status %s returns a result; error -32602 is required.", status)
	} else if now := jsonrpc.Text(o.Result(), "status"); o.Kind == probe.Result && now != "cancelled" {
		r.Of(o).Itself().Named("task-cancelled").Error("tasks/cancel of a task with the status %s returns the status %s.", cmp.Or(status, "working"), cmp.Or(now, "(none)"))
	}
}
