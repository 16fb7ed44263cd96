package inspector

import (
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
)

// showSelected keeps the open frame at the selected one while both are visible.
func (m *model) showSelected() {
	if !m.layout.detail.empty() {
		m.views.detail.Show(m.views.traffic.Selected())
	}
}

// frameBeside returns the open frame if it is visible next to the list of frames, or nil.
func (m *model) frameBeside() app.Pane {
	if m.layout.detail.empty() || m.detailOnly() {
		return nil
	}
	return m.views.detail
}

// viewFrame shows the next view of the frame next to the list, or the bytes of a hidden frame.
func (m *model) viewFrame(row int32) {
	if m.frameBeside() != nil {
		m.views.detail.NextView()
		return
	}
	m.showWhole(row)
	m.views.detail.ShowBytes()
}

// showView shows Traffic in a view, at the selection.
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
	if !m.views.view.IsList() { // back leads from each view to the list
		show()
	} else {
		m.visit(show)
	}
	m.refreshViews(m.Tick)
}

// showWhole displays the selected frame in full. back returns to the view in which it was selected.
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

// showFindings explains the findings of the selected frame, if it is shown.
func (m *model) showFindings(row int32) {
	if m.shownView().IsList() && !m.layout.detail.empty() {
		m.views.detail.Explain()
		return
	}
	m.showWhole(row)
	m.views.detail.ExplainFindings()
}

// refreshTraffic reads new frames.
func (m *model) refreshTraffic(t app.Tick) (behind, busy bool) {
	behind = m.views.traffic.Refresh(t)
	busy = m.refreshViews(t)
	return m.views.frames.Filter.Behind() || behind, busy
}

// refreshViews reads new frames into a view other than the list.
func (m *model) refreshViews(t app.Tick) (busy bool) {
	return !m.views.view.IsList() && m.views.each[m.views.view].Refresh(t)
}
