package lint

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// taskRules judge tasks, of 2025-11-25 and of the extension that took their
// place, one by one.
var taskRules = []rule{
	{methods: taskMethods, message: watchTasks},
	{id: "X050", methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			if t.created && c.M.Request != nil && !c.M.offersTask() {
				c.ReportFor(c.M.Sender(), At(t.at...))
			}
		}
	}},
	{id: "X051", limit: perMessage(someMembers), methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			c.taskFields(t)
		}
	}},
	{id: "X052", limit: perMessage(someMembers), methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			if member, other := t.foreign(c.M.Modern()); member != "" {
				c.Report(t.place(member), "other", other)
			}
		}
	}},
	{id: "X053", methods: []string{"tasks/get", "tasks/update", "tasks/cancel"}, message: func(c *Context) {
		if c.M.IsResult() && c.M.ResultType() == "task" {
			c.Report(At("result", "resultType"))
		}
	}},
	{id: "X055", methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			needs := map[string]string{"completed": "result", "failed": "error", "input_required": "inputRequests"}[t.status()]
			if !t.created && needs != "" && !has(t.raw, needs) {
				c.Report(At(t.at...), "status", t.status(), "field", needs)
			}
		}
	}},
	{id: "X056", methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			if !t.created && t.status() == "failed" && !has(t.raw, "error") && Kind(Member(t.raw, "result")) == "object" {
				c.Report(t.place("status"), "want", "completed", "revision", c.M.Revision)
			}
		}
	}},
}

// offersTask reports whether the request that was answered let the receiver
// make a task of it.
func (m *Message) offersTask() bool {
	if m.Modern() {
		return Kind(m.Request.Capability("extensions", revision.TasksExtension)) == "object"
	}
	return has(m.Request.Params, "task")
}

// taskFields judges the members that each task has.
func (c *Context) taskFields(t task) {
	ttl := "ttl"
	if c.M.Modern() {
		ttl = "ttlMs"
	}
	foreign, _ := t.foreign(c.M.Modern())
	var missing []string
	wrong := func(name string, value []byte) { c.Report(t.place(name), "reason", name+" is "+shownValue(value)) }
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt", ttl} {
		value := Member(t.raw, name)
		text, isText := jsonrpc.Unquote(value)
		switch {
		case value == nil && name == ttl && foreign != "": // X052 says it
		case value == nil:
			missing = append(missing, name)
		case name == ttl:
			if k := Kind(value); k != "number" && k != "null" {
				wrong(name, value)
			}
		case !isText || text == "" || name == "status" && !isStatus(text):
			wrong(name, value)
		case name == "createdAt" || name == "lastUpdatedAt":
			if _, ok := isoTime(text); !ok {
				wrong(name, value)
			}
		}
	}
	if len(missing) > 0 {
		c.Report(At(t.at...), "reason", strings.Join(missing, ", ")+" missing")
	}
}

// taskLifeRules judge what becomes of tasks over time.
var taskLifeRules = []rule{
	{id: "X054", methods: taskMethods, message: func(c *Context) {
		for _, t := range c.tasks() {
			if from, ok := c.impossible(t); ok {
				c.ReportFor(c.M.Sender(), t.place("status"), "from", from, "to", t.status())
			}
		}
	}},
	{id: "X057", methods: []string{"tasks/get"}, message: polledTooFast},
	{id: "X058", methods: []string{"notifications/cancelled"}, message: func(c *Context) {
		r := c.St.Request(c.M.Frame.Dir, Member(c.M.Params, "requestId"))
		if r != nil && r.Task != "" {
			c.ReportFor(c.M.Sender(), At("params", "requestId"))
		}
	}},
	{id: "X059", methods: []string{"tasks/result"}, message: func(c *Context) {
		if c.M.IsResult() && Kind(c.M.Result) == "object" && !has(Member(c.M.Result, "_meta"), revision.MetaRelatedTask) {
			c.Report(At("result", "_meta"))
		}
	}},
	{id: "X060", methods: []string{"tools/call"}, message: taskSupport},
	{id: "X064", methods: []string{"tools/call"}, message: plainCallRefused},
	{id: "X063", methods: []string{"tasks/get", "notifications/tasks"}, message: reusedKey},
	{methods: append([]string{"tasks/result"}, taskMethods...), after: watchLives},
	{methods: []string{"tools/list"}, after: watchTaskSupport},
}

// impossible is a status that cannot follow the one that is known. Answers can
// overtake each other over HTTP, and cross what was told unasked.
func (c *Context) impossible(t task) (from string, wrong bool) {
	l, status := Own[tasks](c.St).life(c.M.Frame.Dir, t.id()), t.status()
	switch {
	case !isStatus(status):
		return "", false
	case t.created:
		return "its creation", !c.M.Modern() && status != "working"
	case l == nil || !isFinal(l.status) || l.status == status:
		return "", false
	}
	at, ok := isoTime(Text(t.raw, "lastUpdatedAt"))
	later := ok && at.After(l.updated)
	if ok && at.Before(l.updated) {
		return "", false
	}
	inOrder := c.St.Link == Stdio
	if c.M.Request != nil {
		inOrder = c.M.Request.Row > l.row
	}
	return l.status, later || inOrder
}

func polledTooFast(c *Context) {
	if !c.M.IsRequest() {
		return
	}
	l := Own[tasks](c.St).life(1-c.M.Frame.Dir, Text(c.M.Params, "taskId"))
	if l == nil || l.asked.IsZero() || l.news || isFinal(l.status) {
		return
	}
	// Timers are not exact to the millisecond.
	if got := c.M.Frame.Time.Sub(l.asked); got < l.poll*9/10 {
		c.ReportFor(c.M.Sender(), Whole, "want", l.poll.Milliseconds(), "got", got.Milliseconds())
	}
}

// onlyAsTasks are the tools that can only be called as tasks.
type onlyAsTasks map[string]bool

func watchTaskSupport(c *Context) {
	if !c.M.IsResult() || c.M.Request == nil {
		return
	}
	of := Own[onlyAsTasks](c.St)
	if *of == nil || Text(c.M.Request.Params, "cursor") == "" {
		*of = onlyAsTasks{}
	}
	if !bytes.Contains(c.M.Result, []byte("taskSupport")) {
		return // as nearly always, and lists are long
	}
	for tool := range jsonrpc.Elements(Member(c.M.Result, "tools")) {
		if Text(tool, "execution", "taskSupport") == "required" {
			(*of)[Text(tool, "name")] = true
		}
	}
}

func taskSupport(c *Context) {
	if !c.M.IsRequest() || c.M.Sender() != Client || c.St.ServerCaps == nil {
		return
	}
	name := Text(c.M.Params, "name")
	asked := has(c.M.Params, "task")
	reason := ""
	if !c.St.ServerOffers("tasks", "requests", "tools", "call") {
		if !asked {
			return
		}
		reason = "is called as a task, but the server did not declare tasks.requests.tools.call"
	} else {
		list := c.St.Tools()
		switch {
		case list == nil || !list.Complete:
		case asked:
			tool := list.Named(name)
			if support := Text(tool, "execution", "taskSupport"); tool != nil && support != "required" && support != "optional" {
				reason = "cannot be called as a task"
			}
		case (*Own[onlyAsTasks](c.St))[name]:
			reason = "can only be called as a task"
		}
	}
	if reason != "" {
		c.Report(At("params", "task"), "name", escaped(name), "reason", reason)
	}
}

// plainCallRefused looks for a tool that may be called without a task, and cannot.
func plainCallRefused(c *Context) {
	r := c.M.Request
	if !c.M.IsError() || r == nil || c.M.Envelope.Code != jsonrpc.CodeMethodNotFound || has(r.Params, "task") || errorForUnknownTool(c) {
		return
	}
	tool, known := c.listedTool(r.Name)
	if known && Text(tool, "execution", "taskSupport") == "optional" {
		c.Report(At("error", "code"), "name", escaped(r.Name))
	}
}

// reusedKey is a key of an input request that comes back for another question
// after it was answered. The same question may be there until the server has
// seen the answer.
func reusedKey(c *Context) {
	asked, at := c.M.questions()
	if asked == nil {
		return
	}
	task := c.M.Result
	if task == nil {
		task = c.M.Params
	}
	l := Own[tasks](c.St).life(c.M.Frame.Dir, Text(task, "taskId"))
	if l == nil {
		return
	}
	for key, question := range jsonrpc.Members(asked) {
		if k := string(key); l.answered[k] && !sameJSON(l.questions[k], question) {
			c.Report(At(append(at, k)...), "key", escaped(key))
			return
		}
	}
}
