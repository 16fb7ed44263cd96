package browse

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/offer"
	"mcptea/session/offer/changes"
	"mcptea/session/offer/invoke"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// ListSession is what the pane needs of one.
type ListSession interface {
	Session
	Changes() *changes.Tracker
	Fetch(kind client.ListKind)
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
	*Panel
	DiffValues func(oldName, newName string, old, now []byte)

	app    app.App
	s      ListSession
	kind   kind
	onShow bool // it was painted since the last Refresh
	tick   app.Tick

	lines  []line
	hits   map[string][]int // bytes of the names that the words of the filter match
	widths [cellsOfLine]int // of the widest cells of the columns, of all lines

	cells   [cellsOfLine][]paint.Span // of the row that is painted
	loaded  []time.Time               // when the lists were fetched that the lines are from
	changes *changes.Snapshot         // that the lines are from
	changed int                       // how many lines differ from what was seen
}

// line is an item in the list.
type line struct {
	key    string
	it     offer.Item
	change *changes.Item // how it differs from what was seen; nil when it does not
	mark   string        // of an app; see [MarkOf]
	last   bool          // of those that differ
	cells  int           // of its name, with what is beside that
}

// New returns the pane of a kind: "tools", "resources" or "prompts".
func New(a app.App, s ListSession, kind string, o Options) *Pane {
	p := &Pane{app: a, s: s, kind: kinds[kind]}
	p.Init(page.Spec[*line, string]{
		Noun:  p.kind.one,
		Title: func() []paint.Span { return []paint.Span{{Text: p.kind.title}} },
		Note:  p.note,
		Len:   func() int { return len(p.lines) },
		At:    func(i int) *line { return &p.lines[i] },
		Key:   func(l *line) string { return l.key },
		Stay:  func(*line) bool { return true },
		Sign:  p.sign, Columns: p.columns(), Ruled: func(l *line) bool { return l.last }, Rank: p.rank, Empty: p.empty, Open: p.open,
		Detail: func(l *line) app.Pane { return p.item(l) },
		Needs:  func(l *line, s *app.Screen, w, h int) int { return p.item(l).Needs(s, w, h) },
		Parent: p.nameNow,
		Layout: page.Layout{Beside: 70, Alone: 70, Height: 100},
	})
	p.Panel = NewPanel(a, s, p, o)
	p.Own = p.listCommands()
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
	return []keys.Section{{Name: inList, Commands: p.Own}, {Name: inForm, Commands: p.Form}, {Name: inResult, Commands: p.Result}}
}

// Section is the place that has the focus.
func (p *Pane) Section() string {
	switch {
	case !p.Inside():
		return inList
	case p.InResult():
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
	p.Show(section == inResult)
}

// Things implements [app.Finder].
func (p *Pane) Things() []app.Things {
	lines := p.lines // a list that changes has new ones
	return []app.Things{{
		Kind: p.kind.one, Len: len(lines),
		Name: func(i int) (name, about string) {
			it := &lines[i].it
			return display.Head(NameOf(*it), maxFound), display.Head(cmp.Or(it.Description, it.Title), maxFound)
		},
		Show: func(i int) {
			p.Leave()
			p.ClearFilter()
			p.Select(lines[i].key)
			p.Enter()
		},
	}}
}

// maxFound is how many bytes of a name and of a description the list of commands looks at.
const maxFound = 200

// Badge is how many items there are.
func (p *Pane) Badge() string {
	if len(p.lines) == 0 {
		return ""
	}
	return phrase.Digits(p.offered())
}

// Empty reports whether the server offers nothing.
func (p *Pane) Empty() bool { return p.Badge() == "" && p.tick.State.Phase != session.Connecting }

// Present reports whether the tab is shown: not if the server is connected and does not offer the list.
func (p *Pane) Present() bool {
	return p.tick.State.Phase != session.Ready || p.Badge() != "" || p.isOffered() || p.Changes().Any()
}

// isOffered reports whether the server declares a list of the pane.
func (p *Pane) isOffered() bool {
	return slices.ContainsFunc(p.kind.lists, func(name string) bool { return p.tick.State.Lists[name].Offered })
}

// Changes are how many items differ from what the user has seen of them.
func (p *Pane) Changes() changes.Counts { return p.tick.State.Changes.Counts(p.kind.lists...) }

func (p *Pane) loading() bool {
	return slices.ContainsFunc(p.kind.lists, func(name string) bool { return p.tick.State.Lists[name].Loading })
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
	p.takeLists()
	busy := p.Advance(t, shown)
	return p.Page.Refresh(t) || !t.Still && (busy || p.loading())
}

// Leave moves the focus to the list.
func (p *Pane) Leave() {
	p.Page.Leave()
	p.Show(false)
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Next && !p.Inside() {
		return false // the arguments are opened; the next pane of a list is the traffic below it
	}
	taken := p.Page.Motion(m)
	if !p.Inside() {
		p.Show(false)
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
			all = append(all, line{key: key, it: it, mark: MarkOf(it)})
		}
	}
	p.lines = p.changedFirst(all)
	p.moveRenamed()
	p.widths = [cellsOfLine]int{}
	for i := range p.lines {
		l := &p.lines[i]
		p.measure(l)
		p.Update(l.key, l.it)
	}
	p.Changed()
}

func itemKey(it offer.Item) string {
	if it.URI != "" {
		return it.Kind + " " + it.URI
	}
	return it.Name
}

// item is the item of a line, made ready to be filled in.
func (p *Pane) item(l *line) *Item {
	i := p.Item(l.key, l.it)
	i.Change = l.change
	return i
}

// SelectedKey implements [List].
func (p *Pane) SelectedKey() string {
	if l, ok := p.Selected(); ok {
		return l.key
	}
	return ""
}

// Of implements [List].
func (p *Pane) Of(c keys.Command, run func(i *Item), off func(i *Item) string) keys.Command {
	return p.Do(c, func(l *line) { run(p.item(l)) }, func(l *line) string {
		if off == nil {
			return ""
		}
		return off(p.item(l))
	})
}

// Adopt takes over a call that was sent elsewhere, when it is one of an item of the pane.
func (p *Pane) Adopt(c *session.Call) bool {
	for i := range p.lines {
		l := &p.lines[i]
		if invoke.Shapes[l.it.Kind].Method == c.Method && (l.it.Name == c.Name || l.it.URI == c.Name) {
			p.item(l).AddCall(c)
			return true
		}
	}
	return false
}
