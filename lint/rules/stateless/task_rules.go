package stateless

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// taskRules check tasks of 2025-11-25 and of the extension.
var taskRules = []lint.Rule{
	{Methods: taskMethods, Message: watchTasks},
	{ID: "X050", Methods: taskMethods, Message: lint.Each(tasksNow, func(c *lint.Context, t task) {
		if t.created && c.M.Request != nil && !offersTask(c.M) {
			c.ReportFor(c.M.Sender(), lint.At(t.at...))
		}
	})},
	{ID: "X051", Limit: lint.PerMessage(lint.SomeMembers), Methods: taskMethods, Message: lint.Each(tasksNow, taskFields)},
	{ID: "X052", Limit: lint.PerMessage(lint.SomeMembers), Methods: taskMethods, Message: lint.Each(tasksNow, func(c *lint.Context, t task) {
		if member, other := t.otherDesign(c.M.IsStateless()); member != "" {
			c.Report(t.place(member), "other", other)
		}
	})},
	{ID: "X053", Methods: []string{"tasks/get", "tasks/update", "tasks/cancel"}, When: lint.Result, Message: func(c *lint.Context) {
		if c.M.ResultType() == "task" {
			c.Report(lint.At("result", "resultType"))
		}
	}},
	{ID: "X055", Methods: taskMethods, Message: lint.Each(tasksNow, func(c *lint.Context, t task) {
		needs := map[revision.TaskStatus]string{revision.TaskCompleted: "result", revision.TaskFailed: "error", revision.TaskInputRequired: "inputRequests"}[t.status()]
		if !t.created && needs != "" && !lint.Has(t.raw, needs) {
			c.Report(lint.At(t.at...), "status", t.status(), "field", needs)
		}
	})},
	{ID: "X056", Methods: taskMethods, Message: lint.Each(tasksNow, func(c *lint.Context, t task) {
		if !t.created && t.status() == revision.TaskFailed && !lint.Has(t.raw, "error") && jsonrpc.TypeOf(jsonrpc.Get(t.raw, "result")) == "object" {
			c.Report(t.place("status"), "want", "completed", "version", c.M.Revision)
		}
	})},
}

// offersTask reports whether the request allows the receiver to create a task.
func offersTask(m *lint.Message) bool {
	if m.IsStateless() {
		return jsonrpc.TypeOf(lint.Capability(m.Request, "extensions", revision.TasksExtension)) == "object"
	}
	return lint.Has(m.Request.Params, "task")
}

// taskFields checks the members of a task.
func taskFields(c *lint.Context, t task) {
	ttl := "ttl"
	if c.M.IsStateless() {
		ttl = "ttlMs"
	}
	foreign, _ := t.otherDesign(c.M.IsStateless())
	var missing []string
	wrong := func(c *lint.Context, name string, value []byte) {
		c.Report(t.place(name), "reason", name+" is "+lint.ShownValue(value))
	}
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt", ttl} {
		value := jsonrpc.Get(t.raw, name)
		text, isText := jsonrpc.Unquote(value)
		switch {
		case value == nil && name == ttl && foreign != "": // X052
		case value == nil:
			missing = append(missing, name)
		case name == ttl:
			if k := jsonrpc.TypeOf(value); k != "number" && k != "null" {
				wrong(c, name, value)
			}
		case name == "status" && !revision.TaskStatus(text).Known():
			wrong(c.For("status"), name, value)
		case !isText || text == "":
			wrong(c, name, value)
		case name == "createdAt" || name == "lastUpdatedAt":
			if _, ok := lint.ParseTime(text); !ok {
				wrong(c.For("time"), name, value)
			}
		}
	}
	if len(missing) > 0 {
		c.Report(lint.At(t.at...), "reason", strings.Join(missing, ", ")+" missing")
	}
}

// taskLifeRules check the changes of tasks.
var taskLifeRules = []lint.Rule{
	{ID: "X054", Methods: taskMethods, Message: lint.Each(tasksNow, func(c *lint.Context, t task) {
		if change, ok := invalidTransition(c, t); ok {
			c.ReportFor(c.M.Sender(), t.place("status"), "change", change)
		}
	})},
	{ID: "X057", Methods: []string{"tasks/get"}, When: lint.Request, Message: polledTooFast},
	{ID: "X058", Methods: []string{"notifications/cancelled"}, Message: func(c *lint.Context) {
		r := c.St.Flows.Find(c.M.Frame.Dir, jsonrpc.TokenOf(c.M.Get(c.M.Params, "requestId")))
		if lint.Own[tasks](c.St).of[r] {
			c.ReportFor(c.M.Sender(), lint.At("params", "requestId"))
		}
	}},
	{ID: "X059", Methods: []string{"tasks/result"}, When: lint.Result, Message: func(c *lint.Context) {
		if jsonrpc.TypeOf(c.M.Result) == "object" && !lint.Has(c.M.Get(c.M.Result, "_meta"), revision.MetaRelatedTask) {
			c.Report(lint.At("result", "_meta"))
		}
	}},
	{ID: "X065", Methods: []string{"tasks/get", "tasks/cancel"}, When: lint.Result | lint.Matched, Message: lint.Each(tasksNow, otherTask)},
	{ID: "X060", Methods: []string{"tools/call"}, Message: taskSupport},
	{ID: "X064", Methods: []string{"tools/call"}, Message: plainCallRejected},
	{ID: "X063", Methods: []string{"tasks/get", "notifications/tasks"}, Message: reusedInputKey},
	{Methods: append([]string{"tasks/result"}, taskMethods...), After: watchTaskStates},
	{Methods: []string{"tools/list"}, When: lint.Result | lint.Matched, After: watchTaskSupport},
}

// invalidTransition finds a status that cannot follow the known one.
// Over HTTP responses can overtake each other and cross notifications.
func invalidTransition(c *lint.Context, t task) (change string, wrong bool) {
	l, status := lint.Own[tasks](c.St).state(c.M.Frame.Dir, t.id()), t.status()
	switch {
	case !status.Known():
		return "", false
	case t.created:
		return fmt.Sprintf("begins as %s; it must begin as working", status), !c.M.IsStateless() && status != revision.TaskWorking
	case l == nil || !l.status.Final() || l.status == status:
		return "", false
	}
	at, ok := lint.ParseTime(jsonrpc.Text(t.raw, "lastUpdatedAt"))
	later := ok && at.After(l.updated)
	if ok && at.Before(l.updated) {
		return "", false
	}
	inOrder := c.St.Link == lint.Stdio
	if c.M.Request != nil {
		inOrder = c.M.Request.Row() > l.row
	}
	return fmt.Sprintf("changed from %s to %s, which is not a valid transition", l.status, status), later || inOrder
}

func polledTooFast(c *lint.Context) {
	l := lint.Own[tasks](c.St).state(1-c.M.Frame.Dir, c.M.Text(c.M.Params, "taskId"))
	if l == nil || l.polled.IsZero() || l.mayPoll || l.status.Final() {
		return
	}
	// Timers are not accurate to the millisecond.
	if got := c.M.Frame.Time.Sub(l.polled); got < l.poll/10*9 {
		c.ReportFor(c.M.Sender(), lint.Whole, "want", l.poll.Milliseconds(), "got", got.Milliseconds())
	}
}

// taskOnlyTools holds the tools that can only be called as tasks.
type taskOnlyTools map[string]bool

func watchTaskSupport(c *lint.Context) {
	of := lint.Own[taskOnlyTools](c.St)
	if *of == nil || jsonrpc.Text(c.M.Request.Params, "cursor") == "" {
		*of = taskOnlyTools{}
	}
	if !c.M.Envelope.MayHave("taskSupport") {
		return // the usual case, and lists are long
	}
	for tool := range jsonrpc.Elements(c.M.Get(c.M.Result, "tools")) {
		if jsonrpc.Text(tool, "execution", "taskSupport") == "required" {
			(*of)[jsonrpc.Text(tool, "name")] = true
		}
	}
}

func taskSupport(c *lint.Context) {
	if !c.M.IsRequest() || c.M.Sender() != lint.Client || c.St.ServerCaps == nil {
		return
	}
	name := c.M.Text(c.M.Params, "name")
	requests := c.M.Has(c.M.Params, "task")
	reason := ""
	if !c.St.ServerOffers("tasks", "requests", "tools", "call") {
		if !requests {
			return
		}
		c.For("undeclared")
		reason = "is called as a task, but the server did not declare tasks.requests.tools.call"
	} else {
		list := c.St.Tools()
		switch {
		case list == nil || !list.Complete:
		case requests:
			tool := list.Named(name) // a value that is not defined is the server's mistake
			if support := jsonrpc.Text(tool, "execution", "taskSupport"); tool != nil && (support == "" || support == "forbidden") {
				reason = "cannot be called as a task"
			}
		case (*lint.Own[taskOnlyTools](c.St))[name]:
			reason = "can only be called as a task"
		}
	}
	if reason != "" {
		c.Report(lint.At("params", "task"), "name", lint.Escaped(name), "reason", reason)
	}
}

// plainCallRejected finds a tool whose call without a task fails, although it is
// optional.
func plainCallRejected(c *lint.Context) {
	r := c.M.Request
	if !c.M.IsError() || r == nil || !c.M.Envelope.ErrorCode().Is(jsonrpc.CodeMethodNotFound) || lint.Has(r.Params, "task") || lint.IsUnknownToolError(c) {
		return
	}
	tool, known := c.ListedTool(r.Name)
	if known && jsonrpc.Text(tool, "execution", "taskSupport") == "optional" {
		c.Report(lint.At("error", "code"), "name", lint.Escaped(r.Name))
	}
}

// reusedInputKey reports a key that is used for another input request after it got a response. The same input
// request may be repeated until the server has received the response.
func reusedInputKey(c *lint.Context) {
	requests, at := inputRequestsOf(c.M)
	if requests == nil {
		return
	}
	task := c.M.Result
	if task == nil {
		task = c.M.Params
	}
	l := lint.Own[tasks](c.St).state(c.M.Frame.Dir, jsonrpc.Text(task, "taskId"))
	if l == nil {
		return
	}
	for key, request := range jsonrpc.Members(requests) {
		if k := string(key); l.answered[k] && !jsonrpc.Equal(l.requests[k], request) {
			c.Report(lint.At(append(at, k)...), "key", lint.Escaped(key))
			return
		}
	}
}

// otherTask compares the task of a result with the requested one.
func otherTask(c *lint.Context, t task) {
	want, got := jsonrpc.Text(c.M.Request.Params, "taskId"), t.id()
	if want != "" && got != "" && got != want {
		c.Report(t.place("taskId"), "want", lint.Quoted(want), "got", lint.Quoted(got))
	}
}
