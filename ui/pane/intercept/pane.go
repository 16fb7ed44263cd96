package intercept

import (
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/diff"
	"mcptea/session/intercept"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Gate is what the pane reads.
type Gate interface {
	State() intercept.State
}

// Pane is the list of held frames, breakpoints and faults. It belongs to the goroutine
// that draws.
type Pane struct {
	gate  Gate // nil without
	of    string
	state intercept.State
	now   time.Time
	spin  int

	items  []item
	view   masterdetail.View[item]
	edited map[int64][]byte // by the ID of the held frame

	drafts   map[written][]byte // texts that the user has not accepted
	decided  map[int64]bool     // the held frames about which the user has decided
	names    map[int64]string   // of the held frames
	kept     []kept             // texts whose frames are gone, oldest first
	lastKept int64
	news     string

	// What is shown of the held frame treeOf: its tree, or what was edited in it; both
	// are nil if it is not JSON, and its bytes are shown.
	tree    *jsonview.View
	changed []diff.Row
	treeOf  int64
}

// item is an entry of the list: the ID of a held frame, a breakpoint or a fault.
type item struct {
	kind kind
	id   int64
}

type kind uint8

const (
	held kind = iota
	gone      // a text of the user whose frame is gone
	breakpoint
	fault
)

var headings = [...]string{"Held", "Your texts", "Breakpoints", "Faults"}

// New returns the pane over a gate, which may be nil.
func New(g Gate) *Pane {
	p := &Pane{gate: g, edited: map[int64][]byte{}, drafts: map[written][]byte{}, decided: map[int64]bool{}, names: map[int64]string{}}
	p.view.Layout = masterdetail.Layout{Beside: 90, Percent: 36, Min: 36, Max: 56, Height: 50}
	p.view.List.Items = masterdetail.Items[item]{
		Len:    func() int { return len(p.items) },
		Key:    func(i int) item { return p.items[i] },
		Height: p.itemHeight,
		Row:    p.itemRow,
	}
	return p
}

// SetGate replaces the gate; of names whose it is, if it is not that of the session.
func (p *Pane) SetGate(g Gate, of string) {
	p.gate, p.of, p.state = g, of, intercept.State{}
	p.arrange()
}

// Refresh reads the gate.
func (p *Pane) Refresh(_ session.State, _ []store.Flow, now time.Time, spin int) {
	p.now, p.spin = time.Now(), spin // held frames age also while the clock of a recording stands still
	if now.After(p.now) {
		p.now = now
	}
	if p.gate == nil {
		return
	}
	p.state = p.gate.State()
	p.arrange()
}

// arrange makes the items, and keeps the cursor at its item. A new held frame is
// selected unless the user has selected one.
func (p *Pane) arrange() {
	waiting := map[int64]bool{}
	p.items = p.items[:0]
	for i := range p.state.Held {
		h := &p.state.Held[i]
		waiting[h.ID] = true
		if p.names[h.ID] == "" || h.Row >= 0 {
			p.names[h.ID] = nameOf(h)
		}
		p.items = append(p.items, item{held, h.ID})
	}
	p.keepLost(waiting)
	for _, k := range slices.Backward(p.kept) {
		p.items = append(p.items, item{gone, k.id})
	}
	for _, b := range p.state.Breakpoints {
		p.items = append(p.items, item{breakpoint, int64(b.ID)})
	}
	for _, f := range p.state.Faults {
		p.items = append(p.items, item{fault, int64(f.ID)})
	}
	if len(p.names) > 4*(len(waiting)+maxKept) { // an editor may be open on a frame that is gone
		maps.DeleteFunc(p.names, func(id int64, _ string) bool { return !waiting[id] })
	}
	list := &p.view.List
	pinned := list.Pinned()
	kept := list.Refresh()
	if at := p.selected(); !kept || !pinned && at.kind != held {
		list.SelectIndex(0)
		pinned = false
	}
	list.Pin(pinned)
}

// selected is the item under the cursor; one of ID 0 without items.
func (p *Pane) selected() item {
	if i := p.view.List.Index(); i >= 0 {
		return p.items[i]
	}
	return item{kind: breakpoint}
}

func (p *Pane) heldFrame(id int64) *intercept.Held {
	i := slices.IndexFunc(p.state.Held, func(h intercept.Held) bool { return h.ID == id })
	if i < 0 {
		return nil
	}
	return &p.state.Held[i]
}

// Held returns a held frame as the gate has it now.
func (p *Pane) Held(id int64) (h intercept.Held, held bool) {
	if p.gate == nil {
		return h, false
	}
	for _, h := range p.gate.State().Held {
		if h.ID == id {
			return h, true
		}
	}
	return h, false
}

func (p *Pane) breakpointOf(id int64) *intercept.Breakpoint {
	i := slices.IndexFunc(p.state.Breakpoints, func(b intercept.Breakpoint) bool { return int64(b.ID) == id })
	if i < 0 {
		return nil
	}
	return &p.state.Breakpoints[i]
}

func (p *Pane) faultOf(id int64) *intercept.Fault {
	i := slices.IndexFunc(p.state.Faults, func(f intercept.Fault) bool { return int64(f.ID) == id })
	if i < 0 {
		return nil
	}
	return &p.state.Faults[i]
}

// SetEdited replaces the bytes with which a held frame goes on. It goes on when the user
// forwards it.
func (p *Pane) SetEdited(id int64, b []byte) {
	h := p.heldFrame(id)
	if h == nil {
		p.Keep(p.names[id], b)
		return
	}
	p.treeOf = 0
	delete(p.decided, id)
	delete(p.drafts, written{id, false})
	if string(b) == string(h.Bytes) {
		delete(p.edited, id)
		return
	}
	p.edited[id] = b
}

// bytes are those with which a held frame goes on.
func (p *Pane) bytes(h *intercept.Held) []byte {
	if b, ok := p.edited[h.ID]; ok {
		return b
	}
	return h.Bytes
}

// Present reports whether the tab is shown: there is something in it.
func (p *Pane) Present() bool { return len(p.items) > 0 || p.of != "" }

// Waiting is the number of frames that breakpoints hold.
func (p *Pane) Waiting() int { return p.state.Waiting() }

// HeldRows are the rows of the held frames that are recorded, with the time for which
// they are held.
func (p *Pane) HeldRows() map[int32]time.Duration {
	if len(p.state.Held) == 0 {
		return nil
	}
	rows := map[int32]time.Duration{}
	for _, h := range p.state.Held {
		if h.Row != store.None {
			rows[h.Row] = max(0, p.now.Sub(h.Since))
		}
	}
	return rows
}

// Badge is the number of held frames.
func (p *Pane) Badge() string {
	if n := p.Waiting(); n > 0 {
		return paint.HumanCount(n)
	}
	return ""
}

// Busy reports whether the age of a frame is shown.
func (p *Pane) Busy() bool { return len(p.state.Held) > 0 }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	if k := p.selected().kind; k == held || k == gone {
		return command.Held
	}
	return command.Intercept
}

// Typing implements the contract of panes: nothing is typed here.
func (p *Pane) Typing() bool { return false }

// Type implements the contract of panes.
func (p *Pane) Type(tea.KeyPressMsg) (action.Action, bool) { return nil, false }

// Paste implements the contract of panes.
func (p *Pane) Paste(string) {}

// Cursor implements the contract of panes.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }
