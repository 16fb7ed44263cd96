// Package inbox implements the pane of the server's requests to the user: sampling, where the user responds
// as the model; elicitation, where the user fills in a form or opens a page; and roots. It shows the request
// and edits the response.
//
// It opens and fetches nothing: a URL is shown with warnings, and can be copied.
//
// Tests: ui/pane/inbox_test.go, ui/inspector/inbox_test.go
package inbox

import (
	"cmp"
	"maps"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/schema/variables"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/requests"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses. Methods that send return once the message is written.
type Session interface {
	Requests() []requests.Request
	Policies() requests.Policies
	Respond(id jsonrpc.ID, result []byte) error
	Decline(id jsonrpc.ID) error
	Cancel(id jsonrpc.ID) error
	Refuse(id jsonrpc.ID, code int64, message string) error
	Sample(id jsonrpc.ID, command string) error
}

// Responses provides saved responses to server requests.
type Responses interface {
	// Choose lets the user choose a response, which is passed to use.
	Choose(method string, use func(result []byte))
	Save(method string, result []byte)
}

// Policies respond without the user.
type Policies interface {
	Choose()
	// Sampler runs the command of a sampler. If none is set, it asks for one.
	Sampler(run func(command string))
}

// Pane is the list of server requests and the selected one. Its fields are set before the
// first Refresh.
type Pane struct {
	page.Page[*entry, key]
	Variables variables.Lookup // values of {{NAME}} in a form, or nil
	Responses Responses
	Policies  Policies // nil in a recording, since nothing is sent
	// Calls returns the pending requests of both sides.
	Calls func() []store.Flow
	// Again sends a call again whose error named a page.
	Again func(id jsonrpc.ID)
	// Return leads to the call in its tab, unless the user is elsewhere, which it reports.
	Return func(tab string) bool

	app      app.App
	s        Session
	tick     app.Tick
	entries  map[key]*entry
	order    []*entry // pending ones first, then answered ones, newest first
	waiting  int      // requests waiting for the user
	sampling int      // requests that the sampler answers
	last     *entry   // the user has just responded to: Back leads from it to its call
	focused  bool     // it was painted with the focus since the last Refresh
}

// key identifies a request: a server may use an id again.
type key struct {
	id      jsonrpc.Key
	arrived int64
}

func keyOf(e *entry) key { return key{e.req.ID.Key(), e.req.Arrived.UnixNano()} }

// New returns the pane over the requests of a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s, entries: map[key]*entry{}}
	p.Init(page.Spec[*entry, key]{
		Noun:  "request",
		Title: func() []paint.Span { return []paint.Span{{Text: "Requests"}} },
		Note:  p.note,
		Len:   func() int { return len(p.order) },
		At:    func(i int) *entry { return p.order[i] },
		Key:   keyOf, Open: p.open, Empty: p.empty, Foot: p.policies, Spaced: true,
		Columns: []widget.Column[*entry]{
			{Width: 20, Cell: idOf},
			{Cell: method, Below: p.purpose},
			{Width: 12, Right: true, Cell: func(*entry, *paint.Palette) []paint.Span { return nil }, Below: p.took},
		},
		Stay: func(e *entry) bool { return e.waits() || !p.order[0].waits() },
		Detail: func(e *entry) app.Pane {
			e.read()
			return detail{p, e}
		},
		Needs: func(e *entry, s *app.Screen, w, h int) int {
			e.read()
			return detail{p, e}.needs(s, w, h)
		},
		Layout: page.Layout{Beside: 70, Alone: 100},
	})
	p.Name, p.Inner.Name = "requests", "requests, response"
	p.Own, p.Inner.Commands = p.commands()
	return p
}

// Badge returns the number of pending requests.
func (p *Pane) Badge() string { return phrase.Badge(p.waiting) }

// Waiting returns the number of requests waiting for the user.
func (p *Pane) Waiting() int { return p.waiting }

// Empty reports whether the server has requested nothing yet.
func (p *Pane) Empty() bool { return len(p.order) == 0 }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	focused := p.focused
	p.tick, p.focused = t, false
	p.waiting, p.sampling, p.order = 0, 0, p.order[:0]
	known, news := make(map[key]bool), ""
	for _, r := range p.s.Requests() {
		e, isNew := p.entry(r)
		known[keyOf(e)] = true
		switch {
		case e.req.Sampling():
			p.sampling++
		case e.waits():
			p.waiting++
			if isNew {
				news = r.Method
			}
		}
		p.order = append(p.order, e)
	}
	maps.DeleteFunc(p.entries, func(k key, _ *entry) bool { return !known[k] })
	slices.SortStableFunc(p.order, waitingFirst)
	p.Changed()
	if news != "" && p.waiting == 1 && focused {
		p.Greet()
	}
	if e, ok := p.Selected(); ok && p.Inside() && e.sent && !e.waits() {
		p.Leave() // a withdrawn request stays: the user may be typing
	}
	if news != "" {
		p.app.News("The server asks you for " + cmp.Or(asksFor[news], news))
	}
	return !t.Still && p.waiting+p.sampling > 0
}

// asksFor maps the methods of a server's requests to what they request from the user.
var asksFor = map[string]string{client.MethodSampling: "a model's answer", client.MethodElicitation: "input", client.MethodRoots: "the roots"}

// entry returns the entry of a request.
func (p *Pane) entry(r requests.Request) (e *entry, isNew bool) {
	k := key{r.ID.Key(), r.Arrived.UnixNano()}
	e = p.entries[k]
	if isNew = e == nil; isNew {
		e = &entry{variables: p.Variables, dialectless: p.tick.State.Handshake.Revision.Before(revision.R20251125)}
		p.entries[k] = e
	}
	if isNew || !e.called && r.State == requests.Waiting {
		flows := p.Calls()
		e.called = slices.ContainsFunc(flows, func(f store.Flow) bool { return f.Dir == transport.In && f.ID.Same(r.ID) })
		if isNew || e.called { // the flows are not older than the request
			e.call = callOf(&r, flows)
		}
	}
	e.req = r
	return e, isNew
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

// callOf returns the call that a request belongs to. Over stdio it is the only pending call, if there is
// exactly one.
func callOf(r *requests.Request, flows []store.Flow) (found call) {
	switch {
	case r.Task != "":
		return call{id: r.Call.String(), name: r.About, tab: "tab.tasks"}
	case r.Of.Present():
		found = call{id: r.Of.String(), name: r.About, tab: "tab.tools"}
		for _, f := range flows {
			if f.ID.Same(r.Of) && f.Dir == transport.Out {
				found.tab = tabs[f.Method]
			}
		}
		return found
	}
	if f, ok := store.OnlyCall(flows); ok {
		found = call{id: f.ID.String(), name: f.Name, tab: tabs[f.Method]}
	}
	return found
}

// tabs show the calls of methods.
var tabs = map[string]string{"tools/call": "tab.tools", "resources/read": "tab.resources", "prompts/get": "tab.prompts"}

// Motion implements [app.Pane]: pages scroll the request.
func (p *Pane) Motion(m keys.Motion) bool {
	e, ok := p.Selected()
	switch {
	case ok && p.Inside() && (m == keys.Next || m == keys.Previous) && e.form() != nil && e.form().Len() == 1:
		p.app.Say("This is the only field: " + p.app.Key("respond") + " responds, " + p.app.Key("back") + " leads to the list.")
		return true
	case !ok || p.Inside():
	case m == keys.Back && e == p.last:
		p.last = nil
		p.app.ShowTab(e.call.tab)
		return true
	case m >= keys.PageDown && m <= keys.HalfUp:
		return keys.Scroll(&e.view, m)
	case m < keys.Back:
		p.last = nil
	}
	return p.Page.Motion(m)
}

// next goes to the next pending request after a response was sent, so that the user can continue there. If
// there is no such request, the selection does not change.
func (p *Pane) next() {
	p.Free()
	if !p.Inside() {
		return // [Pane.Refresh] selects the next request when the response is sent
	}
	for _, e := range p.order {
		if e.waits() && !e.sent {
			p.Select(keyOf(e))
			p.Free()
			if e.read(); e.editor() == nil {
				p.Leave()
			}
			return
		}
	}
}

// Greet focuses the response of the request that has waited longest.
func (p *Pane) Greet() {
	if e, ok := p.Selected(); ok && !p.Inside() && e.waits() && !e.sent {
		e.read()
		p.Enter()
	}
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	p.focused = focused
	p.Page.Paint(c, focused)
}
