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
	if m.trafficView == timelineView && m.focus == action.RegionTraffic {
		return m.timeline
	}
	return m.traffic
}

// showTimeline shows the requests in time, at the selected frame.
func (m *model) showTimeline() {
	m.zoom = false
	if m.stopRequests == nil {
		m.stopRequests = m.background(m.requests.Run)
	}
	if m.trafficView == listView {
		row := m.traffic.Selected()
		if m.traffic.Following() {
			row = store.None
		}
		m.timeline.Select(row)
		m.timeline.SetFilter(m.traffic.Filter())
	}
	m.trafficView = timelineView
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
	if m.trafficView == timelineView {
		return m.timeline.Refresh(m.clock, m.spin)
	}
	return false, false
}

// showView shows the view of the traffic that a command names, if it names one.
func (m *model) showView(id command.ID) bool {
	if id == command.ShowTimeline {
		m.showTimeline()
		return true
	}
	return false
}
