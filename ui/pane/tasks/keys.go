package tasks

import (
	"mcptea/session/tasks"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	t := p.selected()
	if name == command.ListTasks {
		if !p.lists() {
			return action.Flash{Text: "the server does not list its tasks"}
		}
		return action.Task{Do: action.ListTasks}
	}
	switch {
	case name == command.Back && p.part == inResult:
		p.part = inList
		return nil
	case name == command.Back || name == command.NextPane || name == command.PreviousPane:
		return p.step(name, t)
	case t == nil:
		return nil
	case p.part == inResult:
		return p.onResult(t, name)
	case p.navigate(name):
		return nil
	}
	return p.onTask(t, name)
}

// step goes to the next part of the pane, or out of it.
func (p *Pane) step(name command.ID, t *tasks.Task) action.Action {
	switch {
	case name == command.Back:
		return action.Leave{}
	case name == command.NextPane && p.part == inList && t != nil && t.Over:
		p.part = inResult
		return nil
	case name == command.PreviousPane && p.part == inResult:
		p.part = inList
		return nil
	}
	return action.Leave{Forward: name == command.NextPane}
}

func (p *Pane) navigate(name command.ID) bool {
	page := max(p.area.list.h/2, 1)
	by, ok := command.Steps(name, page, page, len(p.order))
	if ok {
		p.move(p.place() + by)
	}
	return ok
}

func (p *Pane) onTask(t *tasks.Task, name command.ID) action.Action {
	switch name {
	case command.OpenTask:
		switch {
		case t.Waiting > 0:
			return action.ShowTab{Tab: command.TabInbox}
		case t.Over:
			p.part = inResult
			return nil
		case t.Status.Final():
			return action.Task{ID: t.ID, Do: action.RefreshTask} // its result was not fetched yet
		}
		return action.Flash{Text: "there is no result yet: the task is " + word(t)}
	case command.CancelTask:
		if t.Over {
			return action.Flash{Text: "the task is over"}
		}
		return action.Task{ID: t.ID, Do: action.CancelTask}
	case command.RefreshTask:
		return action.Task{ID: t.ID, Do: action.RefreshTask}
	case command.CopyTaskID:
		return action.Copy{Text: paint.Sanitize(t.ID), What: "id of the task"}
	case command.ShowTaskFrame:
		return frame(t)
	}
	return nil
}

// frame shows where the task ended, or how it stands, or the call behind it.
func frame(t *tasks.Task) action.Action {
	row := t.ResponseRow
	for i := len(t.History) - 1; i >= 0 && row < 0; i-- {
		row = t.History[i].Row
	}
	if row < 0 {
		row = t.Row
	}
	if row < 0 {
		return action.Flash{Text: "the frame is not in the traffic"}
	}
	return action.SelectFrame{Row: row}
}

// onResult does what needs the outcome on show.
func (p *Pane) onResult(t *tasks.Task, name command.ID) action.Action {
	v := p.outcome(t)
	if v == nil {
		return nil
	}
	if tree := v.Tree(); tree != nil && command.ApplyFold(tree, name) {
		return nil
	}
	switch name {
	case command.ToggleRaw:
		if !v.Switch() {
			return action.Flash{Text: "there is no JSON: nothing was answered"}
		}
	case command.CopyResult:
		return action.Copy{Text: v.Text(), What: "result"}
	case command.ShowResultFrame:
		return frame(t)
	default:
		command.ApplyScroll(v, name)
	}
	return nil
}

// Click does what a click on a cell means: choose a task, or go to its outcome.
func (p *Pane) Click(x, y int) action.Action {
	t := p.selected()
	switch {
	case t == nil:
	case p.area.list.holds(x, y):
		p.part = inList
		if i := y - p.area.list.y; i < len(p.rows) && p.rows[i] >= 0 {
			if p.rows[i] == p.place() {
				return p.onTask(t, command.OpenTask)
			}
			p.move(p.rows[i])
		}
	case p.area.result.holds(x, y) && t.Over:
		p.part = inResult
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	t := p.selected()
	switch {
	case t == nil:
	case p.area.list.holds(x, y):
		p.move(p.place() + n/max(n, -n, 1))
	case p.area.result.holds(x, y):
		if v := p.outcome(t); v != nil {
			v.Scroll(n)
		}
	}
}
