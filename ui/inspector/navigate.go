package inspector

import (
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/program"
)

// Routes implements [program.Screen].
func (m *model) Routes() (all []program.Route) {
	for i := range m.tabs {
		all = append(all, program.Route{Part: m.tabs[i].pane, Show: func() { m.ShowTab(m.tabs[i].ID) }})
	}
	return append(all, m.others...)
}

// ShowTab implements [app.App].
func (m *model) ShowTab(id string) {
	m.Turn(func() {
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

// ShowFrame implements [app.App]: it selects a frame in Traffic, and opens it if there is no room next to
// Traffic.
func (m *model) ShowFrame(row int32) {
	if row != store.None {
		m.Turn(func() { m.showFrame(row) })
	}
}

func (m *model) showFrame(row int32) {
	if view := m.shownView(); !view.IsList() {
		m.views.each[view].Select(row)
		m.refreshViews(m.Tick)
		return
	}
	m.visit(func() {
		m.showList()
		m.views.traffic.Select(row)
		if m.focus == slotTab || m.focus == slotPins || m.focus == slotComposer {
			m.zoom, m.frameOpen = false, true // the list would fill the screen
			m.setFocus(slotTraffic)
		}
	})
}

// editHeld edits a held frame in Intercept, where it is forwarded afterwards.
func (m *model) editHeld(row int32) {
	m.ShowTab(tabIntercept)
	m.intercept.Edit(row)
}

// ShowPlace implements [app.App].
func (m *model) ShowPlace(row int32, path string, offset int) {
	m.Turn(func() {
		m.visit(func() {
			m.zoom, m.frameOpen = false, true
			m.ShowFrame(row)
			m.relayout()
		})
		m.views.detail.Show(row)
		m.views.detail.Point(path, offset)
	})
}

// showPins moves the focus to the pins.
func (m *model) showPins() {
	m.pinned.Open()
	m.visit(func() {
		m.zoom, m.frameOpen = false, false
		m.setFocus(slotPins)
	})
}

// Compose implements [app.App].
func (m *model) Compose(method, params string) {
	m.Turn(func() {
		m.compose()
		m.composer.Compose(method, params)
	})
}

// ComposeFrame implements [app.App].
func (m *model) ComposeFrame(frame []byte) {
	m.Turn(func() {
		m.compose()
		m.composer.ComposeFrame(frame)
	})
}

// MarkFrame implements [app.App].
func (m *model) MarkFrame(row int32) { m.views.frames.Mark(row) }

// Leave implements [program.Screen].
func (m *model) Leave(motion keys.Motion) {
	switch motion {
	case keys.Next:
		m.cycle(1)
	case keys.Previous:
		m.cycle(-1)
	default:
		rests := m.restful()
		if m.back(); rests && m.lesson.shown() {
			m.endLesson()
		}
	}
}

// cycle moves the focus to the next pane on the screen.
func (m *model) cycle(step int) {
	for at := m.beside(m.focus, step); at != m.focus; at = m.beside(at, step) {
		if m.reachable(at) {
			m.visit(func() { m.setFocus(at) })
			return
		}
	}
}

// beside returns the slot after or before another one.
func (m *model) beside(at slot, step int) slot {
	const slots = int(slotComposer) + 1
	return slot((int(at) + step + slots) % slots)
}

// Near implements [program.Near].
func (m *model) Near() (parts []app.Part) {
	for at := m.beside(m.focus, 1); at != m.focus; at = m.beside(at, 1) {
		if m.reachable(at) {
			parts = append(parts, m.partAt(at))
		}
	}
	return parts
}

// reachable reports whether the tab key stops at a slot. The tab and Traffic are always reachable, even if only
// one of them fits.
func (m *model) reachable(r slot) bool {
	switch r {
	case slotComposer:
		return m.composerOpen
	case slotDetail:
		return !m.layout.detail.empty() && !m.detailOnly()
	case slotPins:
		return !m.layout.pins.empty()
	case slotTab:
		return !m.frameOpen
	}
	return true
}

// back goes to the previous place.
func (m *model) back() {
	left := m.focus
	to := stop{tab: m.activeTab}
	if n := len(m.trail); n > 0 {
		to, m.trail = m.trail[n-1], m.trail[:n-1]
	}
	if left == slotComposer || to == m.here() { // nothing else can be closed
		m.composerOpen = m.composerOpen && !m.composer.Empty() && (left != slotComposer || m.composer.Working())
	}
	m.backTo(to)
}

// backTo goes to an earlier place, without recording a way back.
func (m *model) backTo(to stop) {
	m.going = true
	if m.views.view != to.view {
		m.showView(to.view)
	}
	m.activeTab, m.frameOpen, m.zoom = to.tab, to.frame, to.zoom
	m.setFocus(to.focus)
	m.going = false
}

// Press implements [program.Screen].
func (m *model) Press(x, y int) {
	m.userNavigated = true
	m.visit(func() {
		switch l := m.layout; {
		case l.tab.has(x, y):
			m.setFocus(slotTab)
		case l.pins.has(x, y):
			m.setFocus(slotPins)
		case l.traffic.has(x, y):
			if m.focus != slotTraffic {
				m.showList() // the list was clicked
			}
			m.setFocus(slotTraffic)
		case l.detail.has(x, y) && !m.detailOnly():
			m.setFocus(slotDetail)
		case l.composer.has(x, y):
			m.compose()
		}
	})
}

// Paste implements [program.Screen]. A pasted frame goes to the composer.
func (m *model) Paste(text string) {
	if m.focus == slotTab && m.activeTab == 0 && m.server.Consents() {
		m.pasteAnswer(text)
		return
	}
	m.compose()
	m.composer.PasteFrame(text)
}

// pasteAnswer accepts the callback URL of a browser on another machine.
func (m *model) pasteAnswer(text string) {
	if err := m.session.AnswerAuthorization(text); err != nil {
		m.Fail(err.Error())
		return
	}
	m.Say("Callback URL accepted.")
}
