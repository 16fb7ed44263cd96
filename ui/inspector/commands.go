package inspector

import (
	"slices"

	"mcptea/record/filter"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Commands implements [program.Screen].
func (m *model) Commands() []keys.Command {
	if m.commands == nil {
		m.commands = m.makeCommands()
	}
	return m.commands
}

func (m *model) makeCommands() []keys.Command {
	restart, hold := 82, 0 // ranks: restart continues a recording, hold is for the recording of an active tap
	if rec, recorded := m.session.Recording(); recorded && watches(&rec) {
		hold = 13
	} else if recorded {
		restart = 13
	}
	list := []keys.Command{
		{ID: tabTraffic, Keys: keys.On("9 alt+9"), Label: "traffic", Help: "Show every frame on the wire", Words: "frames wire messages packets network history requests json-rpc", Run: m.showTraffic},
		{ID: "zoom", Keys: keys.On(`\ alt+\`), Label: "zoom", Help: "Zoom this pane to the whole window, and back", Words: "fullscreen maximize large bigger full screen", Footer: 80, Run: func() { m.visit(func() { m.zoom = !m.zoom }) }, Off: m.isWhole},
		{ID: "border.left", Keys: keys.On("<"), Label: "border left", Help: "Move the border beside the focus to the left, or up", Words: "narrower smaller width resize layout split pane divider", Run: func() { m.moveBorder(-borderStep) }},
		{ID: "border.right", Keys: keys.On(">"), Label: "border right", Help: "Move the border beside the focus to the right, or down", Words: "wider larger width resize layout split pane divider bigger column", Run: func() { m.moveBorder(borderStep) }},
		{ID: "border.reset", Keys: keys.On("="), Label: "reset border", Help: "Reset the border beside the focus to fit the content", Words: "width resize layout split equal", Run: func() { m.moveBorder(0) }},
		{ID: "compose", Verb: keys.Compose, Label: "compose", Help: "Write a request, notification or frame by hand", Words: "new raw frame send custom request json-rpc method ping", Run: m.compose},
		{ID: "restart", Verb: keys.Restart, Label: "restart", Now: m.restarts, Help: "Stop the server and connect again; in a recording, continue from the selected frame", Words: "reconnect retry connect continue branch reset reload kill server", Footer: restart, Helps: m.restartHelps, Run: m.restart},
		{ID: "cancel.newest", Verb: keys.End, Label: "cancel", Help: "Cancel the newest pending request, or stop repeated sending", Words: "stop abort", Run: m.cancelNewest},
		{ID: "follow", Verb: keys.Follow, Label: "follow", Help: "Follow the newest frame in Traffic", Words: "tail autoscroll scroll live bottom newest", Run: m.toggleFollow},
		{ID: "markdown", Keys: keys.On("f3"), Label: "Markdown", Help: "Show Markdown as its source, or rendered", Words: "render source text plain", Run: m.toggleMarkdown},
		{ID: "copy.recording-path", Label: "copy recording path", Help: "Copy the path of the recording", Words: "file save export", Run: m.copyRecording},
		{ID: "export", Verb: keys.Export, Label: "export", Help: "Write the session, or some frames, in another format", Words: "save har html markdown curl report share download mock otlp script", Footer: 96, Run: func() { m.export() }},
		{ID: "actions", Label: "session commands", Help: "Show what was done here as commands of mcptea, to copy or to write as a script", Words: "log history cli shell script copy reproduce actions calls", Run: m.showActions},
		{ID: "breakpoint", Verb: keys.Breakpoint, Label: "breakpoint", Help: "Hold the frames that match a filter, to change or drop them", Words: "intercept stop pause hold", Footer: hold, Run: func() { m.intercept.AddBreakpoint() }, Off: func() string { return m.intercept.CannotHold() }},
		{ID: "pins", Verb: keys.Pins, Label: "pins", Help: "Show the pinned calls: state, duration, difference", Words: "snapshots regression tests", Run: m.arrives("the list of pins", m.showPins)},
		m.pulseCommand(),
		m.renameCommand(),
		{ID: "compare.servers", Verb: keys.Servers, Label: "compare servers", Help: "Compare what this server and the server of another session offer", Words: "two builds versions diff", Footer: 30, Run: func() { m.compareServers("", nil) }, Off: m.isAlone},
		{ID: "roots", Keys: keys.On("."), Label: "roots", Help: "Edit the roots that the server may request", Words: "directories folders workspace", Run: func() { dialog.Roots(m.app(), m.session.Roots(), m.session.SetRoots) }, Off: m.hasNoRoots},
	}
	if len(m.lesson.Steps) > 0 {
		list = append(list, m.lessonCommands()...)
	}
	list = append(list, m.namedFilters()...)
	list = append(list, m.userCommands()...)
	for i := range m.tabs {
		list = append(list, m.tabs[i].Command)
	}
	for i := range list { // the user has navigated
		run := list[i].Run
		list[i].Run = func() {
			m.userNavigated = true
			run()
		}
	}
	return slices.Clip(list)
}

// toggleFollow makes the list of frames, which may be hidden, follow the newest frame, or not.
func (m *model) toggleFollow() {
	m.views.traffic.ToggleFollow()
	m.Say(paint.If(m.views.traffic.Following(), "Traffic follows the newest frame.", "Traffic stays at the selected frame."))
}

// hasNoRoots returns the reason why the roots cannot be edited.
func (m *model) hasNoRoots() string {
	if _, recorded := m.session.Recording(); recorded {
		return "A recording has no server that gets roots. " + m.Key("restart") + " continues with a server."
	}
	return ""
}

// isWhole returns the reason why the focused pane cannot be zoomed.
func (m *model) isWhole() string {
	at := *m.layout.region(m.focus)
	list, ok := m.Focused().(app.Listed)
	beside, _ := m.Focused().(app.Neighbored)
	parts := ok && (list.Inside() || beside.Neighbor() != nil)
	return keys.Reason(!m.zoom && !parts && at == m.layout.body(), "This pane already has the whole window.")
}

// namedFilters returns the commands that show the frames of the user's named filters.
func (m *model) namedFilters() (list []keys.Command) {
	for _, d := range m.options.Filters.All() {
		words := "@" + d.Name
		list = append(list, keys.Command{ID: idOfFilter(d.Name), Label: "filter " + words, Help: "Show the frames of " + words + ": " + d.Text, Words: "saved own named traffic", Run: func() {
			if m.views.frames.Filter.Set(words); m.focus != slotTraffic {
				m.showTraffic()
			}
		}})
	}
	return list
}

// toggleMarkdown shows Markdown everywhere as its source, or rendered.
func (m *model) toggleMarkdown() {
	m.Source = !m.Source
	m.Retheme()
	text := "Markdown is rendered."
	if m.Source {
		text = "Markdown is shown as its source."
	}
	m.Say(text)
}

func (m *model) copyRecording() {
	path := m.session.Store().Path()
	if path == "" {
		m.Say("This session is not recorded.")
		return
	}
	m.Copy(path, nil, "path of the recording")
}

// breakpointFor returns the initial filter of a new breakpoint: one that matches the selected frame.
func (m *model) breakpointFor() string {
	if m.inTraffic() {
		if text := filter.Propose(m.session.Store(), m.views.traffic.Selected()); text != "" {
			return text
		}
	}
	return "method:tools/call dir:out"
}
