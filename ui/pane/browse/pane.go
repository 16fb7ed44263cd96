package browse

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/invoke"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// A ListSession is the session interface that a Pane needs.
type ListSession interface {
	Session
	Changes() *changes.Tracker
	As() (as string, unknown []string)
	Fetch(kind client.ListKind)
}

// A kind describes the content of a pane.
type kind struct {
	title string   // title of the list
	noun  string   // plural
	one   string   // singular
	lists []string // names of the session's lists
}

var kinds = map[string]kind{
	"tools":     {"Tools", "tools", "tool", []string{"tools"}},
	"resources": {"Resources", "resources", "resource", []string{"resources", "templates"}},
	"prompts":   {"Prompts", "prompts", "prompt", []string{"prompts"}},
}

// A Pane shows a list of one kind and the selected item.
type Pane struct {
	page.Page[*line, string]
	*Panel
	DiffValues func(oldName, newName string, old, now []byte)

	app    app.App
	s      ListSession
	kind   kind
	onShow bool // painted since the last Refresh
	tick   app.Tick
	absent bool // the server did not offer the list when it was last connected

	lines  []line
	hits   map[string][]int // byte offsets in the name that match the filter, by key
	named  string           // key of the last line whose name matches the filter, if lines follow that match by their description, or ""
	widths [cellsOfLine]int // widths of the widest cell of each column

	cells   [cellsOfLine][]paint.Span // cells of the row being painted
	loaded  []time.Time               // fetch times of the lists that lines was built from
	changes *changes.Snapshot         // snapshot that lines was built from
	changed int                       // number of changed lines, which come first
}

// A line is a row of the list.
type line struct {
	key    string
	it     offer.Item
	change *changes.Item // difference from the version that the user has seen, or nil
	mark   string        // mark of an app; see [MarkOf]
	last   bool          // last of the changed lines
	cells  int           // width of the name with its marks
}

// New returns a pane of a kind: "tools", "resources" or "prompts".
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
		Sign:  p.sign, Columns: p.columns(), Ruled: p.ruled, Rank: p.rank, Empty: p.empty, Open: p.open,
		Detail: func(l *line) app.Pane { return p.item(l) },
		Needs:  func(l *line, s *app.Screen, w, h int) int { return p.item(l).Needs(s, w, h) },
		Parent: p.nameNow,
		Layout: page.Layout{Beside: 70, Alone: 70, Height: 100},
	})
	p.Panel = NewPanel(a, s, p, o)
	p.Own = p.listCommands()
	return p
}

// Sections of the pane.
const (
	inList   = "list"
	inForm   = "form"
	inResult = "result"
)

// Sections returns the commands by section.
func (p *Pane) Sections() []keys.Section {
	return []keys.Section{{Name: inList, Commands: p.Own}, {Name: inForm, Commands: p.Form}, {Name: inResult, Commands: p.Result}}
}

// Section returns the focused section.
func (p *Pane) Section() string {
	switch {
	case !p.Inside():
		return inList
	case p.InResult():
		return inResult
	}
	return inForm
}

// Go moves the focus to a section, if possible.
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
	lines := p.lines // the closure must not see a later list
	return []app.Things{{
		Kind: p.kind.one, Len: len(lines),
		Name: func(i int) (name, about string) {
			it := &lines[i].it
			return display.Head(it.Label(), maxFound), display.Head(cmp.Or(it.Description, it.Title), maxFound)
		},
		Show: func(i int) {
			p.Leave()
			p.ClearFilter()
			p.Select(lines[i].key)
			p.Enter()
		},
	}}
}

// maxFound bounds the bytes of a name and of a description that are searched and measured.
const maxFound = 200

// Badge returns the number of items, or "" if there are none.
func (p *Pane) Badge() string {
	if len(p.lines) == 0 {
		return ""
	}
	return phrase.Digits(p.offered())
}

// Empty reports whether the server offers no items of this kind.
func (p *Pane) Empty() bool { return p.Badge() == "" && p.tick.State.Phase != session.Connecting }

// Present reports whether the tab is visible. It is hidden if the server did not offer the list at
// the last connection. So no tab appears while the server restarts.
func (p *Pane) Present() bool { return !p.absent }

// isOffered reports whether the server declares a list of the pane.
func (p *Pane) isOffered() bool {
	return slices.ContainsFunc(p.kind.lists, func(name string) bool { return p.tick.State.Lists[name].Offered })
}

// Changes returns the number of items that differ from the version that the user has seen.
func (p *Pane) Changes() changes.Counts { return p.tick.State.Changes.Counts(p.kind.lists...) }

func (p *Pane) loading() bool {
	return slices.ContainsFunc(p.kind.lists, func(name string) bool { return p.tick.State.Lists[name].Loading })
}

// failure returns why a list could not be fetched, or nil.
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
	if t.State.Phase == session.Ready {
		p.absent = p.Badge() == "" && !p.isOffered() && !p.Changes().Any()
	}
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
		return false // next leads to the traffic below the list; enter opens the arguments
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

// takeLists rebuilds the lines after a list was fetched or changes were seen.
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
				key += "\x00" + strconv.Itoa(seen[key]) // a server may list a name twice
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

// item returns the Item of a line, creating it if necessary.
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

// Adopt adds a call that was sent elsewhere to its item. It reports whether the pane has that item.
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
