package tasks

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/requests"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/content"
)

// uses are the commands that use content.
var uses = map[command.ID]action.Use{
	command.WriteContent: action.WriteContent, command.PipeContent: action.PipeContent, command.OpenContent: action.OpenContent,
}

// ref is the reference of a task in actions and events.
// Another connection may know the same id.
func ref(t *requests.Task) string { return fmt.Sprintf("tasks %v", keyOf(t)) }

// top is the view on show of a task: its outcome, or what is over it.
func (p *Pane) top(t *requests.Task) *content.View {
	if t == nil {
		return nil
	}
	v := p.outcome(t)
	if r := p.results[keyOf(t)]; r != nil {
		return r.over.Top(v)
	}
	return v
}

// sideKeys are the keys that move a result sideways.
func (*Pane) sideKeys() string {
	return command.KeyIn(command.TaskResult, command.ScrollLeft, false) + " " + command.KeyIn(command.TaskResult, command.ScrollRight, false)
}

// closeLayer ends the search, or removes what is shown over the outcome. It reports
// false without either.
func (p *Pane) closeLayer(t *requests.Task) bool {
	if t == nil || !p.inResult() {
		return false
	}
	v, r := p.top(t), p.results[keyOf(t)]
	return v != nil && v.EndSearch() || r != nil && r.over.Pop()
}

// searched is the view whose search is being typed; nil without one.
func (p *Pane) searched() *content.View {
	if v := p.top(p.selected()); p.inResult() && v != nil && v.Typing() {
		return v
	}
	return nil
}

// Typing implements the contract of panes: the search of an outcome is typed.
func (p *Pane) Typing() bool { return p.searched() != nil }

// Type implements the contract of panes.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	if v := p.searched(); v != nil {
		return nil, v.Type(k, command.FilterKeys())
	}
	return nil, false
}

// Paste implements the contract of panes.
func (p *Pane) Paste(text string) {
	if v := p.searched(); v != nil {
		v.Paste(text)
	}
}

// Cursor implements the contract of panes.
func (p *Pane) Cursor() (x, y int, ok bool) {
	v := p.searched()
	if v == nil {
		return 0, 0, false
	}
	x, y, _ = v.Cursor()
	return x + p.resultArea.X, y + p.resultArea.Y, y < p.resultArea.H
}

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(ev action.Event) {
	for _, t := range p.order {
		r := p.results[keyOf(t)]
		switch ev := ev.(type) {
		case action.Piping:
			if r != nil && ev.Ref == ref(t) {
				r.over.PushCommand(ev.Line, ev.Output, ev.Stop)
			}
		case action.Started:
			if r != nil && ev.Ref == ref(t) {
				r.over.PushCall(ev.Call)
			}
		}
	}
}
