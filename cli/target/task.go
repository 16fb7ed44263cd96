package target

import (
	"fmt"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
)

// AsTask reports whether to call a tool as a task. It fetches tools/list if it needs
// to.
func (p *Connection) AsTask(s *session.Session, name string, tools map[string]session.List) (bool, error) {
	h := s.State().Handshake
	requested := p.Flags.Task || p.Flags.Ttl > 0
	switch {
	case h.Revision.IsStateless():
		if requested && !h.HasTasks() {
			return false, noTasks("the server does not support tasks (it does not declare the extension %s)", revision.TasksExtension)
		}
		if p.Flags.Ttl > 0 {
			fmt.Fprintf(p.Err, "%s --ttl has no effect in %s, where the server decides\n", p.Err.Warn("warning:"), h.Revision)
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
		fetched, err := p.LoadLists(s, Nothing, client.Tools)
		if err != nil {
			return false, err
		}
		list = fetched[client.Tools.Name]
	}
	tool, known := ItemNamed(list, name)
	use := h.TaskUse(tool.Raw)
	if requested && known && use == client.TaskNever {
		return false, noTasks("the tool %s cannot be called as a task: it does not declare execution.taskSupport", name)
	}
	return requested || use == client.TaskRequired, nil
}

// noTasks returns the error for --task and --ttl if the server does not support tasks.
func noTasks(format string, args ...any) error {
	return app.Usage("Omit --task and --ttl to call the tool without a task.", format, args...)
}

// printTaskOutcome prints the status of a task after an interrupt.
func (p *Connection) printTaskOutcome(call *session.Call) {
	t, ok := call.Task()
	switch {
	case !ok:
	case t.Status == client.TaskCancelled:
		fmt.Fprintf(p.Err, "%s the task was cancelled\n", p.Err.Bad("mcptea:"))
	default:
		fmt.Fprintf(p.Err, "%s the task %s may still run: tasks/cancel was sent, and its status is %s\n",
			p.Err.Bad("mcptea:"), p.Err.Safe(t.ID), p.Err.Safe(string(t.Status)))
	}
}
