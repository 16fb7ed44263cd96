package inspector

import (
	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// Title implements [program.Screen].
func (m *model) Title() string {
	if name := m.state.Handshake.Server.Name; name != "" {
		return "mcptea " + display.Cut(display.Sanitize(name), 40)
	}
	return "mcptea"
}

// Acts implements [program.Screen].
func (m *model) Acts() { m.session.Acts() }

// Settle implements [program.Screen]: the detail shows the selected frame.
func (m *model) Settle() { m.showSelected() }

// Paint implements [program.Screen].
func (m *model) Paint(c *app.Canvas) []string {
	m.relayout()
	c.Click(0, 0, m.W, 1, func(x, _ int) { m.clickFirst(x) })
	first, chips := m.chipRow(c)
	if !chips {
		first = m.header()
	}
	rows := append(make([]string, 0, m.H), first, m.tabRow())
	c.Click(0, 1, m.W, 1, func(x, _ int) { m.clickTab(x) })
	rows = append(rows, m.body(c)...)
	if at := m.layout.lesson; !at.empty() {
		rows = append(rows, c.Show(app.Still(m.paintLesson), at.x, at.y, at.w, at.h, false)...)
	}
	return rows
}

// body paints the panes between the tabs and the last row.
func (m *model) body(c *app.Canvas) []string {
	l := m.layout
	c.Alone = m.zoom
	var rows []string
	if !l.tab.empty() {
		rows = append(rows, m.show(c, m.tabs[m.activeTab].pane, l.tab, slotTab)...)
	}
	switch {
	case l.pins.x > 0: // a column to the right
		rows = paint.JoinBoxes(rows, m.show(c, m.pinned, l.pins, slotPins), m.focus == slotTab)
	case !l.pins.empty():
		rows = append(rows, m.show(c, m.pinned, l.pins, slotPins)...)
	case l.detail.x == 0 && l.detail.y > l.traffic.y && !l.traffic.empty(): // the list above the frame
		rows = append(rows, m.show(c, m.views.traffic, l.traffic, slotTraffic)...)
		rows = append(rows, m.show(c, m.views.detail, l.detail, slotDetail)...)
	case l.traffic.x > 0: // a column to the right
		right := m.show(c, m.views.traffic, l.traffic, slotTraffic)
		rows = paint.JoinBoxes(rows, append(right, m.show(c, m.views.detail, l.detail, slotDetail)...), m.focus == slotTab)
	case !l.traffic.empty() && !l.detail.empty():
		left := m.show(c, m.views.traffic, l.traffic, slotTraffic)
		right := m.show(c, m.views.detail, l.detail, slotDetail)
		rows = append(rows, paint.JoinBoxes(left, right, m.focus == slotTraffic)...)
	case !l.traffic.empty():
		rows = append(rows, m.show(c, m.wirePane(), l.traffic, slotTraffic)...)
	case !l.detail.empty():
		at := slotDetail
		if m.detailOnly() {
			at = m.focus
		}
		rows = append(rows, m.show(c, m.views.detail, l.detail, at)...)
	}
	if !l.composer.empty() {
		rows = append(rows, m.show(c, m.composer, l.composer, slotComposer)...)
	}
	m.grips(c)
	return rows
}

// show paints a pane into its rectangle.
func (m *model) show(c *app.Canvas, p app.Pane, at rect, as slot) []string {
	return c.Show(p, at.x, at.y, at.w, at.h, m.focus == as && m.Window() == nil && m.HasKeys())
}
