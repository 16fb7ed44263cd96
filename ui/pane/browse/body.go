package browse

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// bodyHeight is how many rows the form would like to have beside those of a
// call.
func (p *Pane) bodyHeight(s *sheet, e *entry, call int) int {
	switch {
	case e.AsJSON:
		// The hints, and what the item is, stay.
		lines := e.Editor.Lines() + 1
		if s.W >= schemaBeside {
			lines = max(lines, len(e.schemaLines()))
		}
		return min(max(lines, 3), max(s.H-call-3, s.H/2, 3))
	case e.Form.Len() == 0:
		return 1
	}
	n := e.Form.Height(s.Pal, s.W)
	if p.expands(e) {
		n++
	}
	return n
}

// expands reports whether the form makes a URI that can be shown.
func (p *Pane) expands(e *entry) bool { return e.item.Kind == "templates" }

// body paints the form in h rows.
func (p *Pane) body(s *sheet, js paint.JSONStyles, e *entry, h int, focused bool) {
	h = min(h, s.Left())
	if h <= 0 {
		return
	}
	focused = focused && p.part == inForm
	switch {
	case e.AsJSON:
		p.bodyJSON(s, js, e, h, focused)
		return
	case e.Form.Len() == 0:
		p.button(s, e, focused)
		return
	}
	below := 0
	if p.expands(e) && h > 2 {
		below++
	}
	p.area.form = rect{p.area.item.x, p.area.item.y + len(s.Rows), s.W, h - below}
	at := len(s.Rows)
	s.Rows = append(s.Rows, e.Form.Rows(s.Pal, s.W, h-below, focused)...)
	above, after := e.Form.Hidden()
	if above {
		s.corner(at, s.Pal.Up)
	}
	if after {
		s.corner(len(s.Rows)-1, s.Pal.Down)
	}
	if below > 0 {
		p.expanded(s, e)
	}
}

// schemaBeside is the width from which on the schema is shown beside its JSON.
const schemaBeside = 84

// bodyJSON paints the JSON editor in h rows, with the beginning of the schema beside it
// where there is room.
func (p *Pane) bodyJSON(s *sheet, js paint.JSONStyles, e *entry, h int, focused bool) {
	w := max(s.W-2, 1)
	var beside []string
	if s.W >= schemaBeside {
		if beside = e.schemaLines(); len(beside) > 0 {
			w = s.W / 2
		}
	}
	p.area.form = rect{p.area.item.x + 1, p.area.item.y + len(s.Rows), w, h}
	for i, row := range e.Editor.Rows(s.Pal, js, w, h, focused) {
		s.Line(func(r *paint.Row) {
			r.Painted(row, w)
			switch {
			case i >= len(beside):
			case i == h-1 && len(beside) > h:
				r.Put(s.Pal.Muted, " "+s.Pal.Vertical+" "+s.Pal.Ellipsis)
			default:
				r.Put(s.Pal.Muted, " "+s.Pal.Vertical+" ")
				r.Put(s.Pal.Muted, beside[i])
			}
		})
	}
}

// maxSchemaShown is how large a schema may be that is shown, in bytes.
const maxSchemaShown = 64 << 10

// schemaLines are the lines of the input schema; none without one, or when it is large.
func (e *entry) schemaLines() []string {
	if e.schemaText == nil {
		e.schemaText = []string{}
		raw := e.item.Member("inputSchema")
		var b bytes.Buffer
		if len(raw) > 0 && len(raw) <= maxSchemaShown && json.Indent(&b, raw, "", "  ") == nil {
			e.schemaText = strings.Split(b.String(), "\n")
		}
	}
	return e.schemaText
}

// corner says at the end of a row that there is more.
func (s *sheet) corner(i int, glyph string) {
	if s.W > 2 {
		s.Rows[i] = paint.Slice(s.Rows[i], 0, s.W-2) + s.Pal.Accent.Render(glyph) + " "
	}
}

// button stands where there is nothing to fill in.
func (p *Pane) button(s *sheet, e *entry, focused bool) {
	s.R.Start(s.W, paint.Style{})
	mark, st := " ", s.Pal.Text
	if focused {
		mark, st = s.Pal.Bar, s.Pal.Strong
	}
	s.R.Put(s.Pal.Accent, mark)
	s.R.Put(st.On(s.Pal.Field), " "+e.shape.verb+" ")
	switch {
	case e.reading != nil:
		s.R.Put(s.Pal.Muted, "  "+paint.Spinner(s.Pal, p.spin)+" reading the schema, "+paint.HumanSize(int64(len(e.item.Raw))))
	case e.item.Kind != "resources":
		s.R.Put(s.Pal.Muted, "  no arguments")
	}
	s.Rows = append(s.Rows, s.R.String())
}

// expanded shows the URI that a template makes of what is filled in.
func (p *Pane) expanded(s *sheet, e *entry) {
	args, _ := e.Values()
	uri, err := expand(e.item.URI, args)
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.Muted, "reads ")
		if err != nil {
			r.Put(s.Pal.Error, err.Error())
			return
		}
		r.Put(s.Pal.Value, uri)
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
	if c.at < 0 && len(values) == 0 {
		return // nothing that the user has asked for
	}
	// The field starts where its text does.
	x = max(x-paint.Width(paint.Sanitize(typed)), 1)
	y += p.area.form.y - p.area.item.y + 1
	most := min(6, s.H-y)
	if most <= 0 {
		return
	}
	w := min(max(24, s.W/3), s.W-x)
	var rows []string
	line := func(ground, st paint.Style, text string) {
		s.R.Start(w, ground)
		if st == s.Pal.Strong {
			s.R.Put(s.Pal.Accent, s.Pal.Bar)
		} else {
			s.R.Gap(1)
		}
		s.R.Put(st, text)
		rows = append(rows, s.R.String()+strings.Repeat(" ", s.W-x-w)) // nothing of the help shows beside it
	}
	c.at = min(c.at, max(len(values)-1, 0))
	top := max(0, min(c.at, len(values)-1)-most+2)
	for i := top; i < len(values) && len(rows) < most-1; i++ {
		if i == c.at {
			line(s.Pal.Selected, s.Pal.Strong, values[i])
		} else {
			line(s.Pal.Field, s.Pal.Text, values[i])
		}
	}
	switch {
	case c.asked != nil && len(values) == 0:
		line(s.Pal.Field, s.Pal.Muted, paint.Spinner(s.Pal, p.spin)+" requesting values")
	case c.wrong != "":
		line(s.Pal.Field, s.Pal.Error, c.wrong)
	case len(values) == 0:
		line(s.Pal.Field, s.Pal.Muted, "no values")
	default:
		more := ""
		if c.more {
			more = " and more"
		}
		line(s.Pal.Field, s.Pal.Muted, paint.HumanCount(len(values))+more+"  "+command.KeyIn(command.Suggestions, command.Accept, true)+" accept")
	}
	for len(s.Rows) < y+len(rows) {
		s.Blank()
	}
	s.Rows = paint.Overlay(s.Rows, rows, x, y)
}
