package detail

import (
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// Paint draws the pane with its border: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	title, note := p.Title(pal)
	p.rows, p.cols = h, w
	return paint.Box(pal, w, h, focused, title, note, p.Rows(pal, js, w-2, h-2, focused))
}

// Cursor is where the text cursor stands while a search is typed: in the last
// line.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.query.CursorX()
	return x + 1, p.rows - 2, ok
}

// Press moves to the line at a cell of the painted pane, or changes the view in its
// upper border.
func (p *Pane) Press(x, y int) action.Action {
	if y > 0 {
		p.Click(x-1, y-1)
		return nil
	}
	end := p.cols - paint.Width(" ─╮")
	for i := range modes {
		m := modes - 1 - i
		if !p.has(m) {
			continue
		}
		if begin := end - len(modeNames[m]); x >= begin && x < end {
			p.setMode(m)
			return nil
		}
		end -= len(modeNames[m]) + 2
	}
	return nil
}
