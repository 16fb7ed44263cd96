package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// overlay is a window over the screen that takes all keys.
type overlay interface {
	// size is what the window wants, border included, of a screen.
	size(w, h int) (int, int)
	paint(p *paint.Palette, w, h int) []string
	cursor() (x, y int, ok bool)
	// key reports what to run, and whether the window closes.
	key(k tea.KeyPressMsg) (run *command.Command, done bool)
	scroll(n int)
}

// paster is an overlay with a text field.
type paster interface{ paste(text string) }

// clicker is an overlay that takes a click at a cell of its window.
type clicker interface {
	click(x, y int) (run *command.Command, done bool)
}

// placed is an overlay that begins at a row of the screen.
type placed interface{ top() int }

// worker is an overlay that does something of its own: its keys come to
// actions, and it has a clock.
type worker interface {
	overlay
	// do reports what a key is to do, and whether it was taken.
	do(k tea.KeyPressMsg) (action.Action, bool)
	// refresh takes note of the time and reports whether it goes on moving.
	refresh(now time.Time, spin int) bool
	// close ends the work.
	close()
}

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
	if at, ok := o.(placed); ok {
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
