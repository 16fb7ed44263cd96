package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/intercept"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/servers"
	"mcptea/ui/pane/start"
	"mcptea/ui/severity"
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
	tabBranch    = "tab.branch"
	tabApps      = "tab.apps"
)

// registry lists the tabs, in the order of their numbers; those that are seldom there have
// a letter.
func (m *model) registry(logs app.Part) []tab {
	to := func(id, key, label, help, words string) keys.Command {
		c := keys.Command{ID: id, Label: label, Help: help, Words: words, Run: func() { m.ShowTab(id) }}
		if c.Verb = keys.Verb(key); key[0] <= '9' {
			c.Verb, c.Keys = "", []string{key, "alt+" + key}
		}
		return c
	}
	tools, resources, prompts := m.offers()
	return []tab{
		{to(tabServer, "1", "server", "Show the connection: steps, capabilities, instructions", "info connect"), "Server", "Srv", m.server, true, nil},
		{to(tabTools, "2", "tools", "Show the tools", "call"), "Tools", "Tools", tools, false, nil},
		{to(tabResources, "3", "resources", "Show the resources and resource templates", "read uri"), "Resources", "Res", resources, false, nil},
		{to(tabPrompts, "4", "prompts", "Show the prompts", ""), "Prompts", "Prompts", prompts, false, nil},
		{to(tabInbox, "5", "requests", "Show the requests of the server: sampling, elicitation, roots", "server requests questions inbox"), "Requests", "Req", m.inbox, true, func(p *paint.Palette) paint.Style { return p.AskedBold }},
		{to(tabLogs, "6", "logs", "Show log messages, stderr and stray output", "stderr messages"), "Logs", "Logs", logs, false, nil},
		{to(tabTasks, "7", "tasks", "Show the tasks", "long-running"), "Tasks", "Tasks", m.tasks, true, nil},
		{to(tabProblems, "8", "problems", "Show what is wrong: findings of the session, and the probes", "lint errors warnings findings check probes test conformance security"), "Problems", "Prob", m.problems, true, m.worst},
		{to(tabIntercept, string(keys.Held), "intercept", "Show the held frames, the breakpoints and the faults", "breakpoints faults held"), "Intercept", "Held", m.intercept, true, func(p *paint.Palette) paint.Style { return p.WarnBold }},
		{to(tabBuild, string(keys.Build), "build", "Show the output of the build that failed (--build)", "compile errors watch"), "Build", "Build", m.build, true, func(p *paint.Palette) paint.Style { return p.ErrorBold }},
		{to(tabBranch, string(keys.Origin), "branch", "Show what was sent again from the recording that this session goes on from", "recording continue replay differences"), "Branch", "Branch", m.branch, true, func(p *paint.Palette) paint.Style { return p.WarnBold }},
		{to(tabApps, string(keys.Apps), "apps", "Show the apps that are open in the browser: settings of the host, messages on purpose", "mcp ui theme size locale browser widget"), "Apps", "Apps", m.apps, true, func(p *paint.Palette) paint.Style { return p.AskedBold }},
	}
}

// worst is the style of the number of problems.
func (m *model) worst(p *paint.Palette) paint.Style {
	_, worst := m.problems.Total()
	return severity.Style(p, worst)
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
		{ID: tabTraffic, Keys: keys.On("9 alt+9"), Label: "traffic", Help: "Show every frame on the wire", Words: "frames wire log", Run: m.showTraffic},
		{ID: "zoom", Keys: keys.On(`\ alt+\`), Label: "zoom", Help: "Give the whole window to this pane, and back", Words: "fullscreen maximize large", Footer: 80, Run: func() { m.visit(func() { m.zoom = !m.zoom }) }},
		{ID: "compose", Verb: keys.Compose, Label: "compose", Help: "Write a request, notification or frame by hand", Words: "new raw frame send", Footer: 20, Run: m.compose},
		{ID: "restart", Verb: keys.Restart, Label: "restart", Help: "Stop the server and connect again; in a recording, go on from the selected frame", Words: "reconnect retry connect continue branch", Footer: 82, Run: m.restart},
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
	list = append(list, m.second.Own...)
	for i := range m.tabs {
		list = append(list, m.tabs[i].Command)
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

// openDetail shows the selected frame in full.
func (m *model) openDetail() {
	m.visit(func() {
		m.frameOpen = true
		m.relayout()
		if !m.layout.detail.empty() && !m.layout.traffic.empty() {
			m.setFocus(partDetail)
		}
	})
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

// ShowPlace implements [app.App].
func (m *model) ShowPlace(row int32, path string, offset int) {
	m.turn(func() {
		m.visit(func() {
			m.zoom, m.frameOpen = false, true
			m.ShowFrame(row)
			m.relayout()
		})
		m.wire.detail.Show(row)
		m.wire.detail.Point(path, offset)
	})
}

// MarkFrame implements [app.App].
func (m *model) MarkFrame(row int32) { m.wire.frames.Mark(row) }

// Compose implements [app.App].
func (m *model) Compose(method, params string) {
	m.turn(func() {
		m.compose()
		m.composer.Compose(method, params)
	})
}

// ComposeFrame implements [app.App].
func (m *model) ComposeFrame(frame []byte) {
	m.turn(func() {
		m.compose()
		m.composer.ComposeFrame(frame)
	})
}

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
	if rec, recorded := m.session.Recording(); recorded {
		m.continueRecording(&rec)
		return
	}
	if b := m.options.Branch; b != nil {
		m.branchAgain(b.Until)
		return
	}
	m.Online("Connect", func() {
		if m.options.Reload == nil {
			m.Say(reconnecting)
		}
		m.do(m.reconnect())
	})
}

// diffRows compares two frames.
func (m *model) diffRows(old, now int32) {
	f := diff.Frames{
		Session: m.session, Pin: m.pins.Find, Export: m.export,
		Accept: func(pin string, row int32) { m.pinned.Accept(row, pin) },
	}
	diff.Open(m.app(), diff.Comparing, func(context.Context) (diff.Subject, error) { return f.Subject(old, now) })
}

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
	in(everywhereName, slices.Concat(m.everywhere(), m.commands(), m.motions()))
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
	in("tools as a model sees them", browse.NewModelView(nil, "", nil).Commands())
	in("export", export.New(nil, nil, export.Options{}).Commands())
	in("question", dialog.Questions())
	in("window", (&palette{p: m.program}).commands())
	in("filter text", []keys.Command{keys.Apply, keys.Clear})
	all = append(all, start.New(nil, start.Options{}).Sections()...)
	return append(all, recordingspane.New(nil, recordingspane.Program{}, nil, "").Sections()...), s.Close(m.ctx)
}
