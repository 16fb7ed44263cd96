package browse

import (
	"bytes"
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/internal/shell"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/record/stderr"
	"mcptea/record/store"
	"mcptea/session/apps"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
)

// A Session is the session interface that calls need.
type Session interface {
	Target() client.Target
	Origin() stderr.Origin
	Redact(text string) string
	Store() *store.Store
	FindingsAt(row int32) []lint.Finding
	// FindingsSince returns the findings about the frames of an exchange after its request. FindingsAbout
	// returns the most severe finding about a list entry and the number of findings.
	FindingsSince(root, response int32) []lint.Finding
	FindingsAbout(list, name string) (worst lint.Finding, n int)
	Start(method string, params []byte) *session.Call
	// RepeatRequest sends a request n times. before is the id that the params were first sent with, or the zero
	// ID.
	RepeatRequest(n int, interval time.Duration, method string, params []byte, before jsonrpc.ID) *session.Repetition
	Cancel(id jsonrpc.ID) error
	SubscribeResource(uri string, on bool) *session.Call
	// Deadline returns the time at which a pending request times out. ok is false if it has no timeout.
	Deadline(id jsonrpc.ID) (time.Time, bool)
	Extend(id jsonrpc.ID, by time.Duration) bool
	// IsHeld reports whether a breakpoint holds the request or its response.
	IsHeld(id jsonrpc.ID) bool
	// Recording returns the recording that the session shows. ok is false for a live session.
	Recording() (rec session.Recording, ok bool)
}

// Arguments stores saved and recently sent arguments.
type Arguments interface {
	Choose(method, subject string, use func(arguments []byte))
	Save(method, subject string, arguments []byte)
	Keep(method, subject string, arguments []byte)
}

// Options configures a Panel and connects it to other panes and dialogs.
type Options struct {
	Flags     []shell.Flag     // flags of the command line
	Variables variables.Lookup // resolves {{NAME}} in a form; may be nil
	Arguments Arguments
	// Used reports whether the server has sent a request with the method.
	Used     func(method string) bool
	Pin      func(c *session.Call)
	Compare  func(method string, params []byte) // compares the results of two servers
	IsAlone  func() string                      // returns why there is no second server to compare with; may be nil
	DiffRows func(old, now int32)
	Explain  func(row int32) // explains a frame
	// ShowFinding shows a finding in Problems.
	ShowFinding func(f lint.Finding)
	Sent        func(c *session.Call)
	// Reconnect reconnects to the server.
	Reconnect func(ctx context.Context) error
	// OpenApp opens the app of a tool with a finished call or, if c is nil, with arguments.
	OpenApp func(tool string, arguments []byte, c *session.Call)
}

// A List is the list that contains the items.
type List interface {
	SelectedKey() string // "" without a selection
	Enter()              // focuses the selected item
	Inside() bool        // reports whether the item is focused
	// Of returns a command that acts on the selected item. The command is off if there is no selected item or if off
	// returns a reason.
	Of(c keys.Command, run func(i *Item), off func(i *Item) string) keys.Command
}

// A Panel is the state that the items of a list share.
type Panel struct {
	Options
	Form, Result []keys.Command // commands of the form and of the result

	app      app.App
	s        Session
	list     List
	inResult bool // the focus is in the result, not in the form
	tick     app.Tick
	attempt  int
	items    map[string]*Item
	running  map[string]*Item // items with something pending

	apps    *apps.Apps          // nil while no item has an app
	usedBy  map[string][]string // names of tools by the URI of their app
	toolsAt time.Time           // fetch time of the tools that usedBy was built from

	subscribed map[string]subscription // by URI
	pending    []pending
}

// NewPanel returns a Panel for a list.
func NewPanel(a app.App, s Session, l List, o Options) *Panel {
	p := &Panel{Options: o, app: a, s: s, list: l, items: make(map[string]*Item), running: make(map[string]*Item), subscribed: make(map[string]subscription)}
	p.Form, p.Result = p.formCommands(), p.resultCommands()
	return p
}

// Item returns the Item with a key, creating it if necessary.
func (p *Panel) Item(key string, it offer.Item) *Item {
	e := p.items[key]
	if e == nil {
		e = &Item{p: p, key: key}
		e.Filters, e.Variables = true, p.Variables
		e.rebuild(it)
		p.items[key] = e
	}
	return e
}

// Update replaces the definition of an item that has changed.
func (p *Panel) Update(key string, it offer.Item) {
	if e := p.items[key]; e != nil && !bytes.Equal(e.item.Raw, it.Raw) {
		e.rebuild(it)
	}
	if p.apps == nil && MarkOf(it) != "" {
		p.apps = apps.New(p.s.Store())
	}
}

// Rename moves the form and the calls of an item to a new key.
func (p *Panel) Rename(old, now string) {
	if e := p.items[old]; e != nil && p.items[now] == nil {
		delete(p.items, old)
		delete(p.running, old)
		e.key = now
		p.items[now], p.running[now] = e, e
	}
}

// selected returns the selected item, or nil if there is no selection or it has no Item yet.
func (p *Panel) selected() *Item { return p.items[p.list.SelectedKey()] }

// Subject implements [app.Pointed]. It returns the selected item and the last frame of the selected call.
func (p *Panel) Subject() app.Subject {
	at := app.Subject{Row: store.None}
	e := p.selected()
	if e == nil {
		return at
	}
	switch e.item.Kind {
	case "tools":
		at.Tool = e.item.Name
	case "prompts":
		at.Prompt = e.item.Name
	default:
		at.URI = e.item.URI
	}
	if c := e.shown(); c != nil {
		at.Row = c.row
	}
	return at
}

// Advance updates the calls and reports whether anything is pending. shown reports whether the selected
// item was visible.
func (p *Panel) Advance(t app.Tick, shown bool) (busy bool) {
	p.tick = t
	if p.attempt != t.State.Attempt {
		p.attempt = t.State.Attempt
		p.follows(t.State.Followed)
	}
	busy = p.takeApps()
	for key, e := range p.running {
		if !e.advance() {
			delete(p.running, key)
		}
	}
	for _, e := range p.items {
		if c := e.shown(); c != nil {
			p.crashed(e, c)
		}
	}
	p.takePending()
	if shown {
		p.reload()
	}
	return busy || len(p.running) > 0 || len(p.pending) > 0
}

// Show moves the focus to the selected call, if there is one and result is set, or to the form.
func (p *Panel) Show(result bool) { p.inResult = result && p.selected().onShow() != nil }

// ShowsInvalid reports whether the visible call has a malformed response.
func (p *Panel) ShowsInvalid() bool {
	e := p.selected()
	if e == nil {
		return false
	}
	c := e.shown()
	return c != nil && c.over && isInvalid(c.err)
}

// InResult reports whether the focus is in the selected call.
func (p *Panel) InResult() bool { return p.inResult && p.selected().onShow() != nil }

// ShowResult moves the focus to the selected call.
func (p *Panel) ShowResult() {
	if p.selected().onShow() != nil {
		p.list.Enter()
		p.inResult = true
	}
}
