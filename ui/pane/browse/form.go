package browse

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/invoke"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// A field is the key handler of the form.
type field struct{ *Item }

// Key implements [app.Field].
func (f field) Key(k tea.KeyPressMsg) bool {
	e, at := f.Item, -1
	if e.values != nil {
		if e.choose(k) {
			return true
		}
		if e.values != nil {
			at = e.values.at
		}
	}
	before := e.Version()
	taken := e.Form.Key(k)
	if !e.AsJSON && e.Version() != before && (k.Text != "" || e.values != nil) && (e.values == nil || e.values.asked == nil) {
		e.suggest(at)
	}
	return taken
}

// Fill moves the focus to the form and the cursor to the end of the text.
func (e *Item) Fill() {
	e.focus()
	e.Form.ToEnd()
}

// focus moves the focus to the form.
func (e *Item) focus() {
	e.p.list.Enter()
	e.p.inResult = false
}

// body adds the form to d. After d is painted, *top is the first row of the form.
func (e *Item) body(d *doc.Doc, focused bool) (top *int) {
	top = new(int)
	switch {
	case e.AsJSON:
		e.bodyJSON(d, focused)
		return top
	case e.Form.Len() == 0:
		e.button(d, focused)
		return top
	}
	d.Add(min(e.Form.Height(d.Pal, d.W), e.most(d)), func(h int) {
		if h <= 0 {
			return
		}
		*top = d.Next()
		pal := d.Pal
		if e.p.InResult() && e.p.list.Inside() {
			pal = pal.Dim
		}
		d.Rows(e.Form.Rows(pal, d.W, h, focused)...)
		d.Click(0, *top, d.W, h, func(x, y int) {
			e.focus()
			e.Form.Click(x, y)
		})
		if x, y, ok := e.Form.Cursor(); focused && ok && y < h {
			d.Field(field{e}, x, *top+y)
		} else if focused {
			d.Canvas.Keys(field{e})
		}
	}).Give(3, 1)
	if e.item.Kind == "templates" {
		args, _ := e.Values()
		if uri, err := invoke.Expand(e.item.URI, args); err != nil {
			d.Row(paint.Span{Style: d.Pal.Muted, Text: "reads "}, paint.Span{Style: d.Pal.Error, Text: err.Error()}).Give(4, 0)
		} else {
			d.Row(paint.Span{Style: d.Pal.Muted, Text: "reads "}, paint.Span{Style: d.Pal.Value, Text: uri}).Give(4, 0)
		}
	}
	return top
}

// most returns the maximum number of rows for the arguments, so that the head of the item and the selected call
// stay visible.
func (e *Item) most(d *doc.Doc) int { return max(d.H-min(e.callRows(), d.H/2)-3, d.H/2, 3) }

// schemaBeside is the minimum width for showing the schema next to the JSON editor.
const schemaBeside = 84

// bodyJSON adds the JSON editor. The schema is next to it or, if that does not fit, below it.
func (e *Item) bodyJSON(d *doc.Doc, focused bool) {
	w, lines := max(d.W-2, 1), e.Editor.LineCount()+1
	beside, below := e.laidOut, []string(nil)
	if d.W < schemaBeside {
		beside, below = nil, beside
	}
	if len(beside) > 0 {
		w, lines = d.W/2, max(lines, len(beside))
	}
	d.Add(max(min(lines, e.most(d)), 3), func(h int) {
		top := d.Next()
		for i, row := range e.Editor.Rows(d.Pal, d.JS, w, h, focused) {
			d.Line(func(r *paint.Row) {
				r.Gap(1)
				r.Painted(row, w)
				switch {
				case i >= len(beside):
				case i == h-1 && len(beside) > h:
					r.Put(d.Pal.Muted, " "+d.Pal.Lines.Left+" "+d.Pal.Ellipsis)
				default:
					r.Put(d.Pal.Muted, " "+d.Pal.Lines.Left+" "+beside[i])
				}
			})
		}
		d.Click(1, top, w, h, func(x, y int) {
			e.focus()
			e.Editor.Click(x, y)
		})
		if x, y := e.Editor.Cursor(); focused {
			d.Field(field{e}, 1+x, top+y)
		}
	}).Give(3, 3)
	if len(below) > 0 {
		d.Rule(paint.Span{Style: d.Pal.Muted, Text: "schema"}).Give(4, 0)
		d.Lines(len(below), func(r *paint.Row, i int) { r.Put(d.Pal.Muted, " "+below[i]) }).Give(4, 0)
	}
}

// button adds the send button of an item that has no fields.
func (e *Item) button(d *doc.Doc, focused bool) {
	d.Add(1, func(int) {
		d.Line(func(r *paint.Row) {
			mark, st := " ", d.Pal.Text
			if focused {
				mark, st = d.Pal.Bar, d.Pal.Strong
			}
			r.Put(d.Pal.Accent, mark)
			r.Put(st.On(d.Pal.Field), " "+e.shape.Verb+" ")
			switch {
			case e.reading:
				r.Put(d.Pal.Muted, "  "+paint.Spinner(d.Pal, e.p.tick.Spin)+" reading the schema, "+phrase.Size(int64(len(e.item.Raw))))
			case e.item.Kind != "resources":
				r.Put(d.Pal.Muted, "  no arguments")
			}
		})
	})
}

// maxCandidates bounds the number of visible candidates.
const maxCandidates = 6

// dropdown paints the candidates below the focused field, over the content. top is the first row of the form on
// c.
func (e *Item) dropdown(c *app.Canvas, top int) {
	v := e.values
	if v == nil || e.AsJSON || v.node != e.Node() {
		return
	}
	x, y, ok := e.Form.Cursor()
	values := v.fits(v.node.Text)
	if !ok || v.at < 0 && len(values) == 0 {
		return // nothing was requested
	}
	v.at = min(v.at, max(len(values)-1, 0))
	note := phrase.Digits(len(values))
	if v.more {
		note += " and more"
	}
	n := min(max(len(values), 1), maxCandidates, c.H-4)
	first := max(0, min(v.at, len(values)-1)-n+1)
	// Align the box with the text of the field.
	box := c.Above(x-display.Width(display.Sanitize(v.node.Text)), top+y+2, min(max(28, c.W/3), c.W), n+2)
	key, does := c.Names.Name("dialog.accept"), " accept"
	if v.selected() < 0 {
		key, does = c.Names.Name("move.down"), " choose"
		if v.completes() >= 0 {
			key, does = "tab", " complete"
		}
	}
	right := []paint.Span{{Style: c.Pal.Muted, Text: note + "  "}, {Style: c.Pal.AccentBold, Text: key}, {Style: c.Pal.Muted, Text: does}}
	if len(values) == 0 {
		right = nil
	}
	in := box.Box(nil, right, true)
	switch {
	case v.asked != nil && len(values) == 0:
		in.Say(1, c.Pal.Muted, paint.Spinner(c.Pal, e.p.tick.Spin)+" requesting values")
	case v.wrong != "":
		in.Say(1, c.Pal.Error, v.wrong)
	case len(values) == 0:
		in.Say(1, c.Pal.Muted, "no values")
	}
	for i := first; i < len(values) && i < first+n; i++ {
		in.Line(func(r *paint.Row) {
			if i != v.at {
				r.Gap(1)
				r.Put(c.Pal.Text, values[i])
				return
			}
			r.Put(c.Pal.Accent, c.Pal.Bar)
			r.Put(c.Pal.Strong, values[i])
		})
		in.Click(0, i-first, in.W, 1, func(int, int) { e.accept(i) })
	}
}
