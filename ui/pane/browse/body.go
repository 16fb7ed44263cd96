package browse

import (
	"mcptea/ui/paint"
)

// bodyHeight is how many rows the form would like to have beside those of a
// call.
func (p *Pane) bodyHeight(s *sheet, e *entry, call int) int {
	switch {
	case e.AsJSON:
		// The hints, and what the item is, stay.
		return min(max(e.Editor.Lines()+1, 3), max(s.h-call-3, s.h/2, 3))
	case e.Form.Len() == 0:
		return 1
	}
	n := e.Form.Height(s.pal, s.w)
	if p.expands(e) {
		n++
	}
	if len(e.Beside) > 0 {
		n++
	}
	return n
}

// expands reports whether the form makes a URI that can be shown.
func (p *Pane) expands(e *entry) bool { return e.item.Kind == "templates" }

// body paints the form in h rows.
func (p *Pane) body(s *sheet, js paint.JSONStyles, e *entry, h int, focused bool) {
	h = min(h, s.left())
	if h <= 0 {
		return
	}
	focused = focused && p.part == inForm
	switch {
	case e.AsJSON:
		w := max(s.w-2, 1)
		p.area.form = rect{p.area.item.x + 1, p.area.item.y + len(s.rows), w, h}
		for _, row := range e.Editor.Rows(s.pal, js, w, h, focused) {
			s.line(func(r *paint.Row) { r.Painted(row, w) })
		}
		return
	case e.Form.Len() == 0:
		p.button(s, e, focused)
		return
	}
	below := 0
	if p.expands(e) && h > 2 {
		below++
	}
	if len(e.Beside) > 0 && h > 3 {
		below++
	}
	p.area.form = rect{p.area.item.x, p.area.item.y + len(s.rows), s.w, h - below}
	at := len(s.rows)
	s.rows = append(s.rows, e.Form.Rows(s.pal, s.w, h-below, focused)...)
	above, after := e.Form.Hidden()
	if above {
		s.corner(at, s.pal.Up)
	}
	if after {
		s.corner(len(s.rows)-1, s.pal.Down)
	}
	if len(e.Beside) > 0 && below > 0 {
		below--
		s.line(func(r *paint.Row) {
			r.Put(s.pal.Muted, "and ")
			r.Foreign(s.pal.Text, string(e.Beside))
		})
	}
	if below > 0 {
		p.expanded(s, e)
	}
}

// corner says at the end of a row that there is more.
func (s *sheet) corner(i int, glyph string) {
	if s.w > 2 {
		s.rows[i] = paint.Slice(s.rows[i], 0, s.w-2) + s.pal.Accent.Render(glyph) + " "
	}
}

// button stands where there is nothing to fill in.
func (p *Pane) button(s *sheet, e *entry, focused bool) {
	s.r.Start(s.w, paint.Style{})
	mark, st := " ", s.pal.Text
	if focused {
		mark, st = s.pal.Bar, s.pal.Strong
	}
	s.r.Put(s.pal.Accent, mark)
	s.r.Put(st.On(s.pal.Field), " "+e.shape.verb+" ")
	if e.item.Kind != "resources" {
		s.r.Put(s.pal.Muted, "  takes no arguments")
	}
	s.rows = append(s.rows, s.r.String())
}

// expanded shows the URI that a template makes of what is filled in.
func (p *Pane) expanded(s *sheet, e *entry) {
	args, _ := e.Values()
	uri, err := expand(e.item.URI, args)
	s.line(func(r *paint.Row) {
		r.Put(s.pal.Muted, "reads ")
		if err != nil {
			r.Foreign(s.pal.Error, err.Error())
			return
		}
		r.Foreign(s.pal.Value, uri)
	})
}

// dropdown lays the candidates for an argument over what is below its field.
func (p *Pane) dropdown(s *sheet, e *entry) {
	c := e.values
	if c == nil || p.part != inForm || e.AsJSON || c.field != e.Form.Focused() {
		return
	}
	x, y, ok := e.Form.Cursor()
	if !ok {
		return
	}
	typed := e.Form.Values()[c.field]
	values := c.fits(typed)
	// The field starts where its text does.
	x = max(x-paint.Width(paint.Sanitize(typed)), 1)
	y += p.area.form.y - p.area.item.y + 1
	most := min(6, s.h-y)
	if most <= 0 {
		return
	}
	w := min(max(24, s.w/3), s.w-x)
	var rows []string
	line := func(ground, st paint.Style, text string) {
		s.r.Start(w, ground)
		if st == s.pal.Strong {
			s.r.Put(s.pal.Accent, s.pal.Bar)
		} else {
			s.r.Gap(1)
		}
		s.r.Foreign(st, text)
		rows = append(rows, s.r.String())
	}
	c.at = min(c.at, max(len(values)-1, 0))
	top := max(0, c.at-most+2)
	for i := top; i < len(values) && len(rows) < most-1; i++ {
		if i == c.at {
			line(s.pal.Selected, s.pal.Strong, values[i])
		} else {
			line(s.pal.Field, s.pal.Text, values[i])
		}
	}
	switch {
	case c.asked != nil && len(values) == 0:
		line(s.pal.Field, s.pal.Muted, paint.Spinner(s.pal, p.spin)+" asking the server")
	case c.wrong != "":
		line(s.pal.Field, s.pal.Error, c.wrong)
	case len(values) == 0:
		line(s.pal.Field, s.pal.Muted, "no values for this")
	default:
		more := ""
		if c.more {
			more = " and more"
		}
		line(s.pal.Field, s.pal.Muted, paint.HumanCount(len(values))+more+"  enter takes")
	}
	for len(s.rows) < y+len(rows) {
		s.blank()
	}
	s.rows = paint.Overlay(s.rows, rows, x, y)
}
