package inbox

import (
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// Click does what a click on a cell means: choose a request, or put the cursor
// into its answer.
func (p *Pane) Click(x, y int) action.Action {
	e := p.selected()
	switch a := &p.area; {
	case e == nil:
	case a.list.holds(x, y):
		p.part = inList
		if i := y - a.list.y; i < len(p.rows) && p.rows[i] >= 0 {
			if p.rows[i] == p.place() {
				return p.Do(command.OpenRequest)
			}
			p.move(p.rows[i])
		}
	case a.answer.holds(x, y) && e.writable():
		p.part = inAnswer
		x, y = x-a.answer.x, y-a.answer.y
		switch {
		case e.asJSON:
			e.json.Click(x, y)
		case e.shape == form:
			e.draft.Form.Click(x, y)
		default:
			e.text.Click(x, y)
		}
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	switch {
	case p.area.list.holds(x, y):
		p.move(p.place() + n/max(n, -n, 1))
	case p.area.item.holds(x, y):
		p.scroll(n)
	}
}

// Cursor is the cell of the text cursor.
func (p *Pane) Cursor() (x, y int, ok bool) {
	a := p.area.answer
	if !p.Typing() || a.h == 0 {
		return 0, 0, false
	}
	switch e := p.selected(); {
	case e.asJSON:
		x, y = e.json.Cursor()
		ok = true
	case e.shape == form:
		x, y, ok = e.draft.Form.Cursor()
	default:
		x, y = e.text.Cursor()
		ok = true
	}
	return x + a.x, y + a.y, ok && y >= 0 && y < a.h
}
