package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/content"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/intercept"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/servers"
	"mcptea/ui/pane/start"
)

// The commands that lead to the tabs.
const (
	tabServer    = "tab.server"
	tabTools     = "tab.tools"
	tabResources = "tab.resources"
	tabPrompts   = "tab.prompts"
	tabInbox     = "tab.inbox"
	tabLogs      = "tab.logs"
	tabTasks     = "tab.tasks"
	tabProblems  = "tab.problems"
	tabTraffic   = "tab.traffic"
	tabIntercept = "tab.intercept"
	tabBuild     = "tab.build"
)

// tabCommands lead to the tabs, in the order of their numbers.
var tabCommands = []keys.Command{
	{ID: tabServer, Keys: keys.On("1 alt+1"), Label: "server", Help: "Show the connection: steps, capabilities, instructions", Words: "info connect"},
	{ID: tabTools, Keys: keys.On("2 alt+2"), Label: "tools", Help: "Show the tools", Words: "call"},
	{ID: tabResources, Keys: keys.On("3 alt+3"), Label: "resources", Help: "Show the resources and resource templates", Words: "read uri"},
	{ID: tabPrompts, Keys: keys.On("4 alt+4"), Label: "prompts", Help: "Show the prompts"},
	{ID: tabInbox, Keys: keys.On("5 alt+5"), Label: "requests", Help: "Show the requests of the server: sampling, elicitation, roots", Words: "server requests questions inbox"},
	{ID: tabLogs, Keys: keys.On("6 alt+6"), Label: "logs", Help: "Show log messages, stderr and stray output", Words: "stderr messages"},
	{ID: tabTasks, Keys: keys.On("7 alt+7"), Label: "tasks", Help: "Show the tasks", Words: "long-running"},
	{ID: tabProblems, Keys: keys.On("8 alt+8"), Label: "problems", Help: "Show what is wrong: findings of the session, and the probes", Words: "lint errors warnings findings check probes test conformance security"},
	{ID: tabTraffic, Keys: keys.On("9 alt+9"), Label: "traffic", Help: "Show every frame on the wire", Words: "frames wire log"},
	{ID: tabIntercept, Verb: keys.Held, Label: "intercept", Help: "Show the held frames, the breakpoints and the faults", Words: "breakpoints faults held"},
	{ID: tabBuild, Verb: keys.Build, Label: "build", Help: "Show the output of the build that failed (--build)", Words: "compile errors watch"},
}

// commands implements [screen].
func (m *model) commands() []keys.Command {
	if m.own == nil {
		m.own = m.makeCommands()
	}
	return m.own
}

func (m *model) makeCommands() []keys.Command {
	list := []keys.Command{
		{ID: "zoom", Keys: keys.On(`\ alt+\`), Label: "zoom", Help: "Give the whole window to this pane, and back", Words: "fullscreen maximize large", Footer: 80, Run: func() { m.zoom = !m.zoom }},
		{ID: "compose", Verb: keys.Compose, Label: "compose", Help: "Write a request, notification or frame by hand", Words: "new raw frame send", Footer: 20, Run: m.compose},
		{ID: "restart", Verb: keys.Restart, Label: "restart", Help: "Stop the server and connect again", Words: "reconnect retry connect", Footer: 82, Run: m.restart},
		{ID: "cancel.newest", Verb: keys.End, Label: "cancel", Help: "Cancel the newest pending request", Words: "stop abort", Run: m.cancelNewest},
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Follow the newest frame in Traffic", Words: "tail", Run: func() { m.wire.traffic.ToggleFollow() }},
		{ID: "markdown", Keys: keys.On("f3"), Label: "Markdown", Help: "Show Markdown as its source, or rendered", Words: "render source text plain", Run: m.toggleMarkdown},
		{ID: "copy.recording-path", Label: "copy recording path", Help: "Copy the path of the recording", Words: "file save export", Run: m.copyRecording},
		{ID: "export", Verb: keys.Export, Label: "export", Help: "Write the session, or some frames, in another format", Words: "save har html markdown curl report", Footer: 96, Run: func() { m.export() }},
		{ID: "breakpoint", Verb: keys.Breakpoint, Label: "breakpoint", Help: "Hold the frames that match a filter, to change or drop them", Words: "intercept stop pause hold", Run: func() { m.intercept.AddBreakpoint() }},
		{ID: "compare.revisions", Label: "compare versions", Help: "Connect with each protocol version and show what differs", Words: "revisions era", Run: func() { servers.CompareVersions(m.app(), m.session) }},
		{ID: "pins", Verb: keys.Pins, Label: "pins", Help: "Show the pinned calls: state, duration, difference", Words: "snapshots regression tests", Run: m.showPins},
		{ID: "roots", Label: "roots", Help: "Edit the roots that the server may ask for", Words: "directories folders", Run: func() { dialog.Roots(m.app(), m.session.Roots(), m.session.SetRoots) }},
	}
	second := m.second
	if second == nil {
		second = servers.NewSecond(nil, nil)
	}
	list = append(list, second.Own...)
	for _, c := range tabCommands {
		c.Run = func() { m.showTab(c.ID) }
		list = append(list, c)
	}
	for i := range list { // the user has gone somewhere
		run := list[i].Run
		list[i].Run = func() {
			m.userNavigated = true
			run()
		}
	}
	return slices.Clip(list)
}

// askPage asks before a page is opened that a server has named.
func (m *model) askPage(url, from string) {
	dialog.Consent{
		Title: "Open this page?", Facts: []dialog.Fact{{Label: "from", Text: from}, {Label: "opens in", Text: "your browser"}},
		Name: "address", Lines: []string{url}, Blanks: true, Yes: "open", No: "do not open",
		Accept: func() { m.OpenPage(url) },
	}.Open(m.app())
}

// largeFrame is the size, in bytes, from which on a frame is read outside of Update.
const largeFrame = 256 << 10

// reconnecting is said until the connection is there, or has failed.
const reconnecting = "Reconnecting"

func (m *model) openDetail() {
	m.frameOpen = true
	m.relayout()
	if !m.layout.detail.empty() && !m.layout.traffic.empty() {
		m.setFocus(partDetail)
	}
}

// quit implements [screen]. It ends the program, after a question while requests are
// pending. ctrl+c twice ends it without one.
func (m *model) quit(interrupt bool) {
	// The lists that the program fetches by itself do not count.
	waiting := m.session.Running()
	if waiting == 0 {
		m.do(tea.Quit)
		return
	}
	dialog.Consent{
		Title: "Quit?", Facts: []dialog.Fact{{Label: "pending", Text: lostByQuitting(waiting, m.session.Target())}}, Yes: "quit", No: "cancel",
		Accept: func() { m.do(tea.Quit) }, Interrupt: interrupt,
	}.Open(m.app())
}

// lostByQuitting says what the end of the program means for pending requests.
func lostByQuitting(waiting int, target client.Target) string {
	text := "1 request is pending."
	if waiting > 1 {
		text = paint.HumanCount(waiting) + " requests are pending."
	}
	if target.URL != "" {
		return text + " The connection will be closed; the server goes on."
	}
	return text + " The server will be stopped."
}

// toggleMarkdown shows Markdown everywhere as its source, or rendered.
func (m *model) toggleMarkdown() {
	m.source = !m.source
	m.retheme()
	text := "Markdown is rendered."
	if m.source {
		text = "Markdown is shown as its source."
	}
	m.Say(text)
}

func (m *model) copyRecording() {
	path := m.session.Store().Path()
	if path == "" {
		m.Say("nothing is being recorded")
		return
	}
	m.Copy(path, nil, "path of the recording")
}

func idOf(f store.Flow) jsonrpc.ID { return jsonrpc.ID(f.ID) }

// paneApp is the inspector as one of its panes sees it, or as its windows do.
type paneApp struct {
	*model
	tab string // of the pane; empty for a window
}

// of is the inspector as the pane of a tab sees it.
func (m *model) of(tab string) app.App { return paneApp{m, tab} }

// app is the inspector as its windows see it.
func (m *model) app() app.App { return m.of("") }

// News implements [app.Program].
func (a paneApp) News(text string) { a.news(text, a.tab) }

// ShowFrame implements [app.App].
func (m *model) ShowFrame(row int32) { m.selectFrame(row) }

// ShowPlace implements [app.App].
func (m *model) ShowPlace(row int32, path string, offset int) {
	m.zoom, m.frameOpen = false, true
	m.selectFrame(row)
	m.relayout()
	m.wire.detail.Show(row)
	m.wire.detail.Point(path, offset)
}

// MarkFrame implements [app.App].
func (m *model) MarkFrame(row int32) { m.wire.frames.Mark(row) }

// ShowTab implements [app.App].
func (m *model) ShowTab(name string) { m.showTab(name) }

// Compose implements [app.App].
func (m *model) Compose(method, params string) {
	m.compose()
	m.composer.Compose(method, params)
}

// ComposeFrame implements [app.App].
func (m *model) ComposeFrame(frame []byte) {
	m.compose()
	m.composer.ComposeFrame(frame)
}

// Use implements [app.App].
func (m *model) Use(how app.Use, items []content.Item, likely int, to app.Receiver) {
	m.useContent(how, items, likely, to)
}

// Follow implements [app.App].
func (m *model) Follow(links []content.Item, to app.Receiver) { m.followLink(links, to) }

// Online implements [app.App].
func (m *model) Online(what string, do func()) { m.online(what, Draft{}, do) }

// OnlineRequest implements [app.App].
func (m *model) OnlineRequest(method string, params []byte, do func()) {
	m.online("Send "+method, Draft{Method: method, Params: params}, do)
}

// OnlineFrame implements [app.App].
func (m *model) OnlineFrame(frame []byte, do func()) {
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
		m.OnlineRequest(e.MethodName(frame), e.Params.Of(frame), do)
		return
	}
	m.online("Send a frame", Draft{Frame: frame}, do)
}

// restart stops the server and connects again.
func (m *model) restart() {
	m.Online("Connect", func() {
		if m.options.Reload == nil {
			m.Say(reconnecting)
		}
		m.do(m.reconnect())
	})
}

// diffRows compares two frames.
func (m *model) diffRows(old, now int32) { diff.Open(m.app(), diff.Comparing, m.frames(old, now)) }

// sections are all commands of the program, by the places that can have the focus, for
// docs/keys.md and for the keys of the user: those of an inspector without a server, of the
// other screens and of the windows.
func sections() (all []keys.Section, err error) {
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		return nil, err
	}
	m, stop := newModel(context.Background(), s, Options{Themes: &themes.Catalog{}})
	stop()
	m.stop()
	in := func(name string, list []keys.Command) { all = append(all, keys.Section{Name: name, Commands: list}) }
	in(everywhereName, slices.Concat(m.everywhere(), m.commands(), m.ends()[:len(keys.Motions)]))
	for _, at := range m.places() {
		for _, s := range at.Sections() { // three lists have the same
			if !slices.ContainsFunc(all, func(other keys.Section) bool { return other.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	in("text of a held frame", intercept.TextCommands())
	in("compare", diff.New(nil).Commands())
	in("comparison of versions", servers.NewVersions(nil, nil).Commands())
	in("export", export.New(nil, nil, export.Options{}).Commands())
	in("question", dialog.Questions())
	in("window", (&palette{p: m.program}).commands())
	in("filter text", []keys.Command{keys.Apply, keys.Clear})
	all = append(all, start.New(nil, start.Options{}).Sections()...)
	return append(all, recordingspane.New(nil, recordingspane.Program{}, nil, "").Sections()...), s.Close(m.ctx)
}
