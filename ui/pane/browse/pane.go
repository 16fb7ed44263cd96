// Package browse is the pane of what a server offers: its tools, its resources or its
// prompts, the arguments of a call, and what came of it.
package browse

import (
	"bytes"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/internal/shell"
	"mcptea/session/apps/known"
	"mcptea/session/checks/lint"
	"mcptea/session/offer"
	"mcptea/session/offer/changes"
	"mcptea/session/offer/invoke"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// Session is what the pane needs of one.
type Session interface {
	Target() client.Target
	Store() *store.Store
	Changes() *changes.Tracker
	FindingsAt(row int32) []lint.Finding
	Fetch(kind client.ListKind)
	Start(method string, params []byte) *session.Call
	Cancel(id jsonrpc.ID)
	SubscribeResource(uri string, on bool) *session.Call
	// Deadline is when a pending request times out; false without one.
	Deadline(id jsonrpc.ID) (time.Time, bool)
	Extend(id jsonrpc.ID, by time.Duration) bool
	// IsHeld reports whether a breakpoint holds a request or its response.
	IsHeld(id jsonrpc.ID) bool
}

// Arguments are those that were saved, and sent before.
type Arguments interface {
	Choose(method, subject string, use func(arguments []byte))
	Save(method, subject string, arguments []byte)
	Keep(method, subject string, arguments []byte)
}

// Others are what other panes and windows do for this one.
type Others struct {
	// Used reports whether the server has sent a request with a method.
	Used       func(method string) bool
	Pin        func(c *session.Call)
	Compare    func(method string, params []byte) // what two servers give
	DiffRows   func(old, now int32)
	DiffValues func(oldName, newName string, old, now []byte)
	Explain    func(row int32) // a frame
	Sent       func(c *session.Call)
	// OpenApp opens the app of a tool, with a call of it that was made, or with arguments.
	OpenApp func(tool string, arguments []byte, c *session.Call)
}

// kind is what one pane is for.
type kind struct {
	title string   // of the list
	noun  string   // many of them
	one   string   // one of them
	lists []string // the session's lists, by name
}

var kinds = map[string]kind{
	"tools":     {"Tools", "tools", "tool", []string{"tools"}},
	"resources": {"Resources", "resources", "resource", []string{"resources", "templates"}},
	"prompts":   {"Prompts", "prompts", "prompt", []string{"prompts"}},
}

// Pane is the list of one kind and the item that is selected in it.
type Pane struct {
	page.Page[*line, string]
	Others
	// Variables are what {{NAME}} stands for in a form; nil without any. It is set before
	// the first Refresh, as Arguments is.
	Variables variables.Lookup
	Arguments Arguments
	// Confirm asks before a call of a tool that is annotated as destructive.
	Confirm bool

	app   app.App
	s     Session
	kind  kind
	flags []shell.Flag // that the session was started with

	form, result []keys.Command
	inResult     bool // the focus in the detail is in the result
	onShow       bool // it was painted since the last Refresh
	tick         app.Tick
	attempt      int

	lines   []line
	places  map[string]int    // of the lines, by key
	hits    map[string][]int  // bytes of the names that the words of the filter match
	types   bool              // the resources differ in their types
	named   int               // cells of the longest name, up to a bound
	loaded  []time.Time       // when the lists were fetched that the lines are from
	changes *changes.Snapshot // that the lines are from
	changed int               // how many lines differ from what was seen
	entries map[string]*entry
	running map[string]*entry // those with something under way

	apps    *known.Apps         // nil while nothing has an app
	usedBy  map[string][]string // the tools of each app, by its URI
	toolsAt time.Time           // when the tools were fetched that usedBy is from

	subscribed map[string]subscription // by URI
	pending    []pending
}

// line is an item in the list.
type line struct {
	key    string
	it     offer.Item
	change *changes.Item // how it differs from what was seen; nil when it does not
	mark   string        // of an app; see [markOf]
	last   bool          // of those that differ
}

// New returns the pane of a kind: "tools", "resources" or "prompts". The flags are those
// that say how to reach the server, for a command to copy.
func New(a app.App, s Session, kind string, flags ...shell.Flag) *Pane {
	p := &Pane{
		app: a, s: s, kind: kinds[kind], flags: flags,
		entries: make(map[string]*entry), running: make(map[string]*entry), subscribed: make(map[string]subscription),
	}
	p.Init(page.Spec[*line, string]{
		Noun:  p.kind.one,
		Title: func() []paint.Span { return []paint.Span{{Text: p.kind.title}} },
		Note:  p.note,
		Len:   func() int { return len(p.lines) },
		At:    func(i int) *line { return &p.lines[i] },
		Key:   func(l *line) string { return l.key },
		Stay:  func(*line) bool { return true },
		Row:   p.row, Height: p.height, Rank: p.rank, Empty: p.empty, Open: p.open,
		Detail: func(l *line) app.Pane { return p.entry(l) },
		Needs:  func(l *line, s *app.Screen, w, h int) int { return p.entry(l).needs(s, w, h) },
		Layout: page.Layout{Beside: 70, Alone: 70, Height: 100, Percent: 32, Min: 26},
	})
	p.Own, p.form, p.result = p.listCommands(), p.formCommands(), p.resultCommands()
	return p
}

// The places of focus.
const (
	inList   = "list"
	inForm   = "form"
	inResult = "result"
)

// Sections are the commands by the places of focus.
func (p *Pane) Sections() []keys.Section {
	return []keys.Section{{Name: inList, Commands: p.Own}, {Name: inForm, Commands: p.form}, {Name: inResult, Commands: p.result}}
}

// Section is the place that has the focus.
func (p *Pane) Section() string {
	switch {
	case !p.Inside():
		return inList
	case p.inResult && p.selected().onShow() != nil:
		return inResult
	}
	return inForm
}

// Go gives the focus to a place, as far as that is possible.
func (p *Pane) Go(section string) {
	if section == inList {
		p.Leave()
	} else {
		p.Enter()
	}
	p.inResult = section == inResult && p.selected().onShow() != nil
}

// Badge is how many items there are.
func (p *Pane) Badge() string {
	if len(p.lines) == 0 {
		return ""
	}
	return paint.HumanCount(p.offered())
}

// Empty reports whether the server offers nothing.
func (p *Pane) Empty() bool { return p.Badge() == "" && p.tick.State.Phase != session.Connecting }

// Changes are how many items differ from what the user has seen of them.
func (p *Pane) Changes() changes.Counts { return p.tick.State.Changes.Counts(p.kind.lists...) }

func (p *Pane) loading() bool {
	for _, name := range p.kind.lists {
		if p.tick.State.Lists[name].Loading {
			return true
		}
	}
	return false
}

// failure is why a list could not be fetched.
func (p *Pane) failure() error {
	for _, name := range p.kind.lists {
		if err := p.tick.State.Lists[name].Err; err != nil {
			return err
		}
	}
	return nil
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	shown := p.onShow
	p.tick, p.onShow = t, false
	if p.attempt != t.State.Attempt {
		p.attempt = t.State.Attempt
		p.follows(t.State.Followed)
	}
	p.takeLists()
	moreApps := p.takeApps()
	for key, e := range p.running {
		if !e.advance() {
			delete(p.running, key)
		}
	}
	for _, e := range p.entries {
		if c := e.shown(); c != nil {
			p.crashed(e, c)
		}
	}
	p.takePending()
	if shown {
		p.reload()
	}
	busy := p.Page.Refresh(t)
	return busy || moreApps || len(p.running) > 0 || len(p.pending) > 0 || p.loading()
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Next && !p.Inside() {
		return false // the arguments are opened; the next pane of a list is the traffic below it
	}
	taken := p.Page.Motion(m)
	if !p.Inside() {
		p.inResult = false
	}
	return taken
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	p.onShow = true
	p.Page.Paint(c, focused)
}

// takeLists rebuilds the lines when a list was fetched again.
func (p *Pane) takeLists() {
	st := &p.tick.State
	fresh := len(p.loaded) != len(p.kind.lists) || p.changes != st.Changes
	for i, name := range p.kind.lists {
		fresh = fresh || !p.loaded[i].Equal(st.Lists[name].Loaded)
	}
	if !fresh {
		return
	}
	p.loaded, p.changes = p.loaded[:0], st.Changes
	var all []line
	seen := map[string]int{}
	for _, name := range p.kind.lists {
		l := st.Lists[name]
		p.loaded = append(p.loaded, l.Loaded)
		for _, it := range l.Items {
			key := itemKey(it)
			if seen[key]++; seen[key] > 1 {
				key += "\x00" + strconv.Itoa(seen[key]) // a server may say a name twice
			}
			all = append(all, line{key: key, it: it, mark: markOf(it)})
		}
	}
	p.lines = p.changedFirst(all)
	p.moveRenamed()
	p.places, p.types, p.named = make(map[string]int, len(p.lines)), false, 0
	for i := range p.lines {
		l := &p.lines[i]
		p.named = max(p.named, min(paint.Width(paint.Sanitize(nameOf(l.it)))+paint.Width(l.mark), maxNamed))
		p.places[l.key] = i
		p.types = p.types || l.it.Kind == p.lines[0].it.Kind && l.it.MIME != p.lines[0].it.MIME
		if l.mark != "" && p.apps == nil {
			p.apps = known.New(p.s.Store())
		}
		if e := p.entries[l.key]; e != nil && !bytes.Equal(e.item.Raw, l.it.Raw) {
			e.take(l.it)
		}
	}
	p.Changed()
}

func itemKey(it offer.Item) string {
	if it.URI != "" {
		return it.Kind + " " + it.URI
	}
	return it.Name
}

func nameOf(it offer.Item) string {
	for _, s := range []string{it.Name, it.URI, it.Title} {
		if s != "" {
			return s
		}
	}
	return "without a name"
}

// entry is the item of a line, made ready to be filled in.
func (p *Pane) entry(l *line) *entry {
	e := p.entries[l.key]
	if e == nil {
		e = &entry{p: p, key: l.key}
		e.Filters, e.Variables = true, p.Variables
		e.take(l.it)
		p.entries[l.key] = e
	}
	return e
}

// selected is the item under the cursor; nil when the list is empty.
func (p *Pane) selected() *entry {
	if l, ok := p.Selected(); ok {
		return p.entry(l)
	}
	return nil
}

// Adopt takes over a call that was sent elsewhere, when it is one of an item of the pane.
func (p *Pane) Adopt(c *session.Call) bool {
	for i := range p.lines {
		l := &p.lines[i]
		if invoke.Shapes[l.it.Kind].Method == c.Method && (l.it.Name == c.Name || l.it.URI == c.Name) {
			p.entry(l).addCall(c)
			return true
		}
	}
	return false
}

// ShowResult moves the focus from the arguments to the call on show.
func (p *Pane) ShowResult() {
	if p.selected().onShow() != nil {
		p.Enter()
		p.inResult = true
	}
}
