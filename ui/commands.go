package ui

import (
	"slices"

	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/pane/servers"
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
		{ID: "restart", Verb: keys.Restart, Label: "restart", Help: "Stop the server and connect again", Words: "reconnect retry connect", Footer: 82, Run: func() { m.restart() }},
		{ID: "cancel.newest", Verb: keys.End, Label: "cancel", Help: "Cancel the newest pending request", Words: "stop abort", Run: func() { m.cancelNewest() }},
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Follow the newest frame in Traffic", Words: "tail", Run: func() { m.wire.traffic.ToggleFollow() }},
		{ID: "markdown", Keys: keys.On("f3"), Label: "Markdown", Help: "Show Markdown as its source, or rendered", Words: "render source text plain", Run: m.toggleMarkdown},
		{ID: "copy.recording-path", Label: "copy recording path", Help: "Copy the path of the recording", Words: "file save export", Run: func() { m.copyRecording() }},
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
