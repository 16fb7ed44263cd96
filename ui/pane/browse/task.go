package browse

import (
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// A wish is the task setting of the next call. A zero ttl leaves the time to live to the server.
type wish struct {
	on  bool
	ttl time.Duration
}

// wishes lists the settings that the task command cycles through.
var wishes = []wish{{}, {on: true}, {true, time.Minute}, {true, 10 * time.Minute}, {true, time.Hour}}

// String describes the setting, as in "as a task".
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

// taskUse reports whether calls of an item can or must be tasks.
func (p *Panel) taskUse(e *Item) client.TaskUse {
	if e.item.Kind != "tools" {
		return client.TaskNever
	}
	return p.tick.State.Handshake.TaskUse(e.traits.execution)
}

// wishOf returns the setting of the next call. A tool that requires tasks is always called as one.
func (p *Panel) wishOf(e *Item) wish {
	switch p.taskUse(e) {
	case client.TaskRequired:
		return wish{true, e.task.ttl}
	case client.TaskOptional:
		return e.task
	}
	return wish{}
}

// noWish returns the reason why the next call cannot become a task, or "".
func (p *Panel) noWish(e *Item) string {
	switch p.taskUse(e) {
	case client.TaskByChoice:
		return "The server decides which calls become tasks."
	case client.TaskNever:
		if e.item.Kind == "tools" && p.tick.State.Handshake.HasTasks() {
			return "Not as a task: the tool does not support it."
		}
		return "Not as a task: the server does not offer it."
	}
	return ""
}

// nextWish selects the next setting.
func (p *Panel) nextWish(e *Item) {
	now := p.wishOf(e)
	for i, w := range wishes {
		if w == now {
			e.task = wishes[(i+1)%len(wishes)]
			break
		}
	}
	if p.taskUse(e) == client.TaskRequired && !e.task.on {
		e.task = wishes[1]
	}
	p.app.Say("The next call is sent " + p.wishOf(e).String() + ".")
}

// taskFact describes the task support of an item, or returns "".
func (p *Panel) taskFact(e *Item) string {
	support := e.traits.taskSupport
	if w := p.wishOf(e); w.on {
		return "sent " + w.String()
	}
	switch p.taskUse(e) {
	case client.TaskRequired:
		return "always a task"
	case client.TaskOptional:
		return "can be a task"
	case client.TaskByChoice:
		if support != "" && support != "forbidden" {
			return "may become a task"
		}
	case client.TaskNever:
		if support != "" && support != "forbidden" {
			return "as a task: " + support + ", but the server does not offer tasks"
		}
	}
	return ""
}

// taskWaiting shows the progress of a call that has become a task. It reports whether it has.
func (p *Panel) taskWaiting(d *doc.Doc, c *call) bool {
	t, ok := c.Task()
	if !ok {
		return false
	}
	const gap = 3 // before the message
	pal, width := d.Pal, display.Width(display.Sanitize(t.Message))
	d.Lines(1, func(r *paint.Row, _ int) {
		r.Right(paint.Span{Style: pal.Muted, Text: phrase.Waited(c.Started, time.Time{}, p.tick.Now) + " "})
		r.Put(pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
		switch {
		case t.Cancelling:
			r.Put(pal.Warn, "the task is being cancelled")
		case t.Waiting > 0:
			r.Put(pal.AskedBold, "the task requires input: ")
			r.Put(pal.AccentBold, d.Names.Name("tab.inbox"))
		default:
			r.Put(pal.Text, "task ")
			r.Put(pal.Accent, string(t.Status))
			n := max(r.Left()/3, 6)
			if t.HasTotal && t.Total > 0 && 2+n+gap+width <= r.Left() { // unless the message needs the room
				r.Gap(2)
				r.Painted(paint.Bar(pal, n, min(max(t.Progress/t.Total, 0), 1)), n)
			}
		}
		r.Gap(min(gap, max(r.Left()-width, 1)))
		r.Put(pal.Muted, t.Message)
	})
	d.Keys(1, doc.Key{ID: "cancel.call", Label: "cancel"}, doc.Key{ID: "tab.tasks", Label: "task details"})
	return true
}
