package inspector

import (
	"slices"

	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
)

func (m *model) setFocus(r slot) {
	switch {
	case r == slotTraffic && m.focus != slotTraffic:
		m.views.byExchange = m.views.traffic.ByExchange()
	case r == slotTab && !m.views.view.IsList(): // below the tab, nothing changes
		m.showList()
		m.views.traffic.ShowExchanges(m.views.byExchange)
	}
	m.focus = r
	m.relayout()
}

func (m *model) relayout() {
	a := arrangement{w: m.W, h: m.H, focus: m.focus, zoom: m.zoom, whole: m.H <= wholeTab && m.needsBody(), detail: m.frameOpen}
	a.borders = m.borders[m.screen()]
	a.lesson = m.lesson.shown()
	a.view = !m.views.view.IsList()
	a.wish = m.pinsWish()
	a.pins = m.focus == slotPins || m.pinned.IsOpen()
	if m.composerOpen {
		a.composer = m.composer.Height()
	}
	m.layout = arrange(a)
}

// pinsWish returns the number of rows that the pins need while they have the focus, or 0. It does not shrink while the user
// moves in them.
func (m *model) pinsWish() (rows int) {
	if m.focus != slotPins || m.Painted.Pal == nil {
		return 0
	}
	if at := m.here(); m.wish.at != at || m.wish.w != m.W || m.wish.h != m.H {
		m.wish = wish{at: at, w: m.W, h: m.H}
	}
	if m.wish.rows < m.H {
		w := m.W
		if at := m.layout.region(slotPins); at.w > 0 {
			w = at.w
		}
		m.wish.rows = max(m.wish.rows, m.pinned.Wants(&m.Painted, w, m.H))
	}
	return m.wish.rows
}

func (m *model) here() stop {
	return stop{m.activeTab, m.focus, m.views.view, m.frameOpen, m.zoom}
}

// needsBody reports whether the tab takes the whole body of a small screen: Problems, and Server after a failure.
func (m *model) needsBody() bool {
	switch m.tabs[m.activeTab].ID {
	case tabProblems:
		return true
	case tabServer:
		return m.state.Phase == session.Failed || m.state.Phase == session.Ended
	}
	return false
}

// screen returns the key of the border positions: one for all tabs, and one for Traffic with the whole body.
func (m *model) screen() stop {
	return stop{frame: m.frameOpen || m.focus == slotTraffic || m.focus == slotDetail}
}

// visit moves somewhere, and records the way back. A place occurs only once on the trail: returning to it is
// going back.
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

// toTab goes to the list of a tab, where each trail starts.
func (m *model) toTab(i int) {
	pane := m.tabs[i].pane
	list, ok := pane.(app.Listed)
	inside, came := ok && list.Inside(), i != m.activeTab
	if inside {
		list.Leave()
	}
	if inside && !came {
		m.trail, m.frameOpen = nil, false // an open frame would cover it
		m.setFocus(slotTab)
		return
	}
	m.activeTab, m.trail = i, nil
	m.zoom, m.frameOpen = false, false
	m.setFocus(slotTab)
	if p, ok := pane.(app.Greeted); ok && came {
		p.Greet()
	}
}

// arrives returns the function of a command that goes to a place. If the user is already there, the function
// reports that. Commands that go to a place to do something there report only that.
func (m *model) arrives(name string, move func()) func() {
	return func() {
		from := m.here()
		list, _ := m.Focused().(app.Listed)
		inside := list != nil && list.Inside()
		if move(); m.here() == from && !(inside && !list.Inside()) && m.Flash.Text == "" {
			m.Say("This is " + name + ".")
		}
	}
}

func (m *model) compose() {
	m.composerOpen = true
	m.composer.Edit()
	m.visit(func() { m.setFocus(slotComposer) })
}

// composeHere goes to the composer. If there is no draft, it starts with the request of the selection, like the
// command of its pane.
func (m *model) composeHere() {
	if m.composer.Empty() {
		all := m.Focused().Commands()
		if i := slices.IndexFunc(all, func(c keys.Command) bool { return c.ID == "compose.item" }); i >= 0 && all[i].Why() == "" {
			all[i].Run()
		}
	}
	m.compose()
}

// showTraffic shows the list of frames.
func (m *model) showTraffic() {
	m.visit(func() {
		if m.focus == slotTraffic {
			m.showList()
		}
		m.setFocus(slotTraffic)
	})
}

// showList shows the list of frames at the selected request.
func (m *model) showList() {
	if m.views.view.IsList() {
		return
	}
	m.followView()
	m.views.view = frames.ExchangeList
	if m.views.stopRequests != nil {
		m.views.stopRequests()
		m.views.stopRequests = nil
	}
	m.relayout()
}

// followView moves the list to the selection in the other view, and follows the newest frame if that view does.
func (m *model) followView() {
	switch view := m.shownView(); {
	case view.IsList():
	case m.views.each[view].Following():
		m.views.traffic.FollowSent()
	default:
		m.views.traffic.SelectNear(m.selectedRow())
	}
}

// openDetail shows the selected frame in full.
func (m *model) openDetail() {
	m.visit(func() {
		m.frameOpen = true
		m.relayout()
		if !m.layout.detail.empty() && !m.layout.traffic.empty() {
			m.setFocus(slotDetail)
		}
	})
}
