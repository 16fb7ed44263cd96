package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// placed is an overlay that begins at a row of the screen.
type placed interface{ top() int }

// overlayOn lays the window over the painted screen.
func (m *model) overlayOn(rows []string) []string {
	rows, m.cursor = layOver(m.pal, rows, m.overlay, m.overlayRect())
	return rows
}

// layOver lays a window over painted rows, and returns where its cursor is.
func layOver(p *paint.Palette, rows []string, o overlay, at rect) ([]string, *tea.Cursor) {
	window := o.paint(p, at.w, at.h)
	var cursor *tea.Cursor
	if x, y, ok := o.cursor(); ok {
		cursor = tea.NewCursor(at.x+x, at.y+y)
		cursor.Shape = tea.CursorBar
	}
	return paint.Overlay(rows, window, at.x, at.y), cursor
}

// overlayRect is the place of the window on the screen.
func (m *model) overlayRect() rect { return placeOf(m.overlay, m.w, m.h) }

// placeOf is the place of a window on a screen.
func placeOf(o overlay, screenWidth, screenHeight int) rect {
	w, h := o.size(screenWidth, screenHeight)
	w, h = min(w, screenWidth), min(h, screenHeight)
	if at, ok := o.(placed); ok && at.top() >= 0 {
		return rect{(screenWidth - w) / 2, at.top(), w, h}
	}
	return rect{(screenWidth - w) / 2, max(1, (screenHeight-h)/3), w, h}
}

func (m *model) overlayKey(k tea.KeyPressMsg) tea.Cmd {
	if worker, works := m.overlay.(worker); works {
		if a, taken := worker.do(k); taken {
			return m.act(a)
		}
	}
	return m.overlayDone(m.overlay.key(k))
}

// overlayClick hands a click on to the window; one beside it does nothing.
func (m *model) overlayClick(x, y int) tea.Cmd {
	at := m.overlayRect()
	if c, ok := m.overlay.(clicker); ok && at.has(x, y) {
		return m.overlayDone(c.click(x-at.x, y-at.y))
	}
	return nil
}

func (m *model) overlayDone(run *command.Command, done bool) tea.Cmd {
	if done {
		if worker, works := m.overlay.(worker); works {
			worker.close()
		}
		m.overlay = nil
	}
	if run == nil {
		return nil
	}
	return m.runAnywhere(*run)
}
