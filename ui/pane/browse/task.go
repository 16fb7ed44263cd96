package browse

import (
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// wish says whether the next call of a tool is to be a task, and for how long
// the server is to keep that; 0 leaves it to the server.
type wish struct {
	on  bool
	ttl time.Duration
}

// wishes are what the key goes through.
var wishes = []wish{{}, {on: true}, {true, time.Minute}, {true, 10 * time.Minute}, {true, time.Hour}}

// String says it in a few words.
func (w wish) String() string {
	switch {
	case !w.on:
		return "not as a task"
	case w.ttl == 0:
		return "as a task"
	}
	return "as a task, kept for " + kept(w.ttl)
}

func kept(d time.Duration) string {
	if d == time.Hour {
		return "1 h"
	}
	return strconv.Itoa(int(d/time.Minute)) + " min"
}

// taskUse says how calls of an item and tasks go together.
func (p *Pane) taskUse(e *entry) client.TaskUse {
	if e.item.Kind != "tools" {
		return client.TaskNever
	}
	return p.state.Handshake.TaskUse(e.traits.execution)
}

// wishOf is what the next call asks for: a tool that requires tasks is never
// called without.
func (p *Pane) wishOf(e *entry) wish {
	switch p.taskUse(e) {
	case client.TaskRequired:
		return wish{true, e.task.ttl}
	case client.TaskOptional:
		return e.task
	}
	return wish{}
}

// nextWish goes on to the next wish.
func (p *Pane) nextWish(e *entry) action.Action {
	use := p.taskUse(e)
	switch use {
	case client.TaskByChoice:
		return action.Flash{Text: "the server decides which calls become tasks"}
	case client.TaskNever:
		return action.Flash{Text: "cannot be called as a task: " + p.whyNoTask(e)}
	}
	now := p.wishOf(e)
	for i, w := range wishes {
		if w == now {
			e.task = wishes[(i+1)%len(wishes)]
			break
		}
	}
	if use == client.TaskRequired && !e.task.on {
		e.task = wishes[1]
	}
	return action.Flash{Text: "the next call is sent " + p.wishOf(e).String()}
}

// whyNoTask says whether it is the server or the tool.
func (p *Pane) whyNoTask(e *entry) string {
	if e.item.Kind == "tools" && p.state.Handshake.HasTasks() {
		return "the tool does not support it"
	}
	return "the server does not offer it"
}

// taskFact says what an item has to do with tasks, empty when that is nothing.
func (p *Pane) taskFact(e *entry) string {
	said := e.traits.taskSupport
	switch p.taskUse(e) {
	case client.TaskRequired:
		return "always a task"
	case client.TaskOptional:
		return "can be a task"
	case client.TaskByChoice:
		if said != "" && said != "forbidden" {
			return "may become a task"
		}
	case client.TaskNever:
		if said != "" && said != "forbidden" {
			return "as a task: " + said + ", but the server does not offer tasks"
		}
	}
	return ""
}

// taskWaiting shows how far a call is that has become a task. It reports false
// for other calls.
func (p *Pane) taskWaiting(s *sheet, c *call) bool {
	t, ok := c.Task()
	if !ok {
		return false
	}
	elapsed := paint.HumanDuration(max(p.now.Sub(c.Started), 0))
	s.Line(func(r *paint.Row) {
		r.Right(paint.Span{Style: s.Pal.Muted, Text: elapsed + " "})
		r.Put(s.Pal.Warn, paint.Spinner(s.Pal, p.spin)+" ")
		switch {
		case t.Cancelling:
			r.Put(s.Pal.Warn, "the task is being cancelled")
		case t.Waiting > 0:
			r.Put(s.Pal.AskedBold, "the task requires input: ")
			r.Put(s.Pal.AccentBold, p.key(command.TabInbox))
			r.Put(s.Pal.Muted, " inbox")
		default:
			r.Put(s.Pal.Text, "task ")
			r.Put(s.Pal.Accent, string(t.Status))
			if t.HasTotal && t.Total > 0 {
				r.Gap(2)
				part := min(max(t.Progress/t.Total, 0), 1)
				n := min(max(r.Left()/3, 6), r.Left())
				r.Painted(paint.Bar(s.Pal, n, part), n)
			}
		}
		r.Gap(3)
		r.Put(s.Pal.Muted, t.Message)
	})
	if s.Left() <= 0 {
		return true
	}
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.AccentBold, p.key(command.CancelCall))
		r.Put(s.Pal.Muted, " cancel   ")
		r.Put(s.Pal.AccentBold, p.key(command.TabTasks))
		r.Put(s.Pal.Muted, " task details")
	})
	return true
}
