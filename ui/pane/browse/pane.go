package browse

import (
	"bytes"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/changes"
	"mcptea/session/lint"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/session/variables"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/list"
)

// Session is what the pane needs of one beside what Refresh brings.
type Session interface {
	Target() client.Target
	Store() *store.Store
	FindingsAt(row int32) []lint.Finding
	// Deadline is when a pending request times out; false without one.
	Deadline(id jsonrpc.ID) (time.Time, bool)
	// IsHeld reports whether a breakpoint holds a request or its response.
	IsHeld(id jsonrpc.ID) bool
}

// Arguments are those of calls that are kept for later sessions.
type Arguments interface {
	// Choose has the user choose arguments, which come to use.
	Choose(method, subject string, use func(arguments []byte))
	Save(method, subject string, arguments []byte)
}

// part is where the focus is within the pane.
type part uint8

const (
	inList part = iota
	inForm
	inResult
)

// Pane is the list of one kind and the item that is selected in it. It belongs
// to the goroutine that draws.
type Pane struct {
	session Session
	kind    kind
	flags   []shell.Flag // that the session was started with
	part    part

	state   session.State
	flights []store.Flow
	now     time.Time
	spin    int
	attempt int

	list    list.List
	rows    []list.Item              // the list's own, changed in place
	items   []session.Item           // behind the rows
	places  map[string]int           // of the rows, by key
	loaded  []time.Time              // when the lists were fetched that the rows are from
	changes *changes.Snapshot        // that the rows are from
	changed map[string]*changes.Item // the rows that differ from what was seen, by key
	entries map[string]*entry
	called  map[string]*entry // those with calls
	running map[string]*entry // those with something under way

	// Variables are what {{NAME}} stands for in a form; nil without any. It is set
	// before the first Refresh.
	Variables variables.Lookup
	// Arguments are those that are kept; set like Variables.
	Arguments Arguments
	ready     string // the key of the entry whose files were read, to send it

	subscribed map[string]subscription // by URI
	pending    []pending

	struckOf    *paint.Palette // that struckStyle was made of
	struckStyle paint.Style

	area struct{ list, item, form, result rect } // where things were painted last
}

// rect is a part of the pane, in its cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// New returns the pane of a kind: "tools", "resources" or "prompts". The flags
// are those that say how to reach the server, for a command to copy.
func New(s Session, kind string, flags ...shell.Flag) *Pane {
	return &Pane{
		session: s, kind: kinds[kind], flags: flags,
		entries: make(map[string]*entry), called: make(map[string]*entry), running: make(map[string]*entry),
		subscribed: make(map[string]subscription),
	}
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	switch p.part {
	case inForm:
		if _, e := p.selected(); e != nil && e.bare() {
			return command.NoArguments
		}
		return command.Form
	case inResult:
		return command.Result
	}
	if p.Changes().Any() && !p.Typing() && (p.kind.noun != "resources" || p.changed[p.selectedKey()] != nil) {
		return command.Changed
	}
	return command.Browse
}

// selectedKey is the key of the row under the cursor.
func (p *Pane) selectedKey() string {
	row, _ := p.list.Selected()
	return row.Key
}

// Advice lists the commands that help with an empty list, and after a crash.
func (p *Pane) Advice() []command.ID {
	_, e := p.selected()
	switch {
	case e == nil && len(p.items) == 0 && p.state.Phase == session.Ready:
		return []command.ID{command.RefreshList, command.Restart, command.TabServer, command.TabLogs, command.Compose}
	case e == nil || p.part == inList || p.Typing() || e.shown() == nil || e.shown().crash == nil:
		return nil
	}
	ids := []command.ID{command.Restart, command.Resend}
	if p.state.Phase == session.Ready {
		ids = []command.ID{command.Resend, command.Restart}
	}
	if e.shown().crash.file != "" {
		ids = append(ids, command.OpenSource)
	}
	return append(ids, command.TabLogs, command.PreviousCall, command.NextCall)
}

// Works reports whether a command does something now: there may be no other call to
// go to.
func (p *Pane) Works(id command.ID) bool {
	_, e := p.selected()
	switch {
	case e == nil:
		return true
	case id == command.AddItem:
		return !e.AsJSON && e.CanAdd()
	case id == command.PreviousCall:
		return e.at > 0
	case id == command.NextCall:
		return e.at < len(e.calls)-1
	}
	return true
}

// Badge is how many items there are.
func (p *Pane) Badge() string {
	if len(p.items) == 0 {
		return ""
	}
	return paint.HumanCount(len(p.items))
}

// Busy reports whether something moves.
func (p *Pane) Busy() bool {
	return len(p.running) > 0 || len(p.pending) > 0 || p.loading() || p.checking()
}

// checking reports whether the JSON that is being written is being checked.
func (p *Pane) checking() bool {
	row, _ := p.list.Selected()
	e := p.entries[row.Key]
	if e == nil || !e.AsJSON {
		return false
	}
	e.Editor.Problem()
	return e.Editor.Checking()
}

func (p *Pane) loading() bool {
	for _, name := range p.kind.lists {
		if p.state.Lists[name].Loading {
			return true
		}
	}
	return false
}

// Refresh takes note of what is new.
func (p *Pane) Refresh(st session.State, flights []store.Flow, now time.Time, spin int) {
	p.state, p.flights, p.now, p.spin = st, flights, now, spin
	if p.attempt != st.Attempt {
		p.attempt = st.Attempt
		p.follows(st.Followed)
	}
	p.takeLists()
	for key, e := range p.running {
		p.refreshEntry(key, e)
	}
	for _, e := range p.called {
		if c := e.shown(); c != nil {
			p.crashed(e, c)
		}
	}
	p.takePending()
}

func (p *Pane) refreshEntry(key string, e *entry) {
	busy := e.refreshDefinition()
	for _, c := range e.calls {
		if !c.over {
			p.scanUnmatched(c)
		}
		busy = c.refresh(e, p.flights) || busy
		if c.over && c.row == nil {
			p.locate(c)
		}
	}
	if e.values != nil {
		busy = e.values.refresh() || busy
	}
	if !busy {
		delete(p.running, key)
	}
}

// takeLists rebuilds the rows when a list was fetched again.
func (p *Pane) takeLists() {
	fresh := len(p.loaded) != len(p.kind.lists) || p.changes != p.state.Changes
	for i, name := range p.kind.lists {
		fresh = fresh || !p.loaded[i].Equal(p.state.Lists[name].Loaded)
	}
	if !fresh {
		return
	}
	total := 0
	for _, name := range p.kind.lists {
		total += len(p.state.Lists[name].Items)
	}
	p.loaded, p.changes = p.loaded[:0], p.state.Changes
	all := make([]keyed, 0, total)
	keys := make(map[string]int, total)
	for _, name := range p.kind.lists {
		l := p.state.Lists[name]
		p.loaded = append(p.loaded, l.Loaded)
		for _, it := range l.Items {
			key := itemKey(it)
			if keys[key]++; keys[key] > 1 {
				key += "\x00" + strconv.Itoa(keys[key]) // a server may say a name twice
			}
			all = append(all, keyed{key, it})
		}
	}
	all = p.changedRows(all)
	p.moveRenamed()
	p.items, p.rows, p.places = make([]session.Item, 0, len(all)), make([]list.Item, 0, len(all)), make(map[string]int, len(all))
	for i, k := range all {
		row := list.Item{Key: k.key, Name: nameOf(k.it), Note: noteOf(k.it)}
		if p.changed[k.key] != nil {
			row.Sign, row.Last = "~", i+1 < len(all) && p.changed[all[i+1].key] == nil
		}
		p.items, p.rows, p.places[k.key] = append(p.items, k.it), append(p.rows, row), i
		if e := p.entries[k.key]; e != nil && !bytes.Equal(e.item.Raw, k.it.Raw) {
			e.take(k.it)
			if e.reading != nil {
				p.running[k.key] = e
			}
		}
	}
	p.list.SetItems(p.rows)
}

func itemKey(it session.Item) string {
	if it.URI != "" {
		return it.Kind + " " + it.URI
	}
	return it.Name
}

func nameOf(it session.Item) string {
	for _, s := range []string{it.Name, it.URI, it.Title} {
		if s != "" {
			return s
		}
	}
	return "without a name"
}

// noteOf is what stands beside an item that was not called yet.
func noteOf(it session.Item) string {
	switch it.Kind {
	case "templates":
		return "template"
	case "resources":
		if n, ok := sizeOf(it); ok {
			return paint.HumanSize(n)
		}
		return it.MIME
	}
	return ""
}

// notes renews what stands beside items that were called. The list is given
// the slice and paints what is in it then.
func (p *Pane) notes(pal *paint.Palette) {
	for key := range p.changed {
		p.sign(pal, &p.rows[p.places[key]])
	}
	for key, e := range p.called {
		i, ok := p.places[key]
		if !ok || p.changed[key] != nil {
			continue
		}
		row, c := &p.rows[i], e.calls[len(e.calls)-1]
		switch {
		case !c.over:
			row.Note, row.NoteStyle = paint.Spinner(pal, p.spin)+" "+paint.HumanDuration(max(p.now.Sub(c.Started), 0)), pal.Warn
		case c.outcome.level == stopped:
			row.Note, row.NoteStyle = c.outcome.word, pal.Warn
		case c.failed():
			row.Note, row.NoteStyle = pal.FailMark+" "+paint.HumanDuration(c.ended), pal.Error
		default:
			row.Note, row.NoteStyle = paint.HumanDuration(c.ended), pal.Muted
		}
	}
	p.markUpdated(pal)
}

// selected is the item under the cursor, made ready to be filled in; nil when
// the list is empty.
func (p *Pane) selected() (string, *entry) {
	row, ok := p.list.Selected()
	if !ok {
		return "", nil
	}
	if e := p.entries[row.Key]; e != nil {
		return row.Key, e
	}
	e := newEntry(p.items[p.list.SelectedIndex()])
	e.Variables = p.Variables
	p.entries[row.Key] = e
	if e.reading != nil {
		p.running[row.Key] = e
	}
	return row.Key, e
}
