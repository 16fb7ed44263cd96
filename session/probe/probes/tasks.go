package probes

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

const noTask = `{"taskId":"mcptea-none"}`

func unknownTask(r *probe.Run) {
	if r.SkipIf(!hasTasks(r), "capability tasks") {
		return
	}
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
		switch {
		case o.Kind == probe.Result:
			r.Error("%s of an unknown task returns a result.", method)
		case r.IsStateless() && o.IsError(revision.CodeMissingCapability): // mcptea does not declare the extension here
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams):
			r.Error("%s of an unknown task returns error %s; -32602 is required.", method, o.ShownCode())
		}
	}
	if r.Server.Has("tasks.list") {
		o := r.Provoke(r.Dirty(), "tasks/list with an invalid cursor", r.Dirty().Request("tasks/list", `{"cursor":"mcptea-invalid-cursor"}`))
		if o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams) {
			r.Info("tasks/list with an invalid cursor returns error %s; -32602 is expected.", o.ShownCode())
		}
	}
}

func hasTasks(r *probe.Run) bool {
	return r.Server.Has("tasks") || r.IsStateless() && r.Server.Handshake.HasCapability("extensions", revision.TasksExtension)
}

// support is the taskSupport of a tool.
func support(s probe.Subject) string { return jsonrpc.Text(s.Raw, "execution", "taskSupport") }

func callParams(s probe.Subject, more string) string {
	return `{"name":` + probe.JSON(s.Name) + `,"arguments":` + s.Arguments + more + `}`
}

const asTask = `,"task":{"ttl":60000}`

func taskSupport(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tasks.requests.tools.call"), "capability tasks.requests.tools.call") {
		return
	}
	c := r.Shared()
	found := false
	for _, s := range r.Callables() {
		switch support(s) {
		case "required":
			found = true
			o, _ := r.Exchange(c, s.Name+" without task", s.Name, c.Request("tools/call", callParams(s, "")))
			if o.Kind == probe.Result || o.Kind == probe.Error && !o.IsError(jsonrpc.CodeMethodNotFound) {
				r.About(lint.Error, "tool:"+s.Name, "The tool %s requires a task, and a plain call returns %s; error -32601 is required.", s.Name, probe.Describe(o))
			}
		case "", "forbidden":
			if found {
				continue
			}
			found = true
			o, _ := r.Exchange(c, s.Name+" as a task", s.Name, c.Request("tools/call", callParams(s, asTask)))
			if o.Kind == probe.Error && !o.IsError(jsonrpc.CodeMethodNotFound) {
				r.About(lint.Warn, "tool:"+s.Name, "The tool %s does not support tasks, and a call as a task returns error %s; -32601 is expected.", s.Name, o.ShownCode())
			}
		}
	}
	if r.SkipIf(!found, "no callable tool") {
		return
	}
}

var terminal = []string{"completed", "failed", "cancelled"}

func taskLifecycle(r *probe.Run) {
	i := slices.IndexFunc(r.Callables(), func(s probe.Subject) bool { return support(s) == "optional" || support(s) == "required" })
	if r.SkipIf(i < 0 || !r.Server.Has("tasks.requests.tools.call"), "no callable tool that supports tasks") {
		return
	}
	s, c := r.Callables()[i], r.Fresh()
	o, ok := r.Exchange(c, s.Name+" as a task", s.Name, c.Request("tools/call", callParams(s, asTask)))
	id := jsonrpc.Text(o.Member("task"), "taskId")
	if !ok || id == "" {
		if o.Kind == probe.Result {
			r.Error("The call of %s as a task returns no task.", s.Name)
		}
		return
	}
	params := `{"taskId":` + probe.JSON(id) + `}`
	status := ""
	for range 20 {
		o = r.Ask(c, "tasks/get", c.Request("tasks/get", params))
		if o.Kind != probe.Result {
			r.Error("tasks/get of a running task returns %s.", probe.Describe(o))
			return
		}
		next := jsonrpc.Text(o.Result(), "status")
		if slices.Contains(terminal, status) && next != status {
			r.Error("The task goes from the terminal status %s to %s.", status, next)
		}
		if status = next; slices.Contains(terminal, status) || status == "input_required" {
			break
		}
		r.Sleep(250 * time.Millisecond)
	}
	if status == "completed" {
		if o = r.Ask(c, "tasks/result", c.Request("tasks/result", params)); o.IsRefusal() {
			r.Error("tasks/result of a completed task returns %s.", probe.Describe(o))
		}
	}
	o = r.Ask(c, "tasks/cancel", c.Request("tasks/cancel", params))
	if slices.Contains(terminal, status) && o.Kind == probe.Result {
		r.Error("tasks/cancel of a task with the terminal status %s returns a result; error -32602 is required.", status)
	}
}
