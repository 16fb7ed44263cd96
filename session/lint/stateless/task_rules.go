package stateless

import (
	"bytes"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// taskRules check tasks of 2025-11-25 and of the extension.
var taskRules = []rule.Rule{
	{Methods: taskMethods, Message: watchTasks},
	{ID: "X050", Methods: taskMethods, Message: rule.Each(tasksNow, func(c *rule.Context, t task) {
		if t.created && c.M.Request != nil && !offersTask(c.M) {
			c.ReportFor(c.M.Sender(), rule.At(t.at...))
		}
	})},
	{ID: "X051", Limit: rule.PerMessage(rule.SomeMembers), Methods: taskMethods, Message: rule.Each(tasksNow, taskFields)},
	{ID: "X052", Limit: rule.PerMessage(rule.SomeMembers), Methods: taskMethods, Message: rule.Each(tasksNow, func(c *rule.Context, t task) {
		if member, other := t.otherDesign(c.M.IsStateless()); member != "" {
			c.Report(t.place(member), "other", other)
		}
	})},
	{ID: "X053", Methods: []string{"tasks/get", "tasks/update", "tasks/cancel"}, When: rule.Result, Message: func(c *rule.Context) {
		if c.M.ResultType() == "task" {
			c.Report(rule.At("result", "resultType"))
		}
	}},
	{ID: "X055", Methods: taskMethods, Message: rule.Each(tasksNow, func(c *rule.Context, t task) {
		needs := map[revision.TaskStatus]string{revision.TaskCompleted: "result", revision.TaskFailed: "error", revision.TaskInputRequired: "inputRequests"}[t.status()]
		if !t.created && needs != "" && !rule.Has(t.raw, needs) {
			c.Report(rule.At(t.at...), "status", t.status(), "field", needs)
		}
	})},
	{ID: "X056", Methods: taskMethods, Message: rule.Each(tasksNow, func(c *rule.Context, t task) {
		if !t.created && t.status() == revision.TaskFailed && !rule.Has(t.raw, "error") && jsonrpc.TypeOf(jsonrpc.Get(t.raw, "result")) == "object" {
			c.Report(t.place("status"), "want", "completed", "revision", c.M.Revision)
		}
	})},
}

// offersTask reports whether the request allows the receiver to create a task.
func offersTask(m *rule.Message) bool {
	if m.IsStateless() {
		return jsonrpc.TypeOf(rule.Capability(m.Request, "extensions", revision.TasksExtension)) == "object"
	}
	return rule.Has(m.Request.Params, "task")
}

// taskFields checks the members of a task.
func taskFields(c *rule.Context, t task) {
	ttl := "ttl"
	if c.M.IsStateless() {
		ttl = "ttlMs"
	}
	foreign, _ := t.otherDesign(c.M.IsStateless())
	var missing []string
	wrong := func(name string, value []byte) { c.Report(t.place(name), "reason", name+" is "+rule.ShownValue(value)) }
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt", ttl} {
		value := jsonrpc.Get(t.raw, name)
		text, isText := jsonrpc.Unquote(value)
		switch {
		case value == nil && name == ttl && foreign != "": // X052
		case value == nil:
			missing = append(missing, name)
		case name == ttl:
			if k := jsonrpc.TypeOf(value); k != "number" && k != "null" {
				wrong(name, value)
			}
		case !isText || text == "" || name == "status" && !revision.TaskStatus(text).Known():
			wrong(name, value)
		case name == "createdAt" || name == "lastUpdatedAt":
			if _, ok := rule.ParseTime(text); !ok {
				wrong(name, value)
			}
		}
	}
	if len(missing) > 0 {
		c.Report(rule.At(t.at...), "reason", strings.Join(missing, ", ")+" missing")
	}
}

// taskLifeRules check the changes of tasks.
var taskLifeRules = []rule.Rule{
	{ID: "X054", Methods: taskMethods, Message: rule.Each(tasksNow, func(c *rule.Context, t task) {
		if change, ok := invalidTransition(c, t); ok {
			c.ReportFor(c.M.Sender(), t.place("status"), "change", change)
		}
	})},
	{ID: "X057", Methods: []string{"tasks/get"}, When: rule.Request, Message: polledTooFast},
	{ID: "X058", Methods: []string{"notifications/cancelled"}, Message: func(c *rule.Context) {
		r := c.St.Flows.Find(c.M.Frame.Dir, jsonrpc.Get(c.M.Params, "requestId"))
		if rule.Own[tasks](c.St).of[r] {
			c.ReportFor(c.M.Sender(), rule.At("params", "requestId"))
		}
	}},
	{ID: "X059", Methods: []string{"tasks/result"}, When: rule.Result, Message: func(c *rule.Context) {
		if jsonrpc.TypeOf(c.M.Result) == "object" && !rule.Has(jsonrpc.Get(c.M.Result, "_meta"), revision.MetaRelatedTask) {
			c.Report(rule.At("result", "_meta"))
		}
	}},
	{ID: "X060", Methods: []string{"tools/call"}, Message: taskSupport},
	{ID: "X064", Methods: []string{"tools/call"}, Message: plainCallRejected},
	{ID: "X063", Methods: []string{"tasks/get", "notifications/tasks"}, Message: reusedInputKey},
	{Methods: append([]string{"tasks/result"}, taskMethods...), After: watchTaskStates},
	{Methods: []string{"tools/list"}, When: rule.Result | rule.Matched, After: watchTaskSupport},
}

// invalidTransition finds a status that cannot follow the known one.
// Over HTTP responses can overtake each other and cross notifications.
func invalidTransition(c *rule.Context, t task) (change string, wrong bool) {
	l, status := rule.Own[tasks](c.St).state(c.M.Frame.Dir, t.id()), t.status()
	switch {
	case !status.Known():
		return "", false
	case t.created:
		return fmt.Sprintf("begins as %s; it must begin as working", status), !c.M.IsStateless() && status != revision.TaskWorking
	case l == nil || !l.status.Final() || l.status == status:
		return "", false
	}
	at, ok := rule.ParseTime(jsonrpc.Text(t.raw, "lastUpdatedAt"))
	later := ok && at.After(l.updated)
	if ok && at.Before(l.updated) {
		return "", false
	}
	inOrder := c.St.Link == rule.Stdio
	if c.M.Request != nil {
		inOrder = c.M.Request.Row > l.row
	}
	return fmt.Sprintf("changed from %s to %s, which is not a valid transition", l.status, status), later || inOrder
}

func polledTooFast(c *rule.Context) {
	l := rule.Own[tasks](c.St).state(1-c.M.Frame.Dir, jsonrpc.Text(c.M.Params, "taskId"))
	if l == nil || l.polled.IsZero() || l.mayPoll || l.status.Final() {
		return
	}
	// Timers are not exact to the millisecond.
	if got := c.M.Frame.Time.Sub(l.polled); got < l.poll/10*9 {
		c.ReportFor(c.M.Sender(), rule.Whole, "want", l.poll.Milliseconds(), "got", got.Milliseconds())
	}
}

// taskOnlyTools are the tools that can only be called as tasks.
type taskOnlyTools map[string]bool

func watchTaskSupport(c *rule.Context) {
	of := rule.Own[taskOnlyTools](c.St)
	if *of == nil || jsonrpc.Text(c.M.Request.Params, "cursor") == "" {
		*of = taskOnlyTools{}
	}
	if !bytes.Contains(c.M.Result, []byte("taskSupport")) {
		return // as nearly always, and lists are long
	}
	for tool := range jsonrpc.Elements(jsonrpc.Get(c.M.Result, "tools")) {
		if jsonrpc.Text(tool, "execution", "taskSupport") == "required" {
			(*of)[jsonrpc.Text(tool, "name")] = true
		}
	}
}

func taskSupport(c *rule.Context) {
	if !c.M.IsRequest() || c.M.Sender() != rule.Client || c.St.ServerCaps == nil {
		return
	}
	name := jsonrpc.Text(c.M.Params, "name")
	requests := rule.Has(c.M.Params, "task")
	reason := ""
	if !c.St.ServerOffers("tasks", "requests", "tools", "call") {
		if !requests {
			return
		}
		reason = "is called as a task, but the server did not declare tasks.requests.tools.call"
	} else {
		list := c.St.Tools()
		switch {
		case list == nil || !list.Complete:
		case requests:
			tool := list.Named(name)
			if support := jsonrpc.Text(tool, "execution", "taskSupport"); tool != nil && support != "required" && support != "optional" {
				reason = "cannot be called as a task"
			}
		case (*rule.Own[taskOnlyTools](c.St))[name]:
			reason = "can only be called as a task"
		}
	}
	if reason != "" {
		c.Report(rule.At("params", "task"), "name", rule.Escaped(name), "reason", reason)
	}
}

// plainCallRejected finds a tool whose call without a task fails, although it is
// optional.
func plainCallRejected(c *rule.Context) {
	r := c.M.Request
	if !c.M.IsError() || r == nil || c.M.Envelope.Code != jsonrpc.CodeMethodNotFound || rule.Has(r.Params, "task") || rule.IsUnknownToolError(c) {
		return
	}
	tool, known := c.ListedTool(r.Name)
	if known && jsonrpc.Text(tool, "execution", "taskSupport") == "optional" {
		c.Report(rule.At("error", "code"), "name", rule.Escaped(r.Name))
	}
}

// reusedInputKey finds a key that is used for another input request after it got
// a response. The same input request may be repeated until the server has
// received the response.
func reusedInputKey(c *rule.Context) {
	requests, at := inputRequestsOf(c.M)
	if requests == nil {
		return
	}
	task := c.M.Result
	if task == nil {
		task = c.M.Params
	}
	l := rule.Own[tasks](c.St).state(c.M.Frame.Dir, jsonrpc.Text(task, "taskId"))
	if l == nil {
		return
	}
	for key, request := range jsonrpc.Members(requests) {
		if k := string(key); l.answered[k] && !rule.SameJSON(l.requests[k], request) {
			c.Report(rule.At(append(at, k)...), "key", rule.Escaped(key))
			return
		}
	}
}
