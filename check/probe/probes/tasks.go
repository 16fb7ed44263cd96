package probes

import (
	"cmp"
	"slices"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

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
		o := r.Ask(c, method+" of an unknown task", c.Request(method, taskParams(r, noTask)))
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

// tasksCapability declares the extension for tasks (SEP-2663) in _meta of a request.
const tasksCapability = `"` + revision.MetaClientCapabilities + `":{"elicitation":{},"sampling":{},"roots":{},"extensions":{"` + revision.TasksExtension + `":{}}}`

// taskParams adds the members for tasks to params, a JSON object.
func taskParams(r *probe.Run, params string) string {
	if !r.IsStateless() {
		return params
	}
	return params[:len(params)-1] + `,"_meta":{` + tasksCapability + `}}`
}

// A begunTask is a task that a call of a tool has created.
type begunTask struct {
	tool   probe.Subject
	params string // of requests about it
	id     string
}

// ask sends a request about the task.
func (t begunTask) ask(r *probe.Run, name, method string) probe.Outcome {
	c := r.Shared()
	return r.Ask(c, name, c.Request(method, taskParams(r, t.params)))
}

// callAsTask calls a tool so that it may become a task. created is false if it has not.
func callAsTask(r *probe.Run, s probe.Subject) (t begunTask, o probe.Outcome, created bool) {
	params, c := callParams(s, asTask), r.Shared()
	if r.IsStateless() {
		params = callParams(s, "")
	}
	o, ok := r.Exchange(c, s.Name+" as a task", s.Name, c.Request("tools/call", taskParams(r, params)))
	id := jsonrpc.Text(o.Member("task"), "taskId")
	if r.IsStateless() && jsonrpc.IsText(o.Member("resultType"), "task") {
		id = jsonrpc.Text(o.Result(), "taskId")
	}
	return begunTask{s, `{"taskId":` + probe.JSON(id) + `}`, id}, o, ok && id != ""
}

// taskTools returns the callable tools whose calls may become tasks.
func taskTools(r *probe.Run) []probe.Subject {
	if !hasTasks(r) || !r.IsStateless() && !r.Server.Has("tasks.requests.tools.call") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Callables()), func(s probe.Subject) bool {
		if r.IsStateless() { // each call may become a task
			return r.IsLong(r.Took(s.Name))
		}
		return support(s) != "optional" && support(s) != "required"
	})
}

// anyTask returns the first task that a tool creates.
func anyTask(r *probe.Run) (t begunTask, ok bool) {
	for _, s := range taskTools(r) {
		if t, _, ok = callAsTask(r, s); ok {
			return t, true
		}
	}
	return t, false
}

// beginTask is like anyTask, but reports a call that should have become a task.
func beginTask(r *probe.Run) (t begunTask, o probe.Outcome, ok bool) {
	tools := taskTools(r)
	if r.IsStateless() {
		t, ok = anyTask(r)
		r.SkipIf(!ok, "no callable tool that runs as a task")
		return t, o, ok
	}
	if r.SkipIf(len(tools) == 0, "no callable tool that supports tasks") {
		return t, o, false
	}
	s := tools[0]
	if t, o, ok = callAsTask(r, s); !ok {
		switch o.Kind {
		case probe.Result:
			if jsonrpc.TypeOf(o.Member("task")) == "object" {
				return t, o, false // a rule is about its id
			}
			r.Of(o).Named("no-task").Error("The call of %s as a task returns no task.", s.Name)
		case probe.Error:
			r.Of(o).Itself().Named("no-task").Error("The tool %s lists taskSupport %q, and a call as a task returns %s.", s.Name, support(s), probe.Describe(o))
		}
	}
	return t, o, ok
}

func taskLifecycle(r *probe.Run) {
	t, o, ok := beginTask(r)
	if !ok {
		return
	}
	status, begun := "", time.Now()
	r.Until(func() bool {
		o = t.ask(r, "tasks/get", "tasks/get")
		if o.Kind != probe.Result {
			r.Of(o).Named("task-get").Error("tasks/get of a running task returns %s.", probe.Describe(o))
			return true
		}
		status = jsonrpc.Text(o.Result(), "status")
		return slices.Contains(terminal, status) || status == "input_required"
	})
	if o.Kind != probe.Result {
		return
	}
	if status == "working" && !r.IsStateless() && r.Returned(t.tool.Name) { // since 2026-07-28 a plain call may be an error
		r.Of(o).Info("The task of %s has the status working after %s; a call without a task returned after %s.", t.tool.Name, shown(time.Since(begun)), shown(r.Took(t.tool.Name)))
	}
	if status == "completed" && !r.IsStateless() {
		if o := t.ask(r, "tasks/result", "tasks/result"); o.IsRefusal() {
			r.Of(o).Named("task-result").Error("tasks/result of a completed task returns %s.", probe.Describe(o))
		}
	}
	if slices.Contains(terminal, status) {
		o := t.ask(r, "tasks/get of a task that has ended", "tasks/get")
		if o.Kind == probe.Result && jsonrpc.Text(o.Result(), "status") != status {
			return // a rule reports that the status has changed
		}
	}
	if r.IsStateless() {
		undeclaredTask(r, t)
	} else {
		listedTask(r, t)
	}
	cancelTask(r, t, status)
	cancelNewTask(r, t.tool)
}

// listedTask looks for a task that tasks/get returns in the first page of tasks/list.
func listedTask(r *probe.Run, t begunTask) {
	if !r.Server.Has("tasks.list") {
		return
	}
	c := r.Shared()
	o := r.Ask(c, "tasks/list", c.Request("tasks/list", ""))
	for one := range jsonrpc.Elements(o.Member("tasks")) {
		if jsonrpc.Text(one, "taskId") == t.id {
			return
		}
	}
	if o.Kind == probe.Result && o.Member("nextCursor") == nil {
		r.Of(o).Itself().Named("task-list").Error("tasks/list does not contain the task of %s, which tasks/get returns.", t.tool.Name)
	}
}

// onlyLegacyTasks declares tasks as 2025-11-25 does. Since 2026-07-28 only the extension counts.
const onlyLegacyTasks = `"` + revision.MetaClientCapabilities + `":{"tasks":{"list":{},"cancel":{}}}`

// undeclaredTask requests a task as clients that do not declare the extension.
func undeclaredTask(r *probe.Run, t begunTask) {
	member := t.params[1 : len(t.params)-1] // without braces
	for _, u := range []struct{ method, params, capabilities, client string }{
		{"tasks/get", member, noCapabilities, "a client that does not declare the extension"},
		{"tasks/get", member, onlyLegacyTasks, "a client that declares only tasks of 2025-11-25"},
		{"tasks/update", member + `,"inputResponses":{}`, noCapabilities, "a client that does not declare the extension"},
		{listenMethod, `"notifications":{"taskIds":[` + probe.JSON(t.id) + `]}`, noCapabilities, "a client that does not declare the extension"},
		{"tasks/cancel", member, noCapabilities, "a client that does not declare the extension"},
	} {
		name := u.method + " by " + u.client
		c := r.Shared()
		params := `{` + u.params + `,"_meta":{` + u.capabilities + `}}`
		var o probe.Outcome
		if u.method == listenMethod {
			c = r.Linted(true)
			o = r.OpenStream(c, name, c.Request(u.method, params))
			if o.Kind == probe.Silent && r.Awaits(c, acknowledgment) {
				r.Case(name, o).Named("task-undeclared").Error("%s is acknowledged; error -32021 is required.", name)
			}
			r.Close(c)
		} else {
			o = r.Ask(c, name, c.Request(u.method, params))
		}
		if o.Kind == probe.Result || o.Kind == probe.Error && !o.IsError(revision.CodeMissingCapability) && !o.IsError(jsonrpc.CodeMethodNotFound) {
			r.Of(o).Itself().Named("task-undeclared").Error("%s returns %s; error -32021 is required.", name, probe.Describe(o))
			return
		}
	}
}

// cancelTask cancels a task with a status.
func cancelTask(r *probe.Run, t begunTask, status string) {
	if !r.IsStateless() && !r.Server.Has("tasks.cancel") {
		return
	}
	o := t.ask(r, "tasks/cancel", "tasks/cancel")
	isOver := slices.Contains(terminal, status)
	now := jsonrpc.Text(o.Result(), "status")
	switch {
	case r.IsStateless() && o.Kind == probe.Error && !isOver:
		r.Of(o).Itself().Named("task-cancel-ack").Error("tasks/cancel of a task with the status %s returns %s; an empty result is required.", cmp.Or(status, "working"), probe.Describe(o))
	case r.IsStateless() || o.Kind != probe.Result:
	case isOver:
		r.Of(o).Named("task-cancel").Error("tasks/cancel of a task with the terminal status %s returns a result; error -32602 is required.", status)
	case now != "cancelled":
		r.Of(o).Itself().Named("task-cancelled").Error("tasks/cancel of a task with the status %s returns the status %s.", cmp.Or(status, "working"), cmp.Or(now, "(none)"))
	}
}

// cancelNewTask creates another task and cancels it immediately. A rule reports a later change of its status.
func cancelNewTask(r *probe.Run, s probe.Subject) {
	if !r.IsStateless() && !r.Server.Has("tasks.cancel") {
		return
	}
	t, _, ok := callAsTask(r, s)
	if !ok {
		return
	}
	o := t.ask(r, "tasks/get", "tasks/get")
	if o.Kind != probe.Result || slices.Contains(terminal, jsonrpc.Text(o.Result(), "status")) {
		return
	}
	o = t.ask(r, "tasks/cancel of a task that has just begun", "tasks/cancel")
	now := jsonrpc.Text(o.Result(), "status")
	switch {
	case r.IsStateless() && o.Kind == probe.Error:
		r.Of(o).Itself().Named("task-cancel-ack").Error("tasks/cancel of a task with the status working returns %s; an empty result is required.", probe.Describe(o))
	case !r.IsStateless() && o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams): // otherwise the task has ended
		r.Of(o).Itself().Named("task-cancelled").Error("tasks/cancel of a task with the status working returns %s.", probe.Describe(o))
	case !r.IsStateless() && o.Kind == probe.Result && now != "cancelled":
		r.Of(o).Itself().Named("task-cancelled").Error("tasks/cancel of a task with the status working returns the status %s.", cmp.Or(now, "(none)"))
	}
	if o = t.ask(r, "tasks/get of a cancelled task", "tasks/get"); o.Kind == probe.Error {
		r.Of(o).Itself().Named("task-get").Error("tasks/get of a task that was cancelled, within its ttl, returns %s.", probe.Describe(o))
	}
}
