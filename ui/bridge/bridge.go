// Package bridge has panes of the new design work in the present program: commands as
// values become entries of its table, and calls of the program its actions. It goes when
// the last pane has moved.
package bridge

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/content"
	"mcptea/session/failure/card"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/app"
	"mcptea/ui/command"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// App carries out what a pane asks for. Its commands wait in Queue until Update ends.
type App struct {
	Ctx      context.Context
	Act      func(action.Action) tea.Cmd
	Announce func(news string)
	Offers   func(what string, d action.Draft) bool // asks for a server where a recording has none
	Edit     func(text, suffix string, done func(text string)) tea.Cmd
	Queue    *[]tea.Cmd
	Work     *sync.WaitGroup // what Go has started
	Show     func(app.Dialog)
	Hide     func(app.Dialog) bool

	receivers []app.Receiver // the newest
	dropped   int            // receivers before those
}

// maxReceivers is for how many receivers content can be under way at a time.
const maxReceivers = 64

// Done is the message of work that has ended.
type Done func()

// Do carries out an action of the program.
func (a *App) Do(x action.Action) { *a.Queue = append(*a.Queue, a.Act(x)) }

// Key implements [app.App].
func (a *App) Key(id string) string { return command.KeyOf(command.ID(id)) }

// Say implements [app.App].
func (a *App) Say(text string) { a.Do(action.Flash{Text: text}) }

// Fail implements [app.App].
func (a *App) Fail(text string) { a.Do(action.Flash{Text: text, Wrong: true}) }

// News implements [app.App].
func (a *App) News(text string) { a.Announce(text) }

// Copy implements [app.App].
func (a *App) Copy(text string, raw []byte, what string) {
	a.Do(action.Copy{Text: text, Bytes: raw, What: what})
}

// ShowFrame implements [app.App].
func (a *App) ShowFrame(row int32) { a.Do(action.SelectFrame{Row: row}) }

// MarkFrame implements [app.App].
func (a *App) MarkFrame(row int32) { a.Do(action.MarkFrame{Row: row}) }

// ShowTab implements [app.App].
func (a *App) ShowTab(name string) { a.Do(action.ShowTab{Tab: command.ID(name)}) }

// OpenSource implements [app.App].
func (a *App) OpenSource(path string, line int) { a.Do(action.OpenFile{Path: path, Line: line}) }

// OpenPage implements [app.App].
func (a *App) OpenPage(url string) { a.Do(action.OpenPage{URL: url}) }

// CopyCommand implements [app.App].
func (a *App) CopyCommand(line *shell.Line) {
	text, err := line.For(shell.Of(os.Getenv("SHELL"), runtime.GOOS))
	if err != nil {
		a.Fail("No command for this: " + err.Error() + ".")
		return
	}
	a.Do(action.Copy{Text: text, What: "command", Needs: line.Variables()})
}

// Explain implements [app.App].
func (a *App) Explain(c card.Card) { a.Do(action.Explain{Card: c}) }

// Online implements [app.App].
func (a *App) Online(what string, do func()) {
	if !a.Offers(what, action.Draft{}) {
		do()
	}
}

// OnlineFrame implements [app.App].
func (a *App) OnlineFrame(frame []byte, do func()) {
	what, d := "Send a frame", action.Draft{Frame: frame}
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
		what, d = "Send "+e.MethodName(frame), action.Draft{Method: e.MethodName(frame), Params: e.Params.Of(frame)}
	}
	if !a.Offers(what, d) {
		do()
	}
}

// EditText implements [app.App].
func (a *App) EditText(text, suffix string, done func(text string)) {
	*a.Queue = append(*a.Queue, a.Edit(text, suffix, done))
}

// Compose implements [app.App].
func (a *App) Compose(method, params string) { a.Do(action.Compose{Method: method, Params: params}) }

// ComposeFrame implements [app.App].
func (a *App) ComposeFrame(frame []byte) { a.Do(action.ComposeFrame{Frame: frame}) }

// ShowPlace implements [app.App].
func (a *App) ShowPlace(row int32, path string, offset int) {
	a.Do(action.SelectPlace{Row: row, Path: path, Offset: offset})
}

// Use implements [app.App].
func (a *App) Use(how app.Use, items []content.Item, likely int, to app.Receiver) {
	a.Do(action.UseContent{How: action.Use(how), Items: items, Likely: likely, Ref: a.ref(to)})
}

// Follow implements [app.App].
func (a *App) Follow(links []content.Item, to app.Receiver) {
	a.Do(action.FollowLink{Links: links, Ref: a.ref(to)})
}

// Open implements [app.App].
func (a *App) Open(d app.Dialog) { a.Show(d) }

// Close implements [app.App].
func (a *App) Close(d app.Dialog) bool { return a.Hide(d) }

// Go implements [app.App].
func (a *App) Go(work func(context.Context) func()) {
	if a.Work == nil {
		a.Work = new(sync.WaitGroup)
	}
	a.Work.Add(1)
	*a.Queue = append(*a.Queue, func() tea.Msg {
		defer a.Work.Done()
		return Done(work(a.Ctx))
	})
}

// ref is the reference of a receiver in actions and events.
func (a *App) ref(to app.Receiver) string {
	i := slices.Index(a.receivers, to)
	if i < 0 {
		if len(a.receivers) == maxReceivers {
			a.receivers = slices.Delete(a.receivers, 0, 1)
			a.dropped++
		}
		i = len(a.receivers)
		a.receivers = append(a.receivers, to)
	}
	return refPrefix + strconv.Itoa(a.dropped+i)
}

const refPrefix = "bridge "

// receiver is the one of a reference; nil if the reference is of something else, or of a
// receiver that was dropped.
func (a *App) receiver(ref string) app.Receiver {
	number, ok := strings.CutPrefix(ref, refPrefix)
	n, err := strconv.Atoi(number)
	if n -= a.dropped; !ok || err != nil || n < 0 || n >= len(a.receivers) {
		return nil
	}
	return a.receivers[n]
}

// Pane is a pane that can be a tab.
type Pane interface {
	app.Pane
	Inside() bool // its detail has the focus
	Badge() string
}

// Tab is a pane as a tab of the present program.
type Tab struct {
	Pane
	*App
	List, Detail command.Context // of its commands

	screen app.Screen
	busy   bool
}

// Context implements the contract of panes: that of the program while nothing works.
func (t *Tab) Context() command.Context {
	if s, ok := t.Pane.(interface{ Section() string }); ok {
		return command.Context(s.Section())
	}
	if t.Inside() {
		return t.Detail
	}
	for _, c := range t.Commands() {
		if c.Why() == "" {
			return t.List
		}
	}
	return command.Global
}

// Works reports whether the last line names a command.
func (t *Tab) Works(id command.ID) bool {
	c := t.find(string(id))
	return c == nil || c.Why() == ""
}

func (t *Tab) find(id string) *keys.Command {
	list := t.Commands()
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

// Name and Run implement [keys.Names].
func (t *Tab) Name(id string) string { return command.KeyIn(t.List, command.ID(id), t.Typing()) }

// Run runs a command, or says why it does nothing.
func (t *Tab) Run(id string) {
	switch c := t.find(id); {
	case c == nil:
	case c.Why() != "":
		t.Say(c.Why())
	default:
		c.Run()
	}
}

// Do implements the contract of panes.
func (t *Tab) Do(id command.ID) action.Action {
	m, moves := command.MotionOf(id)
	switch {
	case !moves:
		t.Run(string(id))
	case !t.Motion(m) && m >= keys.Back:
		return action.Leave{Forward: m == keys.Next}
	}
	return nil
}

// Typing implements the contract of panes.
func (t *Tab) Typing() bool { return t.screen.Field() != nil }

// Type implements the contract of panes.
func (t *Tab) Type(k tea.KeyPressMsg) (action.Action, bool) {
	f := t.screen.Field()
	if line, ok := f.(app.Line); ok {
		ends := command.FilterKeys()
		if keep := key.Matches(k, ends.Apply); keep || key.Matches(k, ends.Clear) {
			line.End(keep)
			return nil, true
		}
	}
	return nil, f != nil && f.Key(k)
}

// Paste implements the contract of panes.
func (t *Tab) Paste(text string) {
	if f := t.screen.Field(); f != nil {
		f.Paste(text)
	}
}

// Cursor implements the contract of panes.
func (t *Tab) Cursor() (x, y int, ok bool) { return t.screen.Cursor() }

// Click implements the contract of panes.
func (t *Tab) Click(x, y int) action.Action { t.screen.Click(x, y); return nil }

// Scroll implements the contract of panes.
func (t *Tab) Scroll(x, y, n int) { t.screen.Wheel(x, y, n) }

// Busy implements the contract of panes.
func (t *Tab) Busy() bool { return t.busy }

// Paint implements the contract of panes.
func (t *Tab) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	t.screen.Pal, t.screen.JS, t.screen.Names = pal, js, t
	return t.screen.Paint(t.Pane, w, h, focused)
}

// Refresh implements the contract of panes.
func (t *Tab) Refresh(st session.State, _ []store.Flow, now time.Time, spin int) {
	t.busy = t.Pane.Refresh(app.Tick{State: st, Now: now, Spin: spin})
}

// Handle hands what comes of content on to what has asked for it.
func (t *Tab) Handle(e action.Event) {
	switch e := e.(type) {
	case action.Piping:
		if to := t.receiver(e.Ref); to != nil {
			to.PushCommand(e.Line, e.Output, e.Stop)
		}
	case action.Started:
		if to := t.receiver(e.Ref); to != nil {
			to.PushCall(e.Call)
		}
	}
}
