package tasks

import (
	"mcptea/session/requests"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	t := p.selected()
	switch {
	case name == command.ListTasks && !p.canList():
		return action.Flash{Text: "The server does not support tasks/list."}
	case name == command.ListTasks:
		return action.Task{Do: action.ListTasks}
	case name == command.NextPane && !p.inResult() && t != nil && t.Over:
		p.view.Focus = masterdetail.InDetail
		return nil
	case name == command.Back && p.closeLayer(t):
		return nil
	case (name == command.Back || name == command.PreviousPane) && p.inResult():
		p.view.Focus = masterdetail.InList
		return nil
	case name == command.Back || name == command.NextPane || name == command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case t == nil:
		return nil
	case p.inResult():
		return p.onResult(t, name)
	case command.ApplyScroll(&p.view.List, name):
		return nil
	}
	return p.onTask(t, name)
}

func (p *Pane) onTask(t *requests.Task, name command.ID) action.Action {
	switch name {
	case command.OpenTask:
		switch {
		case t.Waiting > 0:
			return action.ShowTab{Tab: command.TabInbox}
		case t.Over:
			p.view.Focus = masterdetail.InDetail
			return nil
		case t.Status.Final():
			return action.Task{ID: t.ID, Do: action.RefreshTask} // its result is not here yet
		}
		return action.Flash{Text: "No result yet. Task: " + stateOf(t) + "."}
	case command.CancelTask:
		if t.Over {
			return action.Flash{Text: "The task has ended."}
		}
		return action.Task{ID: t.ID, Do: action.CancelTask}
	case command.RefreshTask:
		return action.Task{ID: t.ID, Do: action.RefreshTask}
	case command.CopyTaskID:
		return action.Copy{Text: paint.Sanitize(t.ID), What: "task id"}
	case command.ShowTaskFrame:
		return frame(t)
	}
	return nil
}

// frame shows the frame of the outcome, of the newest status, or of the call.
func frame(t *requests.Task) action.Action {
	row := t.ResponseRow
	for i := len(t.History) - 1; i >= 0 && row < 0; i-- {
		row = t.History[i].Row
	}
	if row < 0 {
		row = t.Row
	}
	if row < 0 {
		return action.Flash{Text: "The frame is not in Traffic."}
	}
	return action.SelectFrame{Row: row}
}

// onResult carries out a command on the outcome.
func (p *Pane) onResult(t *requests.Task, name command.ID) action.Action {
	v := p.top(t)
	if v == nil {
		return nil
	}
	if command.ApplyFold(v, name) {
		return nil
	}
	switch name {
	case command.ToggleRaw:
		if !v.Switch() {
			return action.Flash{Text: "No response, so there is no JSON."}
		}
	case command.CopyResult:
		text, raw := v.Whole()
		return action.Copy{Text: text, Bytes: raw, What: "result"}
	case command.MarkFrame:
		if a, ok := frame(t).(action.SelectFrame); ok {
			return action.MarkFrame(a)
		}
	case command.Search:
		v.StartSearch()
	case command.NextMatch:
		v.SearchNext(1)
	case command.PreviousMatch:
		v.SearchNext(-1)
	case command.NextSection:
		v.NextSection(1)
	case command.LastSection:
		v.NextSection(-1)
	case command.ToggleWrap:
		if v.ToggleWrap() {
			return action.Flash{Text: "Long lines are wrapped."}
		}
		return action.Flash{Text: "Long lines are cut. " + p.sideKeys() + " moves sideways."}
	case command.ScrollLeft:
		v.ScrollSide(-1)
	case command.ScrollRight:
		v.ScrollSide(1)
	case command.WriteContent, command.PipeContent, command.OpenContent:
		items, likely := v.Items()
		return action.UseContent{How: uses[name], Items: items, Likely: likely, Ref: ref(t)}
	case command.ShowResultFrame:
		if links := v.Links(); len(links) > 0 && !v.Raw() {
			return action.FollowLink{Links: links, Ref: ref(t)}
		}
		return frame(t)
	default:
		command.ApplyScroll(v, name)
	}
	return nil
}

// Click selects a task, opens the selected one, or moves the focus to the outcome.
func (p *Pane) Click(x, y int) action.Action {
	switch t := p.selected(); p.view.Click(x, y) {
	case masterdetail.Again:
		return p.onTask(t, command.OpenTask)
	case masterdetail.OnDetail:
		if p.resultArea.Has(x, y) && t.Over {
			p.view.Focus = masterdetail.InDetail
		}
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if p.view.Scroll(x, y, n) || !p.resultArea.Has(x, y) {
		return
	}
	if v := p.top(p.selected()); v != nil {
		v.Scroll(n)
	}
}
