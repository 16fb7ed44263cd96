package ui

import (
	"fmt"

	"mcptea/client"
	"mcptea/session/requests"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// cancelTask asks the server to cancel a task. It does not wait for it: the tab shows what
// comes.
func (m *model) cancelTask(id string) {
	if err := m.session.Tasks().Cancel(id); err != nil {
		m.Fail(err.Error())
		return
	}
	m.Say("Cancelling the task.")
}

// showTab goes to the tab that a command names.
func (m *model) showTab(name string) {
	if name == tabTraffic {
		if m.focus == partTraffic {
			m.showList()
		}
		m.setFocus(partTraffic)
	}
	for i, t := range m.tabs {
		if t.command != name {
			continue
		}
		if t.command == tabTasks && !m.tasks.Present() {
			m.Say("The server does not offer tasks.")
			return
		}
		m.toTab(i)
	}
}

// longTasks are the tasks that the strip shows, newest first.
func (m *model) longTasks() []*requests.Task {
	var found []*requests.Task
	running := m.tasks.Running()
	for i := len(running) - 1; i >= 0; i-- {
		if m.now.Sub(running[i].FirstSeen) >= slowAfter {
			found = append(found, running[i])
		}
	}
	return found
}

// isTaskPoll reports whether a request polls a task: the task itself is shown.
func isTaskPoll(f store.Flow) bool {
	switch f.Method {
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		return true
	}
	return false
}

// pendingCount counts what is pending: a task counts once, with all its requests.
func (m *model) pendingCount() int {
	n := m.snap.Pending + len(m.tasks.Running())
	for _, f := range m.pending {
		if isTaskPoll(f) {
			n--
		}
	}
	return n
}

// taskRow is a call in the strip that has become a task.
func (m *model) taskRow(t *requests.Task, w int) string {
	p := m.pal
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Right(paint.Span{Style: p.Warn, Text: paint.HumanDuration(max(0, m.now.Sub(t.FirstSeen))) + " "})
	r.Gap(1)
	r.Put(p.Out, p.ArrowOut+" ")
	r.Cell(p.Muted, string(t.Call), 6)
	r.Gap(1)
	what := t.Tool
	if what == "" {
		what = t.ID
	}
	nameWidth := max(12, w/4)
	r.Cell(p.TextBold, paint.Cut(paint.Sanitize(what), nameWidth), nameWidth)
	r.Gap(1)
	r.Put(p.Accent, paint.Spinner(p, m.spin)+" ")
	switch {
	case t.Cancelling:
		r.Put(p.Warn, "task is being cancelled")
	case t.Waiting > 0:
		r.Put(p.AskedBold, "task requires input from you")
		r.Put(p.Muted, "   "+m.keyTo(tabInbox)+" respond")
	case t.Status == client.TaskInputRequired:
		r.Put(p.Asked, "task requires input")
	default:
		r.Put(p.Muted, "task ")
		r.Put(p.Accent, string(t.Status))
	}
	if t.HasTotal && t.Total > 0 {
		r.Put(p.Strong, fmt.Sprintf("   %.0f%%", 100*max(0, min(1, t.Progress/t.Total))))
	}
	if t.Message != "" {
		r.Gap(3)
		r.Put(p.Muted, t.Message)
	}
	return r.String()
}
