package inbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/requests"
	"mcptea/session/store"
	"mcptea/session/variables"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Session is what the pane needs of a session beside the arguments of Refresh.
type Session interface {
	Requests() []requests.Request
	Policies() requests.Policies
}

// Responses are saved responses to requests of servers.
type Responses interface {
	// Choose has the user choose a response, which comes to use.
	Choose(method string, use func(result []byte))
	Save(method string, result []byte)
}

// Pane is the list of server requests and the selected one. It belongs to the
// goroutine that draws.
type Pane struct {
	// Variables are what {{NAME}} stands for in a form; nil without any.
	Variables variables.Lookup

	// Responses are those that are saved, Policies respond without the user: nil in a
	// recording. Both are set before the first Refresh.
	Responses Responses
	Policies  interface{ Choose() }

	s    Session
	view masterdetail.View[key] // its detail has the focus while a response is edited

	st   session.State
	now  time.Time
	spin int

	entries  map[key]*entry
	order    []*entry // pending ones first, then those with a response, newest first
	waiting  int      // for the user
	sampling int      // those that the sampler responds to
	news     string
	// caller is the tab of the call whose request has just got its response: the
	// next Back leads there.
	caller command.ID

	response masterdetail.Rect // where the response was painted
	width    int               // of the ids in the list
}

// key identifies a request: a server may use an id again.
type key struct {
	id      jsonrpc.ID
	arrived int64
}

func keyOf(r *requests.Request) key { return key{r.ID, r.Arrived.UnixNano()} }

// New returns the pane over the inbox of a session.
func New(s Session) *Pane {
	p := &Pane{s: s, entries: make(map[key]*entry)}
	p.view.Layout = masterdetail.Layout{Beside: 70, Alone: 100, Percent: 34, Min: 30, Max: 48}
	p.view.List.Spaced = true
	p.view.List.Items = masterdetail.Items[key]{
		Len:    func() int { return len(p.order) },
		Key:    func(i int) key { return keyOf(&p.order[i].req) },
		Height: func(int) int { return 2 },
		Row:    p.itemRow,
	}
	return p
}

// editing reports whether the focus is on the response.
func (p *Pane) editing() bool { return p.view.Focus == masterdetail.InDetail }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	switch e := p.selected(); {
	case e == nil:
		return command.EmptyInbox
	case p.Typing():
		return command.EditResponse
	case !e.waits():
		return command.Responded
	}
	return command.Inbox
}

// Badge is the number of pending requests.
func (p *Pane) Badge() string {
	if p.waiting == 0 {
		return ""
	}
	return paint.HumanCount(p.waiting)
}

// Busy reports whether a clock is shown.
func (p *Pane) Busy() bool { return p.waiting+p.sampling > 0 }

// News is the method of a request that has arrived since the last call, empty
// without one.
func (p *Pane) News() string {
	news := p.news
	p.news = ""
	return news
}

// Refresh reads the requests of the session.
func (p *Pane) Refresh(st session.State, flows []store.Flow, now time.Time, spin int) {
	p.st, p.now, p.spin = st, now, spin
	p.waiting, p.sampling, p.order = 0, 0, p.order[:0]
	known := make(map[key]bool)
	for _, r := range p.s.Requests() {
		k := keyOf(&r)
		known[k] = true
		e := p.entries[k]
		if e == nil {
			e = &entry{call: callOf(&r, flows)}
			e.draft.Variables = p.Variables
			e.dialectless = st.Handshake.Revision.Before(revision.R20251125)
			p.entries[k] = e
			if r.State == requests.Waiting && !r.Sampling() {
				p.news = r.Method
			}
		}
		if !e.called && slices.ContainsFunc(flows, func(f store.Flow) bool { return f.Dir == transport.In && f.ID == string(r.ID) }) {
			e.called, e.call = true, callOf(&r, flows) // the flows are not older than the request
		}
		e.req = r
		switch {
		case e.req.Sampling():
			p.sampling++
		case e.waits():
			p.waiting++
		}
		p.order = append(p.order, e)
	}
	maps.DeleteFunc(p.entries, func(k key, _ *entry) bool { return !known[k] })
	slices.SortStableFunc(p.order, waitingFirst)
	p.choose()
}

func waitingFirst(a, b *entry) int {
	switch {
	case a.waits() && b.waits():
		return a.req.Arrived.Compare(b.req.Arrived)
	case a.waits():
		return -1
	case b.waits():
		return 1
	}
	return cmp.Or(b.req.Answered.Compare(a.req.Answered), b.req.Arrived.Compare(a.req.Arrived))
}

// callOf is the call that a request belongs to. Over stdio nothing names it: it is
// the only pending one, if there is only one.
func callOf(r *requests.Request, flows []store.Flow) (found call) {
	switch {
	case r.Task != "":
		return call{id: string(r.Call), name: r.About, tab: command.TabTasks}
	case r.Of != "":
		found = call{id: string(r.Of), name: r.About, tab: command.TabTools}
		for _, f := range flows {
			if f.ID == found.id && f.Dir == transport.Out {
				found.tab = tabOf(f.Method)
			}
		}
		return found
	}
	n := 0
	for _, f := range flows {
		if f.Dir == transport.Out && !strings.HasSuffix(f.Method, "/list") {
			found = call{id: f.ID, name: f.Name, tab: tabOf(f.Method)}
			n++
		}
	}
	if n != 1 {
		return call{}
	}
	return found
}

// tabOf is the tab that shows the calls of a method; empty without one.
func tabOf(method string) command.ID {
	switch method {
	case "tools/call":
		return command.TabTools
	case "resources/read":
		return command.TabResources
	case "prompts/get":
		return command.TabPrompts
	}
	return ""
}

// choose selects the first pending request, unless the user has selected one or
// edits a response.
func (p *Pane) choose() {
	list := &p.view.List
	kept, e := list.Refresh(), p.selected()
	switch {
	case e == nil:
		p.view.Focus = masterdetail.InList
		return
	case kept && (e.waits() || list.Pinned()):
		return
	case kept && p.editing() && !e.sent:
		return // withdrawn, while the user may be typing
	}
	p.view.Focus = masterdetail.InList
	if !kept || p.order[0].waits() {
		list.SelectIndex(0)
	}
}

// next goes to the next pending request after a response was sent, so that the
// user who was editing goes on with that one. Without one the selection stays.
func (p *Pane) next() {
	p.view.List.Pin(false)
	if !p.editing() {
		return // Refresh selects it once the response is sent
	}
	for i, e := range p.order {
		if e.waits() && !e.sent {
			p.view.List.SelectIndex(i)
			if e.read(); !e.writable() {
				p.view.Focus = masterdetail.InList
			}
			return
		}
	}
}

// selected is the request under the cursor, ready to be edited; nil without
// requests.
func (p *Pane) selected() *entry {
	i := p.view.List.Index()
	if i < 0 {
		return nil
	}
	e := p.order[i]
	e.read()
	return e
}
