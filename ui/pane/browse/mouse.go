package browse

import (
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// Click does what a click on a cell means: choose an item, go into a field, go
// to the result. A click on the chosen item opens it.
func (p *Pane) Click(x, y int) action.Action {
	_, e := p.selected()
	switch a := &p.area; {
	case a.list.holds(x, y):
		was, _ := p.list.Selected()
		p.part = inList
		if p.list.Click(y - a.list.y) {
			if now, _ := p.list.Selected(); now.Key == was.Key {
				return p.Do(command.OpenItem)
			}
		}
	case e == nil:
	case a.result.holds(x, y):
		p.part = inResult
		if c := e.shown(); c != nil && c.top() != nil {
			if tree := c.top().Tree(); tree != nil {
				tree.Click(x-a.result.x, y-a.result.y)
			}
		}
	case a.form.holds(x, y):
		p.part = inForm
		if e.AsJSON {
			e.Editor.Click(x-a.form.x, y-a.form.y)
		} else {
			e.Click(x-a.form.x, y-a.form.y)
		}
	case a.item.holds(x, y):
		p.part = inForm
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if p.area.list.holds(x, y) {
		p.list.Scroll(n)
		return
	}
	_, e := p.selected()
	if e == nil || !p.area.item.holds(x, y) {
		return
	}
	c := e.shown()
	switch {
	case p.area.form.holds(x, y) && e.AsJSON:
		e.Editor.Scroll(n)
	case c != nil && c.top() != nil:
		c.top().Scroll(n)
	}
}

// Cursor is the cell of the text cursor.
func (p *Pane) Cursor() (x, y int, ok bool) {
	if x, y, ok = p.list.Cursor(); ok {
		return x + p.area.list.x, y + p.area.list.y, true
	}
	_, e := p.selected()
	if v := p.searched(); v != nil {
		x, y, _ = v.Cursor()
		return x + p.area.result.x, y + p.area.result.y, p.area.result.holds(p.area.result.x, y+p.area.result.y)
	}
	if p.part != inForm || e == nil || e.bare() || p.area.form.h == 0 {
		return 0, 0, false
	}
	if e.AsJSON {
		x, y = e.Editor.Cursor()
		ok = true
	} else {
		x, y, ok = e.Form.Cursor()
	}
	return x + p.area.form.x, y + p.area.form.y, ok && p.area.form.holds(p.area.form.x, y+p.area.form.y)
}
