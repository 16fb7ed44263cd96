// Package bridge has panes of the new design work in the present program: commands as
// values become entries of its table, and calls of the program its actions. It goes when
// the last pane has moved.
package bridge

import (
	"context"
	"os"
	"runtime"
	"sync"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/session/failure/card"
	"mcptea/session/shell"
	"mcptea/ui/action"
	"mcptea/ui/app"
	"mcptea/ui/command"
)

// App carries out what a pane asks for. Its commands wait in Queue until Update ends.
type App struct {
	Ctx      context.Context
	Act      func(action.Action) tea.Cmd
	Announce func(news string)
	Named    func(id string) string                 // the key of a command
	Offers   func(what string, d action.Draft) bool // asks for a server where a recording has none
	Edit     func(text, suffix string, done func(text string)) tea.Cmd
	Queue    *[]tea.Cmd
	Work     *sync.WaitGroup // what Go has started
	Show     func(app.Dialog)
	Hide     func(app.Dialog) bool

	UseContent  func(how app.Use, items []content.Item, likely int, to app.Receiver)
	FollowLinks func(links []content.Item, to app.Receiver)
}

// Done is the message of work that has ended.
type Done func()

// Do carries out an action of the program.
func (a *App) Do(x action.Action) { *a.Queue = append(*a.Queue, a.Act(x)) }

// Key implements [app.App].
func (a *App) Key(id string) string { return a.Named(id) }

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
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
		a.OnlineRequest(e.MethodName(frame), e.Params.Of(frame), do)
	} else if !a.Offers("Send a frame", action.Draft{Frame: frame}) {
		do()
	}
}

// OnlineRequest implements [app.App].
func (a *App) OnlineRequest(method string, params []byte, do func()) {
	if !a.Offers("Send "+method, action.Draft{Method: method, Params: params}) {
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
	a.UseContent(how, items, likely, to)
}

// Follow implements [app.App].
func (a *App) Follow(links []content.Item, to app.Receiver) { a.FollowLinks(links, to) }

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
