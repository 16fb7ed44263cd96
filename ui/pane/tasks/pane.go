package tasks

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/requests"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/content"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Session is what the pane needs of one beside what Refresh brings.
type Session interface {
	All() []requests.Task
}

// Pane is the list of tasks and the selected one. It belongs to the goroutine that
// draws.
type Pane struct {
	s    Session
	view masterdetail.View[key] // its detail has the focus while the result is read

	st   session.State
	now  time.Time
	spin int

	order     []*requests.Task // running ones first, then those that have ended, newest first
	running   int
	requiring int // running ones that require input

	results    map[key]*result
	news       string
	unfinished map[key]bool // those without an outcome at the last Refresh

	resultArea masterdetail.Rect // at the last painting
}

// key identifies a task: another connection may know the same id.
type key struct {
	id   string
	seen int64
}

func keyOf(t *requests.Task) key { return key{t.ID, t.FirstSeen.UnixNano()} }

// result is an outcome that is ready to be shown. A large one is decoded in the
// background.
type result struct {
	ended    time.Time // of the outcome: a task may have another one later
	ending   ending
	code     int64 // of an error response
	view     *content.View
	decoding chan *content.View
	over     content.Layers // what is shown over the outcome
}

// maxDecoded is the size in bytes up to which an outcome is decoded while drawing.
const maxDecoded = 256 << 10

// New returns the pane over a session's tasks.
func New(s Session) *Pane {
	p := &Pane{s: s, results: make(map[key]*result)}
	p.view.Layout = masterdetail.Layout{Beside: 70, Alone: 100, Percent: 34, Min: 30, Max: 44}
	p.view.List.Spaced = true
	p.view.List.Items = masterdetail.Items[key]{
		Len:    func() int { return len(p.order) },
		Key:    func(i int) key { return keyOf(p.order[i]) },
		Height: func(int) int { return 2 },
		Row:    p.itemRow,
	}
	return p
}

func (p *Pane) inResult() bool { return p.view.Focus == masterdetail.InDetail }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	switch {
	case p.inResult():
		return command.TaskResult
	case p.selected() == nil && !p.canList():
		return command.Global // no command of the pane works yet
	}
	return command.Tasks
}

// canList reports whether the server supports tasks/list.
func (p *Pane) canList() bool {
	return !p.st.Handshake.Revision.IsStateless() && p.st.Handshake.HasTasks() && p.st.Handshake.HasCapability("tasks", "list")
}

// Present reports whether the tab is shown: the server offers tasks, or there are
// some.
func (p *Pane) Present() bool { return len(p.order) > 0 || p.st.Handshake.HasTasks() }

// Badge is the number of running tasks.
func (p *Pane) Badge() string {
	if p.running == 0 {
		return ""
	}
	return paint.HumanCount(p.running)
}

// Busy reports whether a clock or a spinner is shown.
func (p *Pane) Busy() bool {
	if p.running > 0 {
		return true
	}
	t := p.selected()
	if t == nil {
		return false
	}
	r := p.results[keyOf(t)]
	return r != nil && (r.decoding != nil || r.view.Busy() || r.over.Busy())
}

// Running returns the running tasks, oldest first.
func (p *Pane) Running() []*requests.Task {
	running := slices.Clone(p.order[:p.running])
	slices.SortStableFunc(running, func(a, b *requests.Task) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return running
}

// Refresh reads the tasks of the session.
func (p *Pane) Refresh(st session.State, _ []store.Flow, now time.Time, spin int) {
	p.st, p.now, p.spin = st, now, spin
	all := p.s.All()
	p.order, p.running, p.requiring = p.order[:0], 0, 0
	known := make(map[key]bool, len(all))
	for i := range all {
		t := &all[i]
		p.order = append(p.order, t)
		known[keyOf(t)] = true
		if isRunning(t) {
			p.running++
		}
		if t.Waiting > 0 {
			p.requiring++
		}
	}
	p.noteEnds()
	maps.DeleteFunc(p.results, func(k key, _ *result) bool { return !known[k] })
	slices.SortStableFunc(p.order, byUrgency)
	p.choose()
}

// longTask is the shortest duration of a task whose end is announced: the user may
// have turned to something else.
const longTask = 10 * time.Second

// noteEnds announces tasks that have ended.
func (p *Pane) noteEnds() {
	unfinished := make(map[key]bool, p.running)
	for _, t := range p.order {
		k := keyOf(t)
		switch {
		case !t.Over:
			unfinished[k] = true
		case p.unfinished[k] && t.Ended.Sub(t.FirstSeen) >= longTask && !t.Cancelling:
			p.news = "Task " + nameOf(t) + " " + stateOf(t)
		}
	}
	p.unfinished = unfinished
}

// News returns a sentence about a task that has ended since the last call, empty
// without one.
func (p *Pane) News() string {
	news := p.news
	p.news = ""
	return news
}

// isRunning reports whether the status of a task can still change.
func isRunning(t *requests.Task) bool { return !t.Over && !t.Status.Final() }

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

// choose selects the first task, unless the user has selected one or the selected
// one is running.
func (p *Pane) choose() {
	list := &p.view.List
	found := list.Refresh()
	t := p.selected()
	switch {
	case !found:
		p.view.Focus = masterdetail.InList
	case list.Pinned() || p.inResult() || isRunning(t):
		return
	}
	if t == nil {
		return
	}
	if first := p.order[0]; !found || isRunning(first) || first.FirstSeen.After(t.FirstSeen) {
		list.SelectIndex(0)
	}
}

// selected is the task under the cursor, nil without tasks.
func (p *Pane) selected() *requests.Task {
	if i := p.view.List.Index(); i >= 0 {
		return p.order[i]
	}
	return nil
}

// outcome is the result or error of a task, nil while there is nothing to show.
func (p *Pane) outcome(t *requests.Task) *content.View {
	if !t.Over {
		return nil
	}
	r := p.results[keyOf(t)]
	if r == nil || !r.ended.Equal(t.Ended) {
		r = &result{ended: t.Ended, ending: endingOf(t), code: t.Response.Envelope.Code}
		p.results[keyOf(t)] = r
		response, err := t.Response, t.Err
		if len(response.Frame) <= maxDecoded {
			r.view = content.New("tools/call", response, err)
		} else {
			decoded := make(chan *content.View, 1)
			r.decoding = decoded
			go func() { decoded <- content.New("tools/call", response, err) }()
		}
	}
	if r.decoding != nil {
		select {
		case r.view = <-r.decoding:
			r.decoding = nil
		default:
		}
	}
	return r.view
}

// stateOf is the state of a task in words; a status is the server's text.
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
