package cli

import (
	"fmt"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
)

// asTask decides whether a call asks for a task. The list of tools, which that
// may take, is fetched into tools if it was not.
func (p *program) asTask(s *session.Session, name string, tools map[string]session.List) (bool, error) {
	h := s.State().Handshake
	wanted := p.flags.task || p.flags.ttl > 0
	switch {
	case h.Revision.IsModern():
		if wanted && !h.HasTasks() {
			return false, noTasks("the server does not offer tasks (it lacks the extension %s)", revision.TasksExtension)
		}
		if p.flags.ttl > 0 {
			fmt.Fprintf(p.err, "%s %s has no way to ask for a ttl: the server decides\n", p.err.warn("warning:"), h.Revision)
		}
		return false, nil // the server decides which calls become tasks
	case h.Revision != revision.R20251125 || !h.HasCapability("tasks", "requests", "tools", "call"):
		if wanted {
			return false, noTasks("the server does not take calls as tasks (in %s it would declare tasks.requests.tools.call)", revision.R20251125)
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
	tool, known := toolNamed(list, name)
	use := h.TaskUse(tool.Raw)
	if wanted && known && use == client.TaskNever {
		return false, noTasks("the tool %s cannot be called as a task: it does not say that it supports it", name)
	}
	return wanted || use == client.TaskRequired, nil
}

// noTasks is a wish that the server cannot be asked to grant.
func noTasks(format string, args ...any) error {
	return usage("Leave --task and --ttl out to call it in the usual way.", format, args...)
}

// printTaskOutcome tells what an interrupt has made of a call's task.
func (p *program) printTaskOutcome(call *session.Call) {
	t, ok := call.Task()
	switch {
	case !ok:
	case t.Status == client.TaskCancelled:
		fmt.Fprintf(p.err, "%s the task was cancelled\n", p.err.bad("mcptea:"))
	default:
		fmt.Fprintf(p.err, "%s the task %s may go on: the server was asked to cancel it, and it is %s\n",
			p.err.bad("mcptea:"), p.err.safe(t.ID), p.err.safe(string(t.Status)))
	}
}
