package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/app"
	"mcptea/ui/bridge"
	"mcptea/ui/command"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/intercept"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/server"
	"mcptea/ui/pane/servers"
	"mcptea/ui/pane/start"
	"mcptea/ui/pane/tasks"
	"mcptea/ui/result"
)

// bridge is the program as a pane with commands as values sees it; the pane is a tab.
func (m *model) bridge(tab command.ID) *bridge.App {
	if m.bridges[tab] == nil {
		m.bridges[tab] = &bridge.App{
			Ctx: m.ctx, Act: m.act, Queue: &m.queue, Work: &m.working,
			Announce: func(news string) { m.news(news, tab) },
			Edit:     m.editText,
			Offers:   m.offerTarget,
			Show:     m.open,
			Hide:     m.closeDialog,
		}
	}
	return m.bridges[tab]
}

// app is the program as its own windows see it.
func (m *model) app() *bridge.App { return m.bridge("") }

// open shows a window in the place of another one, whose work ends.
func (m *model) open(d app.Dialog) {
	o := newDialogWindow(d, m.app(), func() { m.show(nil) })
	o.state = func() session.State { return m.state }
	m.show(o)
}

// closeDialog closes a window if it is still open.
func (m *model) closeDialog(d app.Dialog) bool {
	o, ok := m.overlay.(*dialogWindow)
	if ok = ok && o.dialog == d; ok {
		m.show(nil)
	}
	return ok
}

// inDialog is a dialog as a pane of the bridge.
type inDialog struct{ app.Pane }

func (inDialog) Inside() bool  { return false }
func (inDialog) Badge() string { return "" }

// noTab is the composer as a pane of the bridge.
type noTab struct{ *composer.Pane }

func (noTab) Inside() bool  { return false }
func (noTab) Badge() string { return "" }

// dialogWindow is a dialog as a window of the program.
type dialogWindow struct {
	dialog app.Dialog
	tab    bridge.Tab
	state  func() session.State
	shut   func()
	w, h   int
}

func newDialogWindow(d app.Dialog, a *bridge.App, shut func()) *dialogWindow {
	return &dialogWindow{dialog: d, tab: bridge.Tab{Pane: inDialog{d}, App: a, List: command.Dialog}, state: func() session.State { return session.State{} }, shut: shut}
}

// top implements [placed].
func (o *dialogWindow) top() int {
	if at, ok := o.dialog.(interface{ Top() int }); ok {
		return at.Top()
	}
	return -1
}

var _ worker = (*dialogWindow)(nil)

func (o *dialogWindow) size(w, h int) (int, int)    { return o.dialog.Size(w, h) }
func (o *dialogWindow) cursor() (x, y int, ok bool) { return o.tab.Cursor() }
func (o *dialogWindow) scroll(n int)                { o.tab.Scroll(o.w/2, o.h/2, n) }
func (o *dialogWindow) paste(text string)           { o.tab.Paste(text) }

func (o *dialogWindow) key(tea.KeyPressMsg) (*command.Command, bool) { return nil, false }

func (o *dialogWindow) click(x, y int) (*command.Command, bool) { //nolint:unparam // a clicker
	o.tab.Click(x, y)
	return nil, false
}

func (o *dialogWindow) paint(p *paint.Palette, w, h int) []string {
	o.w, o.h = w, h
	return o.tab.Paint(p, paint.NewJSONStyles(p.Theme), w, h, true)
}

// do implements [worker].
func (o *dialogWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	typing, name := o.tab.Typing(), k.String()
	if typing {
		if _, taken := o.tab.Type(k); taken || command.IsText(name) {
			return nil, true
		}
	}
	var own keys.Map
	if mine := own.Lookup(name, o.dialog.Commands()); mine != nil {
		o.tab.Run(mine.ID)
		return nil, true
	}
	switch c, _ := command.Lookup(command.Dialog, name); {
	case c.Context == command.Dialog && c.ID == command.Dismiss:
		if !o.dialog.Motion(keys.Back) {
			o.shut()
		}
	default:
		o.tab.Do(c.ID)
	}
	return nil, true
}

// hints are the keys for the last row of the screen.
func (o *dialogWindow) hints() (hints []paint.Hint) {
	var own keys.Map
	for _, c := range o.dialog.Commands() {
		if c.Footer > 0 && c.Why() == "" {
			hints = append(hints, paint.Hint{Key: own.Name(&c, o.tab.Typing()), Label: c.Label})
		}
	}
	return append(hints, paint.Hint{Key: o.tab.Name(string(command.Dismiss)), Label: "close"})
}

func (o *dialogWindow) refresh(now time.Time, spin int) bool {
	return o.dialog.Refresh(app.Tick{State: o.state(), Now: now, Spin: spin})
}

func (o *dialogWindow) close() {
	if c, ok := o.dialog.(app.Closer); ok {
		c.Close()
	}
}

// The panes that have their commands as values.
func init() {
	command.Adopt(func() []command.Adopted {
		list := append(wirePanes(), []command.Adopted{
			{Context: command.Global, Commands: servers.NewSecond(nil, nil).Own},
			{Context: command.Comparison, Commands: servers.NewVersions(nil, nil).Commands()},
			{Context: command.Compare, Commands: diff.New(nil).Commands()},
			{Context: command.Export, Commands: export.New(nil, nil, export.Options{}).Commands()},
			{Context: command.Start, Commands: start.New(nil, start.Options{}).Own},
			{Context: command.Recordings, Commands: recordingspane.New(nil, recordingspane.Program{}, nil, "").Own},
			{Context: command.Server, Commands: server.New(nil, server.Program{}, nil).Sections()[0].Commands},
			{Context: command.Unauthorized, Commands: server.New(nil, server.Program{}, nil).Sections()[1].Commands},
			{Context: command.Authorize, Commands: server.New(nil, server.Program{}, nil).Sections()[2].Commands},
			{Context: command.Held, Commands: intercept.New(nil, nil).Sections()[0].Commands},
			{Context: command.Intercept, Commands: intercept.New(nil, nil).Sections()[1].Commands},
			{Context: command.HeldText, Commands: intercept.TextCommands()},
			{Context: command.Build, Commands: build.New(nil).Own},
			{Context: command.Tasks, Commands: tasks.New(nil, nil).Own},
			{Context: command.TaskResult, Commands: result.Commands()},
			{Context: command.Pins, Commands: pinspane.New(nil, nil).Own},
			{Context: command.Problems, Commands: problems.New(nil, nil, nil).Own},
		}...)
		for _, s := range composer.New(nil, nil).Sections() {
			list = append(list, command.Adopted{Context: command.Context(s.Name), Commands: s.Commands})
		}
		return list
	})
}
