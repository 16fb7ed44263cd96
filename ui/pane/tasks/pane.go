package tasks

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/session/tasks"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/content"
	"mcptea/ui/paint"
)

// Session is what the pane needs of one beside what Refresh brings.
type Session interface {
	All() []tasks.Task
}

// part is where the focus is within the pane.
type part uint8

const (
	inList part = iota
	inResult
)

// Pane is the list of tasks and the one that is selected. It belongs to the
// goroutine that draws.
type Pane struct {
	s    Session
	part part

	st   session.State
	now  time.Time
	spin int

	order   []*tasks.Task // those that run first, then what is over, newest first
	running int
	asking  int // of them
	at      key // the selected one
	chosen  bool

	views map[key]*view
	news  string
	awake map[key]bool // those that ran when the pane looked last

	top  int // of the list, in tasks
	area struct{ list, item, result rect }
	rows []int // of the list as painted: which task stands there, or -1
}

// key identifies a task: another connection may know the same id.
type key struct {
	id   string
	seen int64
}

func keyOf(t *tasks.Task) key { return key{t.ID, t.FirstSeen.UnixNano()} }

// rect is a part of the pane, in its cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// view is an outcome made ready to be shown, in the background when it is
// large.
type view struct {
	ended  time.Time // of the outcome: a task may have another one later
	ending ending
	code   int64 // of an error response
	view   *content.View
	making chan *content.View
}

// atOnce is the size from which an outcome is decoded in the background.
const atOnce = 256 << 10

// New returns the pane over a session's tasks.
func New(s Session) *Pane { return &Pane{s: s, views: make(map[key]*view)} }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	switch {
	case p.part == inResult:
		return command.TaskResult
	case p.selected() == nil && !p.lists():
		return command.Global // nothing of the pane's own works yet
	}
	return command.Tasks
}

// lists reports whether the server can be asked for its tasks.
func (p *Pane) lists() bool {
	return !p.st.Handshake.Revision.IsStateless() && p.st.Handshake.HasTasks() && p.st.Handshake.HasCapability("tasks", "list")
}

// Present reports whether there is anything to show: the server offers tasks, or
// there were some.
func (p *Pane) Present() bool { return len(p.order) > 0 || p.st.Handshake.HasTasks() }

// Badge is how many tasks run.
func (p *Pane) Badge() string {
	if p.running == 0 {
		return ""
	}
	return paint.HumanCount(p.running)
}

// Busy reports whether a clock runs.
func (p *Pane) Busy() bool {
	if p.running > 0 {
		return true
	}
	v := p.views[p.at]
	return v != nil && v.making != nil
}

// Running returns the tasks that are not over, oldest first.
func (p *Pane) Running() []*tasks.Task {
	running := slices.Clone(p.order[:p.running])
	slices.SortStableFunc(running, func(a, b *tasks.Task) int { return a.FirstSeen.Compare(b.FirstSeen) })
	return running
}

// Typing implements the contract of panes: nothing is typed here.
func (p *Pane) Typing() bool { return false }

// Type implements the contract of panes.
func (p *Pane) Type(tea.KeyPressMsg) (action.Action, bool) { return nil, false }

// Paste implements the contract of panes.
func (p *Pane) Paste(string) {}

// Cursor implements the contract of panes.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Refresh takes note of what is new.
func (p *Pane) Refresh(st session.State, _ []store.Flow, now time.Time, spin int) {
	p.st, p.now, p.spin = st, now, spin
	all := p.s.All()
	p.order, p.running, p.asking = p.order[:0], 0, 0
	there := make(map[key]bool, len(all))
	for i := range all {
		t := &all[i]
		p.order = append(p.order, t)
		there[keyOf(t)] = true
		if runs(t) {
			p.running++
		}
		if t.Waiting > 0 {
			p.asking++
		}
	}
	p.tellEnds()
	for k := range p.views {
		if !there[k] {
			delete(p.views, k)
		}
	}
	slices.SortStableFunc(p.order, byUrgency)
	p.choose()
}

// worthTelling is how long a task has to have taken for its end to be news: of a
// shorter one the person has not looked away.
const worthTelling = 10 * time.Second

// tellEnds makes news of tasks that have come to their end.
func (p *Pane) tellEnds() {
	awake := make(map[key]bool, p.running)
	for _, t := range p.order {
		k := keyOf(t)
		switch {
		case !t.Over:
			awake[k] = true
		case p.awake[k] && t.Ended.Sub(t.FirstSeen) >= worthTelling && !t.Cancelling:
			p.news = "the task of " + nameOf(t) + " is " + word(t)
		}
	}
	p.awake = awake
}

// News is a sentence about a task that has ended since the last time somebody
// asked, empty when none has.
func (p *Pane) News() string {
	news := p.news
	p.news = ""
	return news
}

// runs reports whether something may still become of a task.
func runs(t *tasks.Task) bool { return !t.Over && !t.Status.Final() }

// byUrgency puts first who waits for a person, then who runs.
func byUrgency(a, b *tasks.Task) int {
	rank := func(t *tasks.Task) int {
		switch {
		case runs(t) && t.Waiting > 0:
			return 0
		case runs(t):
			return 1
		}
		return 2
	}
	if n := rank(a) - rank(b); n != 0 {
		return n
	}
	return b.FirstSeen.Compare(a.FirstSeen)
}

// choose selects the first task, unless the person has selected one or the one
// on show still runs.
func (p *Pane) choose() {
	t := p.selected()
	switch {
	case len(p.order) == 0:
		p.part = inList
		return
	case t == nil:
		p.part, p.chosen = inList, false
	case p.chosen || p.part == inResult || runs(t):
		return
	}
	if first := p.order[0]; t == nil || runs(first) || first.FirstSeen.After(t.FirstSeen) {
		p.at = keyOf(first)
	}
}

func (p *Pane) place() int {
	return slices.IndexFunc(p.order, func(t *tasks.Task) bool { return keyOf(t) == p.at })
}

// selected is the task under the cursor, nil when there is none.
func (p *Pane) selected() *tasks.Task {
	if i := p.place(); i >= 0 {
		return p.order[i]
	}
	return nil
}

func (p *Pane) move(to int) {
	if len(p.order) == 0 {
		return
	}
	p.at = keyOf(p.order[min(max(to, 0), len(p.order)-1)])
	p.chosen = true
}

// outcome is what a task gave, nil while there is nothing to show.
func (p *Pane) outcome(t *tasks.Task) *content.View {
	if !t.Over {
		return nil
	}
	v := p.views[keyOf(t)]
	if v == nil || !v.ended.Equal(t.Ended) {
		v = &view{ended: t.Ended, ending: endingOf(t), code: t.Response.Envelope.Code}
		p.views[keyOf(t)] = v
		answer, err := t.Response, t.Err
		if len(answer.Frame) <= atOnce {
			v.view = content.New("tools/call", answer, err)
		} else {
			v.making = make(chan *content.View, 1)
			go func() { v.making <- content.New("tools/call", answer, err) }()
		}
	}
	if v.making != nil {
		select {
		case v.view = <-v.making:
			v.making = nil
		default:
		}
	}
	return v.view
}

// word says how a task stands, as it is shown.
func word(t *tasks.Task) string {
	switch {
	case t.Over && t.Err != nil && !t.Status.Final():
		return "lost"
	case t.Cancelling && !t.Status.Final():
		return "cancelling"
	case t.Status == client.TaskInputRequired && t.Waiting > 0:
		return "asks you"
	case t.Status == client.TaskInputRequired:
		return "input required"
	}
	return string(t.Status)
}

func style(pal *paint.Palette, t *tasks.Task) paint.Style {
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
