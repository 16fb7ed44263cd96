package inbox

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/inbox"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Session is what the pane needs of one beside what Refresh brings.
type Session interface {
	Requests() []inbox.Request
	Policies() inbox.Policies
}

// part is where the focus is within the pane.
type part uint8

const (
	inList part = iota
	inAnswer
)

// Pane is the list of requests and the one that is selected. It belongs to the
// goroutine that draws.
type Pane struct {
	s    Session
	part part

	st   session.State
	now  time.Time
	spin int

	entries map[key]*entry
	order   []*entry // those that wait first, then what is settled, newest first
	waiting int
	at      key  // the selected one
	chosen  bool // by the person, so that the program selects no other
	news    string

	top  int // of the list, in requests
	area struct{ list, item, request, answer rect }
	rows []int // of the list as painted: which request stands there, or -1
}

// key identifies a request: a server may use an id again.
type key struct {
	id      jsonrpc.ID
	arrived int64
}

func keyOf(a *inbox.Request) key { return key{a.ID, a.Arrived.UnixNano()} }

// rect is a part of the pane, in its cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// New returns the pane over a session's inbox.
func New(s Session) *Pane { return &Pane{s: s, entries: make(map[key]*entry)} }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	switch e := p.selected(); {
	case e == nil:
		return command.Global // nothing of the pane's own works yet
	case p.Typing():
		return command.EditResponse
	case !e.waits():
		return command.Responded
	}
	return command.Inbox
}

// Badge is how many requests wait.
func (p *Pane) Badge() string {
	if p.waiting == 0 {
		return ""
	}
	return paint.HumanCount(p.waiting)
}

// Busy reports whether a clock runs.
func (p *Pane) Busy() bool { return p.waiting > 0 }

// News is the method of a request that has come since the last time somebody
// asked, empty when there is none.
func (p *Pane) News() string {
	news := p.news
	p.news = ""
	return news
}

// Refresh takes note of what is new.
func (p *Pane) Refresh(st session.State, flights []store.Flow, now time.Time, spin int) {
	p.st, p.now, p.spin = st, now, spin
	asks := p.s.Requests()
	p.waiting, p.order = 0, p.order[:0]
	there := make(map[key]bool, len(asks))
	for _, a := range asks {
		k := keyOf(&a)
		there[k] = true
		e := p.entries[k]
		if e == nil {
			e = &entry{during: callOf(flights)}
			if a.Of != "" {
				e.during = call{id: string(a.Of), name: a.About}
			}
			if a.Task != "" {
				e.during = call{id: string(a.Call), name: a.About}
			}
			p.entries[k] = e
			if a.State == inbox.Waiting {
				p.news = a.Method
			}
		}
		e.ask = a
		if e.waits() {
			p.waiting++
		}
		p.order = append(p.order, e)
	}
	for k := range p.entries {
		if !there[k] {
			delete(p.entries, k)
		}
	}
	slices.SortStableFunc(p.order, byUrgency)
	p.choose()
}

func byUrgency(a, b *entry) int {
	switch {
	case a.waits() && b.waits():
		return a.ask.Arrived.Compare(b.ask.Arrived)
	case a.waits():
		return -1
	case b.waits():
		return 1
	}
	return cmp.Or(b.ask.Answered.Compare(a.ask.Answered), b.ask.Arrived.Compare(a.ask.Arrived))
}

// callOf names the call that a request belongs to: the only one that is in
// flight, as far as that can be known.
func callOf(flights []store.Flow) (found call) {
	n := 0
	for _, f := range flights {
		if f.Dir == transport.Out && !strings.HasSuffix(f.Method, "/list") {
			found = call{id: f.ID, name: f.Name}
			n++
		}
	}
	if n != 1 {
		return call{}
	}
	return found
}

// choose selects what waits unless the person has selected something or is
// writing.
func (p *Pane) choose() {
	e := p.entries[p.at]
	if e != nil && (e.waits() || p.chosen) {
		return
	}
	if p.part == inAnswer {
		if e != nil && !e.sent {
			return // it was settled under the person's hands, who may still be typing
		}
		p.part = inList
	}
	if len(p.order) == 0 {
		return
	}
	if first := p.order[0]; e == nil || first.waits() {
		p.at = keyOf(&first.ask)
	}
}

// selected is the request under the cursor, made ready to be answered; nil when
// there is none.
func (p *Pane) selected() *entry {
	e := p.entries[p.at]
	if e != nil {
		e.read()
	}
	return e
}

func (p *Pane) move(to int) {
	if len(p.order) == 0 {
		return
	}
	p.at = keyOf(&p.order[min(max(to, 0), len(p.order)-1)].ask)
	p.chosen = true
}

func (p *Pane) place() int {
	return slices.IndexFunc(p.order, func(e *entry) bool { return keyOf(&e.ask) == p.at })
}
