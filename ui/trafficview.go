package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// trafficView is how the traffic is shown.
type trafficView uint8

const (
	listView trafficView = iota
	timelineView
	sequenceView
)

// trafficRegion is the traffic as it is shown: a list of frames, or a view of the
// requests that takes the whole window.
type trafficRegion interface {
	region
	Press(x, y int) action.Action
	Scroll(n int)
	Selected() int32
	Filter() string
}

// wire is the view of the traffic that keys go to.
func (m *model) wire() trafficRegion {
	switch {
	case m.focus != action.RegionTraffic:
	case m.trafficView == timelineView:
		return m.timeline
	case m.trafficView == sequenceView:
		return m.sequence
	}
	return m.traffic
}

// requestView is a view of the requests.
type requestView interface {
	Select(row int32)
	SetFilter(text string)
}

// showRequests shows the requests in time or as a sequence diagram, at what is selected.
func (m *model) showRequests(view trafficView) {
	m.zoom = false
	if m.stopRequests == nil {
		m.stopRequests = m.background(m.requests.Run)
	}
	row, text := m.wire().Selected(), m.wire().Filter()
	if m.trafficView == listView && m.traffic.Following() {
		row = store.None
	}
	pane := requestView(m.timeline)
	if view == sequenceView {
		m.sequence.SetNames(m.serverName(), m.session.Transport())
		pane = m.sequence
	}
	pane.SetFilter(text)
	pane.Select(row)
	m.trafficView = view
	m.setFocus(action.RegionTraffic)
	m.refreshViews()
}

// showList shows the list of frames, at the selected request.
func (m *model) showList() {
	if m.trafficView == listView {
		return
	}
	m.followView()
	m.trafficView = listView
	if m.stopRequests != nil {
		m.stopRequests()
		m.stopRequests = nil
	}
	m.relayout()
}

// followView moves the list to what is selected in the other view.
func (m *model) followView() {
	view := m.wire()
	if view == trafficRegion(m.traffic) {
		return
	}
	m.traffic.SetFilter(view.Filter())
	m.traffic.SelectNear(view.Selected())
}

// frameOfView shows the frame of the selected request; esc leads back to the view.
func (m *model) frameOfView(row int32) tea.Cmd {
	m.followView()
	m.traffic.SelectNear(row)
	m.frameOpen = true
	m.setFocus(action.RegionDetail)
	return nil
}

// refreshViews takes note of what is new in the view that is shown.
func (m *model) refreshViews() (behind, busy bool) {
	switch m.trafficView {
	case timelineView:
		return m.timeline.Refresh(m.clock, m.spin)
	case sequenceView:
		return m.sequence.Refresh(m.snap.Rows, m.spin)
	}
	return false, false
}

// showView shows the view of the traffic that a command names, if it names one.
func (m *model) showView(id command.ID) bool {
	switch id {
	case command.ShowTimeline:
		m.showRequests(timelineView)
	case command.ShowSequence:
		m.showRequests(sequenceView)
	default:
		return false
	}
	return true
}
