package inspector

import (
	"mcptea/session/record/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
)

// showSelected keeps the frame in full at the one that is selected while both are in sight.
func (m *model) showSelected() {
	if !m.layout.detail.empty() {
		m.views.detail.Show(m.views.traffic.Selected())
	}
}

// frameBeside is the frame in full while it is in sight beside the list of frames; nil otherwise.
func (m *model) frameBeside() app.Pane {
	if m.layout.detail.empty() || m.detailOnly() {
		return nil
	}
	return m.views.detail
}

// viewFrame shows the next view of the frame beside the list, or the bytes of a frame that is not in
// sight.
func (m *model) viewFrame(row int32) {
	if m.frameBeside() != nil {
		m.views.detail.NextView()
		return
	}
	m.showWhole(row)
	m.views.detail.ShowBytes()
}

// showView shows the traffic in a view, at what is selected.
func (m *model) showView(view frames.View) {
	if view.IsList() {
		m.visit(func() {
			m.showList()
			m.views.traffic.ShowExchanges(view == frames.ExchangeList)
			m.setFocus(slotTraffic)
		})
		return
	}
	if m.views.stopRequests == nil {
		m.views.stopRequests = m.Background(m.views.requests.Run)
	}
	row := m.selectedRow()
	if m.views.each[m.views.view].Following() {
		row = store.None
	}
	m.views.each[view].Select(row)
	show := func() {
		m.zoom, m.views.view = false, view
		m.setFocus(slotTraffic)
	}
	if !m.views.view.IsList() { // back leads to the list from each view
		show()
	} else {
		m.visit(show)
	}
	m.refreshViews(m.Tick)
}

// showWhole shows the selected frame in full; back leads to the view it was selected in.
func (m *model) showWhole(row int32) {
	if m.shownView().IsList() {
		m.openDetail()
		return
	}
	m.followView()
	m.views.traffic.SelectNear(row)
	m.visit(func() {
		m.frameOpen = true
		m.setFocus(slotDetail)
	})
}

// showFindings explains the findings of the selected frame where that is shown.
func (m *model) showFindings(row int32) {
	if m.shownView().IsList() && !m.layout.detail.empty() {
		m.views.detail.Explain()
		return
	}
	m.showWhole(row)
	m.views.detail.ExplainFindings()
}

// refreshTraffic takes note of what is new in the traffic.
func (m *model) refreshTraffic(t app.Tick) (behind, busy bool) {
	behind = m.views.traffic.Refresh(t)
	busy = m.refreshViews(t)
	return m.views.frames.Filter.Behind() || behind, busy
}

// refreshViews takes note of what is new in another view than the list.
func (m *model) refreshViews(t app.Tick) (busy bool) {
	return !m.views.view.IsList() && m.views.each[m.views.view].Refresh(t)
}
