package browse

import (
	"bytes"
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/internal/shell"
	"mcptea/session/apps"
	"mcptea/session/checks/lint"
	"mcptea/session/offer"
	"mcptea/session/record/stderr"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
)

// Session is what calls need of one.
type Session interface {
	Target() client.Target
	Origin() stderr.Origin
	Redact(text string) string
	Store() *store.Store
	FindingsAt(row int32) []lint.Finding
	// FindingsSince are the findings about what came after the request of an exchange; FindingsAbout is the gravest one about an
	// entry of a list, and how many there are.
	FindingsSince(root, response int32) []lint.Finding
	FindingsAbout(list, name string) (worst lint.Finding, n int)
	Start(method string, params []byte) *session.Call
	// RepeatRequest sends a request several times; before is the id that its params were sent with, if they were.
	RepeatRequest(n int, interval time.Duration, method string, params []byte, before jsonrpc.ID) *session.Repetition
	Cancel(id jsonrpc.ID) error
	SubscribeResource(uri string, on bool) *session.Call
	// Deadline is when a pending request times out; false without one.
	Deadline(id jsonrpc.ID) (time.Time, bool)
	Extend(id jsonrpc.ID, by time.Duration) bool
	// IsHeld reports whether a breakpoint holds a request or its response.
	IsHeld(id jsonrpc.ID) bool
	// Recording is ok for a session without a server of its own.
	Recording() (rec session.Recording, ok bool)
}

// Arguments are those that were saved, and sent before.
type Arguments interface {
	Choose(method, subject string, use func(arguments []byte))
	Save(method, subject string, arguments []byte)
	Keep(method, subject string, arguments []byte)
}

// Options are what calls are made with, and what other panes and windows do with them.
type Options struct {
	Flags     []shell.Flag     // that the session was started with
	Variables variables.Lookup // what {{NAME}} stands for in a form; nil without any
	Arguments Arguments
	// Used reports whether the server has sent a request with a method.
	Used     func(method string) bool
	Pin      func(c *session.Call)
	Compare  func(method string, params []byte) // what two servers give
	IsAlone  func() string                      // why there is no other server to compare with; nil where it is not known
	DiffRows func(old, now int32)
	Explain  func(row int32) // a frame
	// ShowFinding shows a finding among the problems.
	ShowFinding func(f lint.Finding)
	Sent        func(c *session.Call)
	// Reconnect connects again, and returns the reason if that fails.
	Reconnect func(ctx context.Context) error
	// OpenApp opens the app of a tool, with a call of it that was made, or with arguments.
	OpenApp func(tool string, arguments []byte, c *session.Call)
}

// List is the list that the items are in.
type List interface {
	SelectedKey() string // empty without an item
	Enter()              // gives the focus to the selected item
	Inside() bool        // it has the focus
	// Of makes a command about the selected item, which is off without one, or when off says so.
	Of(c keys.Command, run func(i *Item), off func(i *Item) string) keys.Command
}

// Panel is what the items of a list have in common.
type Panel struct {
	Options
	Form, Result []keys.Command // of the selected item, where the focus can be

	app      app.App
	s        Session
	list     List
	inResult bool // the focus in the item is in the result
	tick     app.Tick
	attempt  int
	items    map[string]*Item
	running  map[string]*Item // those with something under way

	apps    *apps.Apps          // nil while nothing has an app
	usedBy  map[string][]string // the tools of each app, by its URI
	toolsAt time.Time           // when the tools were fetched that usedBy is from

	subscribed map[string]subscription // by URI
	pending    []pending
}

// NewPanel returns the panel of a list.
func NewPanel(a app.App, s Session, l List, o Options) *Panel {
	p := &Panel{Options: o, app: a, s: s, list: l, items: make(map[string]*Item), running: make(map[string]*Item), subscribed: make(map[string]subscription)}
	p.Form, p.Result = p.formCommands(), p.resultCommands()
	return p
}

// Item is the item with a key, made ready to be filled in.
func (p *Panel) Item(key string, it offer.Item) *Item {
	e := p.items[key]
	if e == nil {
		e = &Item{p: p, key: key}
		e.Filters, e.Variables = true, p.Variables
		e.take(it)
		p.items[key] = e
	}
	return e
}

// Update takes the newest version of an item.
func (p *Panel) Update(key string, it offer.Item) {
	if e := p.items[key]; e != nil && !bytes.Equal(e.item.Raw, it.Raw) {
		e.take(it)
	}
	if p.apps == nil && MarkOf(it) != "" {
		p.apps = apps.New(p.s.Store())
	}
}

// Rename has what is filled in and the calls follow an item that has another key now.
func (p *Panel) Rename(old, now string) {
	if e := p.items[old]; e != nil && p.items[now] == nil {
		delete(p.items, old)
		delete(p.running, old)
		e.key = now
		p.items[now], p.running[now] = e, e
	}
}

// selected is the item under the cursor; nil without one, and before it was looked at.
func (p *Panel) selected() *Item { return p.items[p.list.SelectedKey()] }

// Subject implements [app.Pointed]: the selected item, and the frame with which its call on show has ended.
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

// Advance takes note of what became of the calls; shown is whether the selected item was on the
// screen. It reports whether something goes on.
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

// Show moves the focus of the selected item to the call on show, if there is one, or to the form.
func (p *Panel) Show(result bool) { p.inResult = result && p.selected().onShow() != nil }

// ShowsInvalid reports whether the call on show is one whose response was malformed.
func (p *Panel) ShowsInvalid() bool {
	e := p.selected()
	if e == nil {
		return false
	}
	c := e.shown()
	return c != nil && c.over && isInvalid(c.err)
}

// InResult reports whether the focus of the selected item is in the call on show.
func (p *Panel) InResult() bool { return p.inResult && p.selected().onShow() != nil }

// ShowResult moves the focus from the arguments to the call on show.
func (p *Panel) ShowResult() {
	if p.selected().onShow() != nil {
		p.list.Enter()
		p.inResult = true
	}
}

// NameOf is the name of an item, or what is in its place.
func NameOf(it offer.Item) string {
	for _, s := range []string{it.Name, it.URI, it.Title} {
		if s != "" {
			return s
		}
	}
	return "without a name"
}
