package cli

import (
	"fmt"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
)

// asTask reports whether to call a tool as a task. It fetches tools/list if it needs
// to.
func (p *connection) asTask(s *session.Session, name string, tools map[string]session.List) (bool, error) {
	h := s.State().Handshake
	requested := p.flags.task || p.flags.ttl > 0
	switch {
	case h.Revision.IsStateless():
		if requested && !h.HasTasks() {
			return false, noTasks("the server does not support tasks (it does not declare the extension %s)", revision.TasksExtension)
		}
		if p.flags.ttl > 0 {
			fmt.Fprintf(p.err, "%s --ttl has no effect in %s, where the server decides\n", p.err.warn("warning:"), h.Revision)
		}
		return false, nil // the server decides which calls become tasks
	case h.Revision != revision.R20251125 || !h.HasCapability("tasks", "requests", "tools", "call"):
		if requested {
			return false, noTasks("the server does not support calls as tasks (it does not declare tasks.requests.tools.call, see %s)", revision.R20251125)
		}
		return false, nil
	}
	list, there := tools[client.Tools.Name]
	if !there || list.Loaded.IsZero() {
		s.Fetch(client.Tools)
		fetched, err := p.loadLists(s, nothing, client.Tools)
		if err != nil {
			return false, err
		}
		list = fetched[client.Tools.Name]
	}
	tool, known := itemNamed(list, name)
	use := h.TaskUse(tool.Raw)
	if requested && known && use == client.TaskNever {
		return false, noTasks("the tool %s cannot be called as a task: it does not declare execution.taskSupport", name)
	}
	return requested || use == client.TaskRequired, nil
}

// noTasks returns the error for --task and --ttl if the server does not support tasks.
func noTasks(format string, args ...any) error {
	return usage("Omit --task and --ttl to call the tool without a task.", format, args...)
}

// printTaskOutcome prints the status of a task after an interrupt.
func (p *connection) printTaskOutcome(call *session.Call) {
	t, ok := call.Task()
	switch {
	case !ok:
	case t.Status == client.TaskCancelled:
		fmt.Fprintf(p.err, "%s the task was cancelled\n", p.err.bad("mcptea:"))
	default:
		fmt.Fprintf(p.err, "%s the task %s may still run: tasks/cancel was sent, and its status is %s\n",
			p.err.bad("mcptea:"), p.err.safe(t.ID), p.err.safe(string(t.Status)))
	}
}
