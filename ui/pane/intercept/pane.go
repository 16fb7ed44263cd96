// Package intercept implements the pane of a gate: held frames, breakpoints and faults, the selected one in
// full, and the windows that edit them.
//
// Tests: ui/pane/intercept*_test.go, ui/inspector/intercept_test.go
package intercept

import (
	"context"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/jsonview"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses.
type Session interface {
	Store() *store.Store
	Recording() (session.Recording, bool)
	// Deadline returns when a pending request times out, or false if it does not.
	Deadline(id jsonrpc.ID) (time.Time, bool)
	Pending(id jsonrpc.ID) bool
}

// Pane is the list of held frames, breakpoints and faults.
type Pane struct {
	page.Page[item, item]
	// Attach attaches to the tap that writes a recording.
	Attach func(ctx context.Context, recording string) (*Attached, error)
	// Propose is the filter that a new breakpoint begins with.
	Propose func() string
	// Names holds the user's named filters.
	Names filter.Names

	app      app.App
	session  Session
	gate     Gate // or nil
	attached *Attached
	unwatch  func()
	of       string // owner of the gate, if it is not the session
	state    intercept.State
	tick     app.Tick
	now      time.Time

	was   item      // selection when the user last looked
	taken time.Time // when a frame that was held took the selection from a breakpoint or a fault

	entries []keys.Command // commands of breakpoints and faults; Own contains the filters of held frames
	items   []item
	texts   *intercept.Texts

	// The held frame treeOf is shown as its tree, as the changes of an edit, or as bytes if it is not JSON, with
	// the problem.
	tree    *jsonview.View
	problem string
	changed []diff.Line
	edited  bool // changed is shown
	treeOf  int64
}

// item is an entry of the list: the ID of a held frame, a breakpoint or a fault; 0 of the
// rows that add one.
type item struct {
	kind kind
	id   int64
}

type kind uint8

const (
	held       kind = iota
	orphanText      // a text of the user whose frame is gone
	breakpoint
	fault
)

var headings = [...]string{"Held", "Your texts", "Breakpoints", "Faults"}

// New returns the pane without a gate.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, session: s, Propose: func() string { return "" }}
	p.texts = intercept.NewTexts(func(name string) {
		a.Fail(display.Sanitize(name) + " is no longer held. Your text is kept in Intercept: " + a.Key("copy") + " copies it there.")
	})
	p.Init(page.Spec[item, item]{
		Noun:   "entry",
		Title:  p.title,
		Note:   p.note,
		Len:    func() int { return len(p.items) },
		At:     func(i int) item { return p.items[i] },
		Key:    func(it item) item { return it },
		Height: func(it item) int { return paint.If(it.kind == held, 2, 1) },
		Above:  p.heading,
		Columns: []widget.Column[item]{
			{Width: 10, Cell: p.mark},
			{Cell: p.what, Below: p.reason},
			{Width: 14, Right: true, Cell: p.count, Below: p.heldFor},
		},
		Stay:   func(it item) bool { return it.kind == held },
		Detail: func(it item) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, it) }) },
		Open:   p.open,
		Layout: page.Layout{Beside: 90, Height: 50, Texts: true},
	})
	inject := keys.Command{ID: "fault", Label: "fault", Help: "Inject a fault: delay, drop, a wrong id, invalid JSON and others", Words: "simulate inject chaos error failure latency slow", Run: func() { p.editFault(intercept.Fault{}) }}
	p.Own = []keys.Command{
		p.onHeld(keys.Command{ID: "held.forward", Keys: keys.On("enter"), Label: "forward", Help: "Forward the held frame, as edited", Words: "continue send release", Footer: 10}, p.forward),
		p.onHeld(keys.Command{ID: "edit", Verb: keys.Edit, Label: "edit", Help: "Edit the bytes of the held frame", Words: "change modify", Footer: 11}, p.edit, tooLarge(p)),
		{ID: "held.drop", Verb: keys.End, Label: "drop", Help: "Drop the held frame instead of forwarding it; or remove your text", Words: "delete discard", Footer: 12, Run: p.drop, Off: p.unless("No held frame is selected.", held, orphanText)},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the frame, byte for byte", Words: "yank clipboard", Footer: 14, Run: p.copy, Off: p.unless("No held frame is selected.", held, orphanText)},
		p.onHeld(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the held frame in Traffic", Words: "wire"}, func(h *intercept.Held) { p.app.ShowFrame(h.Row) }, func(h *intercept.Held) string {
			return keys.Reason(h.Row == store.None, "The frame is in Traffic when it is sent.")
		}),
		p.onHeld(keys.Command{ID: "held.more", Keys: keys.On("+"), Label: "more", Help: "Choose another action for the held frame", Words: "actions twice later delay duplicate undo received", Footer: 13}, p.more),
		p.onHeld(keys.Command{ID: "held.duplicate", Label: "duplicate", Help: "Forward the held frame twice", Words: "twice"}, p.duplicate),
		p.onHeld(keys.Command{ID: "held.delay", Label: "delay", Help: "Forward the held frame later", Words: "wait"}, p.delay),
		p.onHeld(keys.Command{ID: "held.respond", Label: "respond", Help: "Respond to the held request by hand", Words: "answer"}, p.respond, notRequest),
		{ID: "held.forward-all", Label: "forward all", Help: "Forward all held frames, unedited", Words: "continue release", Run: p.forwardAll, Off: func() string { return keys.Reason(len(p.state.Held) == 0, "No frame is held.") }},
		inject,
	}
	const none = "No breakpoint or fault is selected."
	p.entries = []keys.Command{
		{ID: "edit", Verb: keys.Edit, Keys: keys.On("enter"), Label: "edit", Help: "Edit the breakpoint or the fault, or add one", Words: "change add", Footer: 10, Run: p.editEntry, Off: p.unless(none, breakpoint, fault)},
		{ID: "intercept.toggle", Keys: keys.On("space"), Label: "on or off", Help: "Switch the breakpoint or the fault on or off", Words: "disable enable", Footer: 11, Run: func() { p.changeEntry(false) }, Off: p.noEntry},
		{ID: "remove", Verb: keys.End, Label: "remove", Help: "Remove the breakpoint or the fault", Words: "delete", Footer: 12, Run: func() { p.changeEntry(true) }, Off: p.noEntry},
		inject,
	}
	return p
}

// unless returns a function for the reason why a command does nothing for the selected item. kinds lists the
// kinds of items that it applies to.
func (p *Pane) unless(why string, kinds ...kind) func() string {
	return func() string { return keys.Reason(!slices.Contains(kinds, p.selected().kind), why) }
}

func (p *Pane) noEntry() string {
	it := p.selected()
	return keys.Reason(it.id == 0 || it.kind != breakpoint && it.kind != fault, "No breakpoint or fault is selected.")
}

// onHeld makes a command about the selected held frame.
func (p *Pane) onHeld(c keys.Command, run func(h *intercept.Held), off ...func(h *intercept.Held) string) keys.Command {
	return p.Do(c, func(it item) { run(p.heldFrame(it.id)) }, func(it item) string {
		h := p.heldFrame(it.id)
		switch {
		case it.kind == orphanText:
			return "Its frame is no longer held; only your text is left."
		case it.kind != held || h == nil:
			return "No held frame is selected."
		}
		return keys.First(h, off)
	})
}

// The names of the sections.
const (
	ofHeld    = "held frame"
	ofEntries = "breakpoints and faults"
)

// Section returns the part of the pane that has the focus.
func (p *Pane) Section() string {
	if k := p.selected().kind; k == held || k == orphanText {
		return ofHeld
	}
	return ofEntries
}

// Sections returns all commands.
func (p *Pane) Sections() []keys.Section {
	return []keys.Section{{Name: ofHeld, Commands: p.Own}, {Name: ofEntries, Commands: p.entries}}
}

// Commands implements [app.Pane].
func (p *Pane) Commands() []keys.Command {
	if p.Section() == ofHeld {
		return p.Own
	}
	return p.entries
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.tick, p.now = t, time.Now() // held frames age even while the clock of a recording does not advance
	if t.Now.After(p.now) {
		p.now = t.Now
	}
	p.readGate()
	again := p.Page.Refresh(t) || len(p.state.Held) > 0
	now := p.selected()
	if now.kind == held && (p.was.kind == breakpoint || p.was.kind == fault) {
		p.taken = time.Now()
	}
	p.was = now
	return again
}

// Motion implements [app.Pane]. It marks the selection as seen.
func (p *Pane) Motion(m keys.Motion) bool {
	moved := p.Page.Motion(m)
	p.was = p.selected()
	return moved
}

// takenPause is the time in which a newly selected frame cannot be dropped. A key that is pressed earlier
// was meant for the previous selection.
const takenPause = time.Second

// readGate reads the gate.
func (p *Pane) readGate() {
	if p.gate != nil {
		p.state = p.gate.State()
	}
	p.arrange()
}

// arrange makes the items. A new held frame is selected unless the user has selected one.
func (p *Pane) arrange() {
	p.items = p.items[:0]
	for _, h := range p.state.Held {
		p.items = append(p.items, item{held, h.ID})
	}
	p.texts.Look(p.state.Held)
	for _, k := range slices.Backward(p.texts.Kept()) {
		p.items = append(p.items, item{orphanText, k.ID})
	}
	for _, b := range p.state.Breakpoints {
		p.items = append(p.items, item{breakpoint, int64(b.ID)})
	}
	p.items = append(p.items, item{kind: breakpoint})
	for _, f := range p.state.Faults {
		p.items = append(p.items, item{fault, int64(f.ID)})
	}
	p.items = append(p.items, item{kind: fault})
	p.Changed()
}

// selected returns the selected item.
func (p *Pane) selected() item {
	it, ok := p.Selected()
	if !ok {
		it.kind = breakpoint
	}
	return it
}

func find[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}

func (p *Pane) kept(id int64) *intercept.Kept {
	return find(p.texts.Kept(), func(k intercept.Kept) bool { return k.ID == id })
}

// setEdited replaces the bytes to be forwarded for a held frame.
func (p *Pane) setEdited(id int64, b []byte) {
	p.treeOf = 0
	p.texts.SetEdited(id, b)
}

func (p *Pane) heldFrame(id int64) *intercept.Held {
	return find(p.state.Held, func(h intercept.Held) bool { return h.ID == id })
}

func (p *Pane) breakpointOf(id int64) *intercept.Breakpoint {
	return find(p.state.Breakpoints, func(b intercept.Breakpoint) bool { return int64(b.ID) == id })
}

func (p *Pane) faultOf(id int64) *intercept.Fault {
	return find(p.state.Faults, func(f intercept.Fault) bool { return int64(f.ID) == id })
}

// Present reports whether the tab is shown: there is something in it.
func (p *Pane) Present() bool {
	return len(p.state.Held)+len(p.texts.Kept())+len(p.state.Breakpoints)+len(p.state.Faults) > 0 || p.of != ""
}

// Waiting returns the number of frames held by breakpoints.
func (p *Pane) Waiting() int { return p.state.Waiting() }

// HeldRows returns the rows of the recorded held frames, with the time that they have been held.
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

// Badge returns the number of held frames.
func (p *Pane) Badge() string { return phrase.Badge(p.Waiting()) }
