package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/record/store"
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
		all = append(all, place{m.tabs[i].pane, m.tabs[i].Run})
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

// stop is a place where the user was.
type stop struct {
	tab         int
	focus       part
	view        frames.View
	frame, zoom bool
}

func (m *model) here() stop {
	return stop{m.activeTab, m.focus, m.wire.view, m.frameOpen, m.zoom}
}

// visit goes somewhere; back leads here again. A place is on the trail once: who comes to it
// again has gone back.
func (m *model) visit(move func()) {
	if m.going {
		move()
		return
	}
	m.going = true
	from := m.here()
	move()
	m.going = false
	if to := m.here(); to != from {
		m.trail = append(m.trail, from)
		if i := slices.Index(m.trail, to); i >= 0 {
			m.trail = m.trail[:i]
		}
	}
}

// back goes to where the user was before.
func (m *model) back() {
	left := m.focus
	to := stop{tab: m.activeTab}
	if n := len(m.trail); n > 0 {
		to, m.trail = m.trail[n-1], m.trail[:n-1]
	}
	if left == partComposer || to == m.here() { // nothing else is left to close
		m.composerOpen = m.composerOpen && !m.composer.Empty() && (left != partComposer || m.composer.Working())
	}
	m.going = true
	if m.wire.view != to.view {
		m.showView(to.view)
	}
	m.activeTab, m.frameOpen, m.zoom = to.tab, to.frame, to.zoom
	m.setFocus(to.focus)
	m.going = false
}

// toTab goes to a tab, where each trail begins.
func (m *model) toTab(i int) {
	m.activeTab, m.trail = i, nil
	m.zoom, m.frameOpen = false, false
	m.setFocus(partTab)
}

// tab is the index of the tab with an id.
func (m *model) tab(id string) int {
	return slices.IndexFunc(m.tabs, func(t tab) bool { return t.ID == id })
}

// ShowTab implements [app.App].
func (m *model) ShowTab(id string) {
	m.turn(func() {
		switch {
		case id == tabTraffic:
			m.showTraffic()
		case id == tabTasks && !m.tasks.Present():
			m.Say("The server does not offer tasks.")
		default:
			m.toTab(m.tab(id))
		}
	})
}

// showTraffic shows the list of frames.
func (m *model) showTraffic() {
	m.visit(func() {
		if m.focus == partTraffic {
			m.showList()
		}
		m.setFocus(partTraffic)
	})
}

func (m *model) setFocus(r part) {
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
			m.visit(func() { m.setFocus(order[at]) })
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
	m.visit(func() { m.setFocus(partComposer) })
}

// leave implements [screen].
func (m *model) leave(motion keys.Motion) {
	switch motion {
	case keys.Next:
		m.cycle(1)
	case keys.Previous:
		m.cycle(-1)
	default:
		m.back()
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
			m.Online("Cancel", func() { m.session.Cancel(f.ID) })
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
	m.visit(func() {
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
	})
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

// ShowFrame implements [app.App]: it selects a frame in the traffic, and opens it where it
// has no place beside it.
func (m *model) ShowFrame(row int32) {
	if row != store.None {
		m.turn(func() { m.showFrame(row) })
	}
}

func (m *model) showFrame(row int32) {
	if view := m.shownView(); view != frames.List {
		m.selectIn(view, row)
		m.refreshViews(m.tick)
		return
	}
	m.visit(func() {
		m.showList()
		m.wire.traffic.Select(row)
		if m.focus == partTab || m.focus == partPins || m.focus == partComposer {
			m.zoom, m.frameOpen = false, true // the list alone would fill the screen
			m.setFocus(partTraffic)
		}
	})
}
