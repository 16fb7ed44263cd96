package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/pane/servers"
)

// focused is the pane that the keys go to.
func (m *model) focused() region {
	switch m.focus {
	case action.RegionPins:
		return m.pinRegion
	case action.RegionTraffic:
		if m.detailOnly() {
			return m.wire.frame
		}
		return m.wire.views[m.shownView()]
	case action.RegionDetail:
		return m.wire.frame
	case action.RegionComposer:
		return m.composing
	}
	return m.tabs[m.activeTab].pane
}

// inTraffic reports whether the keys go to the traffic or to a frame of it.
func (m *model) inTraffic() bool {
	return m.focus == action.RegionTraffic || m.focus == action.RegionDetail
}

// detailOnly reports whether a small screen shows the frame in the place of the
// traffic.
func (m *model) detailOnly() bool {
	return m.frameOpen && m.layout.traffic.empty() && !m.layout.detail.empty()
}

// tooSmallToUse reports that the terminal has no room: nothing is in sight that could take
// a key, a click or a text.
func (m *model) tooSmallToUse() bool { return m.layout.header.empty() && m.w > 0 }

// key sends a key where it belongs: to the overlay, to the text that is being
// typed, or to the command that the table names.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	interrupt, _ := command.Named(command.Interrupt)
	if m.tooSmallToUse() {
		if quit, _ := command.Named(command.Quit); key.Matches(k, quit.Binding, interrupt.Binding) {
			return tea.Quit
		}
		return nil
	}
	if m.overlay != nil {
		return m.overlayKey(k)
	}
	f := m.focused()
	if f.Typing() && !key.Matches(k, interrupt.Binding) {
		if a, taken := f.Type(k); taken || a != nil {
			return m.act(a)
		}
		if len(k.Text) > 0 || command.IsText(name) {
			return nil // text, or an operation on it, is never a command
		}
	}
	cmd, ok := command.Lookup(f.Context(), name)
	if !ok {
		return nil
	}
	return m.run(cmd)
}

// run carries out a command, whether a key, the palette or the mouse named it.
func (m *model) run(cmd command.Command) tea.Cmd {
	if cmd.ID == command.ToggleMarkdown {
		m.toggleMarkdown()
		return nil
	}
	if cmd.Context != command.Global {
		return m.act(m.focused().Do(cmd.ID))
	}
	if cmd.ID != command.Quit && cmd.ID != command.Interrupt {
		m.userNavigated = true
	}
	for _, t := range m.tabs {
		if t.command == cmd.ID {
			return m.showTab(cmd.ID)
		}
	}
	switch cmd.ID {
	case command.Quit, command.Interrupt:
		return m.quit(cmd.ID == command.Interrupt)
	case command.Suspend:
		return tea.Suspend
	case command.Help, command.Palette:
		o := newCommandWindow(m.focused().Context())
		o.placeFor = m.placeFor
		m.overlay = o
	case command.NextPane:
		if m.focus != action.RegionComposer || !m.composer.Motion(keys.Next) {
			m.cycle(1)
		}
	case command.PreviousPane:
		if m.focus != action.RegionComposer || !m.composer.Motion(keys.Previous) {
			m.cycle(-1)
		}
	case command.Zoom:
		m.zoom = !m.zoom
	case command.Compose:
		m.compose()
	case command.Restart:
		return m.act(action.Restart{})
	case command.CompareRevisions:
		servers.CompareVersions(m.app(), m.session)
	case command.TabTraffic:
		if m.focus == action.RegionTraffic {
			m.showList()
		}
		m.setFocus(action.RegionTraffic)
	case command.Follow:
		m.wire.traffic.ToggleFollow()
	case command.CancelNewest:
		return m.cancelNewest()
	case command.NextTheme:
		m.say(action.Flash{Text: "theme " + m.nextTheme(&m.options)})
	case command.ShowPins:
		m.showPins()
	case command.EditRoots:
		dialog.Roots(m.app(), m.session.Roots(), m.session.SetRoots)
	case command.AddBreakpoint:
		m.intercept.AddBreakpoint()
	case command.ExportFrames:
		m.export()
	case command.CopyRecordingPath:
		return m.copyRecording()
	default:
		for i := range m.second.Own {
			if c := &m.second.Own[i]; c.ID != string(cmd.ID) {
				continue
			} else if why := c.Why(); why != "" {
				m.say(action.Flash{Text: why})
				return nil
			} else {
				c.Run()
				return nil
			}
		}
		return m.act(m.focused().Do(cmd.ID))
	}
	return nil
}

func (m *model) toTab(i int) tea.Cmd {
	m.activeTab = i
	m.zoom, m.frameOpen = false, false
	m.setFocus(action.RegionTab)
	return nil
}

func (m *model) setFocus(r action.Region) {
	if m.focus != action.RegionComposer {
		m.previousFocus = m.focus
	}
	if r == action.RegionTab {
		m.showList()
	}
	m.focus = r
	m.relayout()
}

// cycle moves the focus to the next pane on the screen.
func (m *model) cycle(step int) {
	order := []action.Region{action.RegionTab, action.RegionPins, action.RegionTraffic, action.RegionDetail, action.RegionComposer}
	at := 0
	for i, r := range order {
		if r == m.focus {
			at = i
		}
	}
	for range order {
		at = (at + step + len(order)) % len(order)
		if m.reachable(order[at]) {
			m.setFocus(order[at])
			return
		}
	}
}

// reachable reports whether the tab key stops at a pane. The tab and the traffic
// are always reachable, also where only one of them fits.
func (m *model) reachable(r action.Region) bool {
	switch r {
	case action.RegionComposer:
		return m.composerOpen
	case action.RegionDetail:
		return !m.layout.detail.empty() && !m.detailOnly()
	case action.RegionPins:
		return !m.layout.pins.empty()
	case action.RegionTab:
		return !m.frameOpen
	}
	return true
}

func (m *model) compose() {
	m.composerOpen = true
	m.setFocus(action.RegionComposer)
}

// leave goes one step back from a pane that has nothing to close itself.
func (m *model) leave(l action.Leave) {
	if l.Forward {
		m.cycle(1)
		return
	}
	switch {
	case m.zoom:
		m.zoom = false
	case m.wire.view != frames.List && m.focus == action.RegionDetail:
		m.frameOpen = false
		m.setFocus(action.RegionTraffic)
	case m.wire.view != frames.List && m.focus == action.RegionTraffic:
		m.showList()
	case m.focus == action.RegionPins:
		m.setFocus(action.RegionTab)
	case m.focus == action.RegionComposer:
		m.composerOpen = !m.composer.Empty() && m.composer.Working()
		m.setFocus(m.previousFocus)
	case m.frameOpen && (m.focus == action.RegionDetail || m.detailOnly()):
		// First back to the list, then out of the large view.
		if m.focus == action.RegionDetail && !m.layout.traffic.empty() {
			m.setFocus(action.RegionTraffic)
			return
		}
		m.frameOpen = false
		m.setFocus(action.RegionTraffic)
	case m.frameOpen:
		m.frameOpen = false
		m.relayout()
	case m.focus == action.RegionDetail:
		m.setFocus(action.RegionTraffic)
	case m.focus == action.RegionTraffic:
		m.setFocus(action.RegionTab)
	case m.composerOpen && m.composer.Empty():
		m.composerOpen = false
		m.relayout()
	}
}

// paste goes to the text that is being typed. Where nothing is, a pasted frame
// is meant for the composer.
func (m *model) paste(text string) {
	if m.tooSmallToUse() {
		return
	}
	if m.overlay != nil {
		if p, ok := m.overlay.(paster); ok {
			p.paste(text)
		}
		return
	}
	if f := m.focused(); f.Typing() {
		f.Paste(text)
		return
	} else if m.focus == action.RegionTab && m.activeTab == 0 && m.server.Consents() {
		m.pasteAnswer(text)
		return
	}
	m.compose()
	m.composer.PasteFrame(text)
}

func (m *model) cancelNewest() tea.Cmd {
	running := m.tasks.Running()
	for i := len(m.pending) - 1; i >= 0; i-- {
		f := m.pending[i]
		if n := len(running); n > 0 && running[n-1].FirstSeen.After(f.Start) {
			break // that one is newer
		}
		if f.Dir == 0 && !isTaskPoll(f) {
			return m.act(action.Cancel{ID: idOf(f)})
		}
	}
	if n := len(running); n > 0 {
		return m.cancelTask(running[n-1].ID)
	}
	return m.act(action.Flash{Text: "No request is pending."})
}

// click focuses what is under the mouse and hands the click on.
func (m *model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.tooSmallToUse() {
		return nil
	}
	if m.overlay != nil {
		return m.overlayClick(at.X, at.Y)
	}
	m.userNavigated = true
	l := m.layout
	x, y := at.X, at.Y
	switch {
	case l.tabs.has(x, y):
		switch i := m.tabAt(x); {
		case i == len(m.tabs):
			m.showList()
			m.setFocus(action.RegionTraffic)
		case i >= 0:
			return m.toTab(i)
		}
	case l.tab.has(x, y):
		m.setFocus(action.RegionTab)
		return m.act(m.tabs[m.activeTab].pane.Click(x-l.tab.x, y-l.tab.y))
	case l.pins.has(x, y):
		m.setFocus(action.RegionPins)
		return m.act(m.pinRegion.Click(x-l.pins.x, y-l.pins.y))
	case l.traffic.has(x, y):
		if m.focus != action.RegionTraffic {
			m.showList() // what was clicked is the list
		}
		m.setFocus(action.RegionTraffic)
		return m.act(m.wire.views[m.shownView()].Click(x-l.traffic.x, y-l.traffic.y))
	case l.detail.has(x, y):
		if !m.detailOnly() {
			m.setFocus(action.RegionDetail)
		}
		return m.act(m.wire.frame.Click(x-l.detail.x, y-l.detail.y))
	case y == m.h-1:
		return m.clickFooter(x)
	case l.composer.has(x, y):
		m.compose()
		m.composing.Click(x-l.composer.x, y-l.composer.y)
	}
	return nil
}

// wheelLines is how far the wheel scrolls, everywhere.
const wheelLines = 3

// turned is by how many lines a wheel scrolls down; 0 for one that turns to the side.
func turned(at tea.Mouse) int {
	switch at.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}

func (m *model) wheel(at tea.Mouse) {
	n := turned(at)
	l := m.layout
	switch {
	case n == 0 || m.tooSmallToUse():
	case m.overlay != nil:
		m.overlay.scroll(n)
	case l.tab.has(at.X, at.Y):
		m.tabs[m.activeTab].pane.Scroll(at.X-l.tab.x, at.Y-l.tab.y, n)
	case l.pins.has(at.X, at.Y):
		m.pinRegion.Scroll(at.X-l.pins.x, at.Y-l.pins.y, n)
	case l.traffic.has(at.X, at.Y):
		m.wire.views[m.shownView()].Scroll(at.X-l.traffic.x, at.Y-l.traffic.y, n)
	case l.detail.has(at.X, at.Y):
		m.wire.frame.Scroll(at.X-l.detail.x, at.Y-l.detail.y, n)
	case l.composer.has(at.X, at.Y):
		m.composing.Scroll(at.X-l.composer.x, at.Y-l.composer.y, n)
	}
}

// selectFrame selects a frame in the traffic, and opens it where it has no place
// beside it.
func (m *model) selectFrame(row int32) {
	if row == store.None {
		return
	}
	if view := m.shownView(); view != frames.List {
		m.selectIn(view, row)
		m.refreshViews()
		return
	}
	m.showList()
	m.wire.traffic.Select(row)
	if m.focus == action.RegionTab || m.focus == action.RegionPins || m.focus == action.RegionComposer {
		m.frameOpen = true
		m.setFocus(action.RegionTraffic)
	}
}

// selectPlace selects a frame in the traffic and opens it at a place.
func (m *model) selectPlace(a action.SelectPlace) {
	m.zoom, m.frameOpen = false, true
	m.selectFrame(a.Row)
	m.relayout()
	m.wire.detail.Show(a.Row)
	m.wire.detail.Point(a.Path, a.Offset)
}
