package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
)

// focused implements [screen].
func (m *model) focused() app.Part {
	switch m.focus {
	case partPins:
		return m.pinned
	case partTraffic:
		if m.detailOnly() {
			return m.wire.detail
		}
		return m.wirePane()
	case partDetail:
		return m.wire.detail
	case partComposer:
		return m.composer
	}
	return m.tabs[m.activeTab].pane
}

// wirePane is the view of the traffic that keys go to.
func (m *model) wirePane() app.Part { return m.wire.views[m.shownView()] }

// places implements [screen].
func (m *model) places() (all []place) {
	for i := range m.tabs {
		all = append(all, place{m.tabs[i].pane, func() { m.showTab(m.tabs[i].command) }})
	}
	w := &m.wire
	return append(all,
		place{w.traffic, func() { m.showView(frames.List) }},
		place{w.detail, m.openDetail},
		place{w.timeline, func() { m.showView(frames.Timeline) }},
		place{w.sequence, func() { m.showView(frames.Sequence) }},
		place{m.pinned, m.showPins},
		place{m.composer, m.compose})
}

// inTraffic reports whether the keys go to the traffic or to a frame of it.
func (m *model) inTraffic() bool {
	return m.focus == partTraffic || m.focus == partDetail
}

// detailOnly reports whether a small screen shows the frame in the place of the
// traffic.
func (m *model) detailOnly() bool {
	return m.frameOpen && m.layout.traffic.empty() && !m.layout.detail.empty()
}

func (m *model) toTab(i int) {
	m.activeTab = i
	m.zoom, m.frameOpen = false, false
	m.setFocus(partTab)
}

func (m *model) setFocus(r part) {
	if m.focus != partComposer {
		m.previousFocus = m.focus
	}
	if r == partTab {
		m.showList()
	}
	m.focus = r
	m.relayout()
}

// cycle moves the focus to the next pane on the screen.
func (m *model) cycle(step int) {
	order := []part{partTab, partPins, partTraffic, partDetail, partComposer}
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
func (m *model) reachable(r part) bool {
	switch r {
	case partComposer:
		return m.composerOpen
	case partDetail:
		return !m.layout.detail.empty() && !m.detailOnly()
	case partPins:
		return !m.layout.pins.empty()
	case partTab:
		return !m.frameOpen
	}
	return true
}

func (m *model) compose() {
	m.composerOpen = true
	m.setFocus(partComposer)
}

// leave implements [screen].
func (m *model) leave(motion keys.Motion) {
	switch {
	case motion == keys.Next:
		m.cycle(1)
	case motion == keys.Previous:
		m.cycle(-1)
	case m.zoom:
		m.zoom = false
	case m.wire.view != frames.List && m.focus == partDetail:
		m.frameOpen = false
		m.setFocus(partTraffic)
	case m.wire.view != frames.List && m.focus == partTraffic:
		m.showList()
	case m.focus == partPins:
		m.setFocus(partTab)
	case m.focus == partComposer:
		m.composerOpen = !m.composer.Empty() && m.composer.Working()
		m.setFocus(m.previousFocus)
	case m.frameOpen && (m.focus == partDetail || m.detailOnly()):
		// First back to the list, then out of the large view.
		if m.focus == partDetail && !m.layout.traffic.empty() {
			m.setFocus(partTraffic)
			return
		}
		m.frameOpen = false
		m.setFocus(partTraffic)
	case m.frameOpen:
		m.frameOpen = false
		m.relayout()
	case m.focus == partDetail:
		m.setFocus(partTraffic)
	case m.focus == partTraffic:
		m.setFocus(partTab)
	case m.composerOpen && m.composer.Empty():
		m.composerOpen = false
		m.relayout()
	}
}

// paste implements [screen]. A pasted frame is meant for the composer.
func (m *model) paste(text string) {
	if m.focus == partTab && m.activeTab == 0 && m.server.Consents() {
		m.pasteAnswer(text)
		return
	}
	m.compose()
	m.composer.PasteFrame(text)
}

func (m *model) cancelNewest() {
	running := m.tasks.Running()
	for i := len(m.pending) - 1; i >= 0; i-- {
		f := m.pending[i]
		if n := len(running); n > 0 && running[n-1].FirstSeen.After(f.Start) {
			break // that one is newer
		}
		if f.Dir == 0 && !isTaskPoll(f) {
			m.Online("Cancel", func() { m.session.Cancel(idOf(f)) })
			return
		}
	}
	if n := len(running); n > 0 {
		m.cancelTask(running[n-1].ID)
		return
	}
	m.Say("No request is pending.")
}

// press implements [screen].
func (m *model) press(x, y int) {
	m.userNavigated = true
	switch l := m.layout; {
	case l.tab.has(x, y):
		m.setFocus(partTab)
	case l.pins.has(x, y):
		m.setFocus(partPins)
	case l.traffic.has(x, y):
		if m.focus != partTraffic {
			m.showList() // what was clicked is the list
		}
		m.setFocus(partTraffic)
	case l.detail.has(x, y) && !m.detailOnly():
		m.setFocus(partDetail)
	case l.composer.has(x, y):
		m.compose()
	}
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
	if m.focus == partTab || m.focus == partPins || m.focus == partComposer {
		m.frameOpen = true
		m.setFocus(partTraffic)
	}
}
