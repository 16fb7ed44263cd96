package traffic

import (
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Paint draws the pane with its border: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	title, note := p.Title(pal)
	p.cols = w
	return paint.Box(pal, w, h, focused, title, note, p.Rows(pal, w-2, h-2, focused))
}

// Cursor is where the text cursor stands while the filter is typed: in the border.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x, 0, ok
}

// Press moves to the row at a cell of the painted pane; on the selected row it
// opens the detail, and at the end of the upper border it follows or stops following.
func (p *Pane) Press(x, y int) action.Action {
	const follow = 14 // cells, with the corner
	if y == 0 && x >= p.cols-follow {
		return p.Do(command.Follow)
	}
	line := y - 1 - p.heading
	before := p.cursor
	p.Click(line)
	if line >= 0 && p.cursor == before && p.top+line == before {
		return action.OpenDetail{}
	}
	return nil
}
