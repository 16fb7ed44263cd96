package inspector

import "mcptea/ui/app"

// borderStep is by how many cells a key moves a border.
const borderStep = 4

// moveBorder moves the border beside the focus by some cells to the right, or down; 0 gives it back
// to the content.
func (m *model) moveBorder(n int) {
	if p, ok := m.Focused().(app.Bordered); ok && p.MoveBorder(n) {
		return
	}
	b := m.borders[m.screen()]
	switch left, top := m.border(); {
	case n == 0:
		b = borders{}
	case left > 0:
		b.across = float64(left+n) / float64(m.W)
	case top > 0:
		b.over = float64(top+n) / float64(m.layout.body().h)
	default:
		m.Say("No border is beside this pane.")
		return
	}
	m.setBorders(b)
}

// border is the border across the body, and the one over the traffic, in cells of the body; 0 for one
// that is not there.
func (m *model) border() (left, top int) {
	l := &m.layout
	switch {
	case l.traffic.x > 0:
		left = l.traffic.x
	case !l.traffic.empty() && !l.detail.empty():
		left = l.detail.x
	}
	if l.traffic.x == 0 && !l.traffic.empty() && l.traffic.y > l.body().y {
		top = l.traffic.y - l.body().y
	}
	return left, top
}

func (m *model) setBorders(b borders) {
	if m.borders == nil {
		m.borders = map[stop]borders{}
	}
	m.borders[m.screen()] = b
	m.relayout()
}

// grips has the mouse drag the borders between the panes.
func (m *model) grips(c *app.Canvas) {
	body, l := m.layout.body(), &m.layout
	left, top := m.border()
	if left > 0 {
		y, h := l.detail.y, l.detail.h
		if l.traffic.x > 0 {
			y, h = body.y, body.h
		}
		c.Drag(left-1, y+1, 2, h-2, func(x, _ int) {
			b := m.borders[m.screen()]
			b.across = float64(left+x) / float64(m.W)
			m.setBorders(b)
		})
	}
	if top > 0 {
		c.Drag(0, body.y+top-1, m.W, 1, func(_, y int) {
			b := m.borders[m.screen()]
			b.over = float64(top+y) / float64(body.h)
			m.setBorders(b)
		})
	}
}
