package detail

import (
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// Paint draws the pane with its border: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	title, note := p.Title(pal)
	return paint.Box(pal, w, h, focused, title, note, p.Rows(pal, js, w-2, h-2, focused))
}

// Cursor is where the text cursor stands; the search paints its own.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Press moves to the line at a cell of the painted pane.
func (p *Pane) Press(x, y int) action.Action {
	p.Click(x-1, y-1)
	return nil
}
