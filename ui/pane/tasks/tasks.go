// Package tasks implements the pane of a session's tasks: the status, history and outcome of each. The pane
// of requests collects the input that a task requires.
//
// Tests: ui/pane/tasks_test.go, ui/inspector/tasks_test.go
package tasks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/requests"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/result"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses.
type Session interface {
	All() []requests.Task
	Cancel(id string) error
	Refresh(id string) error
	List(ctx context.Context) (found int, err error)
}

// Pane is the list of the tasks.
type Pane struct {
	page.Page[*requests.Task, key]
	app     app.App
	s       Session
	tick    app.Tick
	order   []*requests.Task // running ones first, then ended ones, newest first
	running int
	open    map[key]bool // tasks without an outcome at the last Refresh
	results map[key]*outcome
}

// key identifies a task: another connection may have a task with the same id.
type key struct {
	id   string
	seen int64
}

func keyOf(t *requests.Task) key { return key{t.ID, t.FirstSeen.UnixNano()} }

// An outcome is a visible response. The task may have a different one later.
type outcome struct {
	*result.View
	ended time.Time
}

// New returns the pane over the tasks of a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s, results: map[key]*outcome{}}
	p.Init(page.Spec[*requests.Task, key]{
		Noun:  "task",
		Title: func() []paint.Span { return []paint.Span{{Text: "Tasks"}} },
		Note:  p.note,
		Len:   func() int { return len(p.order) },
		At:    func(i int) *requests.Task { return p.order[i] },
		Key:   keyOf, Stay: isRunning, Open: p.enter, Empty: p.empty, Spaced: true,
		Columns: []widget.Column[*requests.Task]{
			{Cell: name, Below: p.progress},
			{Width: 16, Right: true, Cell: state, Below: p.kept},
		},
		Detail: func(t *requests.Task) app.Pane { return detail{p, t} },
		Layout: page.Layout{Beside: 70, Alone: 100},
	})
	p.Inner = keys.Section{Name: "result of a task", Commands: result.Commands(p.result)}
	p.Name, p.Own = "tasks", []keys.Command{
		p.Do(keys.Command{ID: "task.open", Keys: keys.On("enter right"), Label: "result", Now: p.opens, Help: "Go to the result, or to the input that the task requires", Footer: 10}, p.enter),
		p.Do(keys.Command{ID: "cancel.task", Verb: keys.End, Label: "cancel", Help: "Cancel the task", Words: "stop abort", Footer: 12}, p.cancel, hasEnded),
		{ID: "refresh", Keys: keys.On("ctrl+r"), Label: "refresh", Help: "Request the status of the task, or without a task the list of tasks", Words: "poll status", Footer: 14, Run: p.refresh, Off: p.cannotRefresh},
		p.Do(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the newest frame of the task", Words: "wire", Footer: 16}, p.frame),
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy id", Help: "Copy the id of the task", Words: "clipboard", Footer: 18}, func(t *requests.Task) { a.Copy(display.Sanitize(t.ID), nil, "task id") }),
		{ID: "task.list", Label: "list", Help: "Request the list of tasks of the server", Run: p.list, Off: p.cannotList},
	}
	return p
}

// Present reports whether the tab is shown: the server offers tasks, or there are some.
func (p *Pane) Present() bool { return len(p.order) > 0 || p.tick.State.Handshake.HasTasks() }

// Empty reports whether there are no tasks.
func (p *Pane) Empty() bool { return len(p.order) == 0 }

// Badge returns the number of tasks in the list.
func (p *Pane) Badge() string { return phrase.Badge(len(p.order)) }

// Running returns the running tasks, oldest first.
func (p *Pane) Running() []*requests.Task {
	running := slices.Clone(p.order[:p.running])
	slices.SortStableFunc(running, func(a, b *requests.Task) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return running
}

// longTask is the shortest duration of a task whose end is news: the user may have turned
// to something else.
const longTask = 10 * time.Second

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.tick, p.order, p.running = t, p.order[:0], 0
	all, open, known := p.s.All(), map[key]bool{}, map[key]bool{}
	for i := range all {
		t := &all[i]
		k := keyOf(t)
		p.order, known[k] = append(p.order, t), true
		if isRunning(t) {
			p.running++
		}
		if open[k] = !t.Over; t.Over && p.open[k] && t.Ended.Sub(t.FirstSeen) >= longTask && !t.Cancelling {
			p.app.News("Task " + nameOf(t) + " " + stateOf(t))
		}
	}
	p.open = open
	maps.DeleteFunc(p.results, func(k key, _ *outcome) bool { return !known[k] })
	slices.SortStableFunc(p.order, byUrgency)
	p.Changed()
	return p.Page.Refresh(t) || !t.Still && p.running > 0
}

// isRunning reports whether the status of a task can still change.
func isRunning(t *requests.Task) bool { return !t.Over && !t.Status.Final() }

func hasEnded(t *requests.Task) string {
	return keys.Reason(t.Over, "The task has ended.")
}

// byUrgency sorts tasks that require input first, then running ones.
func byUrgency(a, b *requests.Task) int {
	rank := func(t *requests.Task) int {
		switch {
		case isRunning(t) && t.Waiting > 0:
			return 0
		case isRunning(t):
			return 1
		}
		return 2
	}
	return cmp.Or(rank(a)-rank(b), b.FirstSeen.Compare(a.FirstSeen))
}

// opens returns the label of enter on the selected task.
func (p *Pane) opens() string {
	if t, ok := p.Selected(); ok {
		return opening(t)
	}
	return ""
}

// opening returns the label for the part of a task that can be opened.
func opening(t *requests.Task) string {
	switch {
	case t.Waiting > 0:
		return "respond in Requests"
	case t.Over:
		return "result"
	case t.Status.Final():
		return "request the result"
	}
	return "status"
}

func (p *Pane) enter(t *requests.Task) {
	switch {
	case t.Waiting > 0:
		p.app.ShowTab("tab.inbox")
	case t.Over:
		p.Enter()
	case t.Status.Final():
		p.refresh() // its result has not arrived
	default:
		p.app.Say("No result yet. Task: " + stateOf(t) + ".")
	}
}

func (p *Pane) cancel(t *requests.Task) {
	p.ask(func() { p.showOutcome(p.s.Cancel(t.ID), "Cancelling the task.") })
}

func (p *Pane) refresh() {
	t, ok := p.Selected()
	if !ok {
		p.list()
		return
	}
	p.ask(func() { p.showOutcome(p.s.Refresh(t.ID), "Requesting the status.") })
}

func (p *Pane) cannotRefresh() string {
	if _, ok := p.Selected(); ok {
		return ""
	}
	return p.cannotList()
}

// ask calls a function that needs the server of the task.
func (p *Pane) ask(do func()) { p.app.Online("Ask about the task", do) }

func (p *Pane) showOutcome(err error, text string) {
	if err != nil {
		p.app.Fail(err.Error())
		return
	}
	p.app.Say(text)
}

func (p *Pane) cannotList() string {
	h := p.tick.State.Handshake
	return keys.Reason(h.Revision.IsStateless() || !h.HasTasks() || !h.HasCapability("tasks", "list"), "The server does not support tasks/list.")
}

func (p *Pane) list() {
	p.app.Say("Requesting the tasks of the server.")
	dialog.Try(p.app, p.s.List, func(found int) { p.app.Say("The server has " + phrase.Count(found, "task") + ".") })
}

// frame shows the frame of the outcome, of the newest status, or of the call.
func (p *Pane) frame(t *requests.Task) {
	if row := rowOf(t); row >= 0 {
		p.app.ShowFrame(row)
		return
	}
	p.app.Say("The frame is not in Traffic.")
}

func rowOf(t *requests.Task) int32 {
	rows := []int32{t.Row}
	for i := range t.History {
		rows = append(rows, t.History[i].Row)
	}
	for _, row := range slices.Backward(append(rows, t.ResponseRow)) {
		if row >= 0 {
			return row
		}
	}
	return -1
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	requiring := 0
	for _, t := range p.order {
		if t.Waiting > 0 {
			requiring++
		}
	}
	switch {
	case requiring == 1:
		return []paint.Span{{Style: pal.AskedBold, Text: "1 requires input"}}
	case requiring > 1:
		return []paint.Span{{Style: pal.AskedBold, Text: phrase.Digits(requiring) + " require input"}}
	case p.running > 0:
		return []paint.Span{{Style: pal.Warn, Text: phrase.Digits(p.running) + " running"}}
	case len(p.order) > 0:
		return []paint.Span{{Style: pal.Muted, Text: phrase.Digits(len(p.order))}}
	}
	return nil
}

// empty explains what a task is and how to get one.
func (p *Pane) empty(d *doc.Doc) {
	d.Text(d.Pal.Strong, "No tasks yet.", 2)
	d.Gap()
	d.Text(d.Pal.Text, "A task is a call that the server continues after its first response. Its status, its history and its result are shown here.", 4)
	d.Gap()
	if p.tick.State.Handshake.Revision.IsStateless() {
		d.Text(d.Pal.Text, "The server decides which calls become tasks.", 2)
	} else {
		d.Text(d.Pal.Text, phrase.Signs("Tools that require a task are always called as one. For tools that allow it, the command “as task” of the palette sends the next call as one."), 4)
	}
	d.Gap()
	d.Text(d.Pal.Muted, p.tick.Try("brew-task"), 2)
	if p.cannotList() == "" {
		d.Gap()
		d.Keys(1, doc.Key{ID: "refresh", Label: "request the list of tasks"})
	}
}

// name returns the tool of a task, or its id.
func name(t *requests.Task, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: paint.If(isRunning(t), pal.TextBold, pal.Text), Text: nameOf(t)}}
}

func state(t *requests.Task, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: stateStyle(pal, t), Text: stateOf(t)}}
}

// progress returns the duration and the progress of a task, or its message.
func (p *Pane) progress(t *requests.Task, pal *paint.Palette) []paint.Span {
	took, text := paint.Span{Style: pal.Muted, Text: p.took(t)}, t.Message
	if isRunning(t) {
		took = paint.Span{Style: pal.Warn, Text: p.tick.Waits(pal) + " " + took.Text}
		if t.HasTotal && t.Total > 0 {
			text = progress(t)
		}
	}
	return []paint.Span{took, {Text: "  "}, {Style: pal.Muted, Text: text}}
}

// kept returns how long the server keeps a task.
func (p *Pane) kept(t *requests.Task, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Muted, Text: p.keptFor(t)}}
}

// nameOf returns the tool of a task, or its id if the call is unknown.
func nameOf(t *requests.Task) string { return cmp.Or(t.Tool, t.ID) }

// took returns the duration of a task.
func (p *Pane) took(t *requests.Task) string {
	end := t.Ended
	if isRunning(t) {
		end = p.tick.Now
	}
	return phrase.Took(max(end.Sub(t.FirstSeen), 0))
}

func progress(t *requests.Task) string {
	return phrase.Number(t.Progress) + "/" + phrase.Number(t.Total)
}

// keptFor returns how long the server will keep the task.
func (p *Pane) keptFor(t *requests.Task) string {
	switch at := t.Expires(); {
	case at.IsZero():
		return ""
	case !p.tick.Now.Before(at):
		return "expired"
	default:
		return "ttl " + phrase.Countdown(at.Sub(p.tick.Now))
	}
}

// stateOf describes the state of a task. A status is text of the server.
func stateOf(t *requests.Task) string {
	switch {
	case t.Over && t.Err != nil && !t.Status.Final():
		return "lost"
	case t.Cancelling && !t.Status.Final():
		return "cancelling"
	case t.Status == client.TaskInputRequired:
		return "requires input"
	}
	return string(t.Status)
}

func stateStyle(pal *paint.Palette, t *requests.Task) paint.Style {
	switch {
	case t.Over && t.Err != nil && !t.Status.Final():
		return pal.Error
	case t.Cancelling && !t.Status.Final():
		return pal.Warn
	}
	return statusStyle(pal, t.Status)
}

func statusStyle(pal *paint.Palette, s client.TaskStatus) paint.Style {
	switch s {
	case client.TaskWorking:
		return pal.Accent
	case client.TaskInputRequired:
		return pal.Asked
	case client.TaskCompleted:
		return pal.OK
	case client.TaskFailed:
		return pal.Error
	}
	return pal.Warn
}
