package tasks

import (
	"mcptea/session/tasks"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.Name) command.Action {
	t := p.selected()
	if name == command.TaskList {
		if !p.lists() {
			return command.Flash{Text: "the server does not list its tasks"}
		}
		return command.Task{Do: command.ListTasks}
	}
	switch {
	case name == command.Back && p.part == inResult:
		p.part = inList
		return nil
	case name == command.Back || name == command.NextRegion || name == command.PrevRegion:
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
func (p *Pane) step(name command.Name, t *tasks.Task) command.Action {
	switch {
	case name == command.Back:
		return command.Leave{}
	case name == command.NextRegion && p.part == inList && t != nil && t.Over:
		p.part = inResult
		return nil
	case name == command.PrevRegion && p.part == inResult:
		p.part = inList
		return nil
	}
	return command.Leave{Forward: name == command.NextRegion}
}

func (p *Pane) navigate(name command.Name) bool {
	page := max(p.area.list.h/2, 1)
	by, ok := command.Steps(name, page, page, len(p.order))
	if ok {
		p.move(p.place() + by)
	}
	return ok
}

func (p *Pane) onTask(t *tasks.Task, name command.Name) command.Action {
	switch name {
	case command.TaskOpen:
		switch {
		case t.Waiting > 0:
			return command.ShowTab{Tab: command.TabInbox}
		case t.Over:
			p.part = inResult
			return nil
		case t.Status.Final():
			return command.Task{ID: t.ID, Do: command.LookAtTask} // its result was not fetched yet
		}
		return command.Flash{Text: "there is no result yet: the task is " + word(t)}
	case command.TaskCancel:
		if t.Over {
			return command.Flash{Text: "the task is over"}
		}
		return command.Task{ID: t.ID, Do: command.CancelTask}
	case command.TaskLook:
		return command.Task{ID: t.ID, Do: command.LookAtTask}
	case command.TaskCopy:
		return command.Copy{Text: paint.Sanitize(t.ID), What: "id of the task"}
	case command.TaskFrame:
		return frame(t)
	}
	return nil
}

// frame shows where the task ended, or how it stands, or the call behind it.
func frame(t *tasks.Task) command.Action {
	row := t.ResponseRow
	for i := len(t.History) - 1; i >= 0 && row < 0; i-- {
		row = t.History[i].Row
	}
	if row < 0 {
		row = t.Row
	}
	if row < 0 {
		return command.Flash{Text: "the frame is not in the traffic"}
	}
	return command.SelectFrame{Row: row}
}

// onResult does what needs the outcome on show.
func (p *Pane) onResult(t *tasks.Task, name command.Name) command.Action {
	v := p.outcome(t)
	if v == nil {
		return nil
	}
	if tree := v.Tree(); tree != nil && command.Fold(tree, name) {
		return nil
	}
	switch name {
	case command.ResultSwitch:
		if !v.Switch() {
			return command.Flash{Text: "there is no JSON: nothing was answered"}
		}
	case command.ResultCopy:
		return command.Copy{Text: v.Text(), What: "result"}
	case command.ResultFrame:
		return frame(t)
	default:
		command.Scroll(v, name)
	}
	return nil
}

// Click does what a click on a cell means: choose a task, or go to its outcome.
func (p *Pane) Click(x, y int) command.Action {
	t := p.selected()
	switch {
	case t == nil:
	case p.area.list.holds(x, y):
		p.part = inList
		if i := y - p.area.list.y; i < len(p.rows) && p.rows[i] >= 0 {
			if p.rows[i] == p.place() {
				return p.onTask(t, command.TaskOpen)
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
