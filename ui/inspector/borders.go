package inspector

import "mcptea/ui/app"

// borderStep is the number of cells by which a key moves a border.
const borderStep = 4

// moveBorder moves the border next to the focus to the right, or down, by some cells; 0 resets it.
func (m *model) moveBorder(n int) {
	if p, ok := m.Focused().(app.Bordered); ok && p.MoveBorder(n) {
		return
	}
	switch left, top := m.border(); {
	case n == 0:
		m.setBorders(borders{})
	case left > 0:
		m.setAcross(left + n)
	case top > 0:
		m.setOver(top + n)
	default:
		m.Say("This pane has no border to move.")
	}
}

// border returns the number of cells of the body up to the vertical border, including it, and up to the border
// above Traffic. It returns 0 for an absent border.
func (m *model) border() (left, top int) {
	l := &m.layout
	switch {
	case l.traffic.x > 0:
		left = l.traffic.x + 1
	case l.detail.x > 0:
		left = l.detail.x + 1
	}
	switch body := l.body().y; {
	case l.traffic.x == 0 && !l.traffic.empty() && l.traffic.y > body:
		top = l.traffic.y - body
	case l.detail.x == 0 && !l.detail.empty() && l.detail.y > body:
		top = l.detail.y - body
	}
	return left, top
}

// setAcross moves the vertical border of the body to a column.
func (m *model) setAcross(x int) {
	b := m.borders[m.screen()]
	b.across = float64(x) / float64(m.W)
	m.setBorders(b)
}

// setOver moves the border above Traffic to a row of the body.
func (m *model) setOver(y int) {
	b := m.borders[m.screen()]
	b.over = float64(y) / float64(m.layout.body().h)
	m.setBorders(b)
}

func (m *model) setBorders(b borders) {
	if m.borders == nil {
		m.borders = map[stop]borders{}
	}
	m.borders[m.screen()] = b
	m.relayout()
}

// grips lets the mouse drag the borders between the panes.
func (m *model) grips(c *app.Canvas) {
	body, l := m.layout.body(), &m.layout
	left, top := m.border()
	if left > 0 {
		y, h := l.detail.y, l.detail.h
		if l.traffic.x > 0 {
			y, h = body.y, body.h
		}
		c.Drag(left-1, y+1, 1, h-2, func(x, _ int) { m.setAcross(left + x) })
	}
	if top > 0 {
		c.Drag(0, body.y+top-1, m.W, 1, func(_, y int) { m.setOver(top + y) })
	}
}
