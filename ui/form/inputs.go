package form

import (
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// headingRows paints a heading: its mark, label and type, its value in short, and what its keys do.
func (v *view) headingRows(w *paint.Row, p *paint.Palette, r *row, focused, under bool) []string {
	v.head(w, p, r, focused)
	text, st := r.summary(), p.Text
	if text == "" && !r.isRequired() {
		text, st = notSent, p.Muted
	}
	var out []string
	if v.stacked && !focused && r.isAbsent() {
		return append(out, w.String())
	}
	const apart, sign = 3, 2
	need := apart + sign + display.Width(display.Sanitize(text))
	if focused && r.hint() != "" {
		need += apart + display.Width(r.hint())
	} else if help := r.help(); help != "" && !under {
		need += apart + display.Width(display.Sanitize(help))
	}
	switch {
	case v.stacked && w.Left() > need: // beside the label, as in a wide form
		w.Gap(apart)
	case v.stacked:
		out = append(out, w.String())
		w.Start(v.w, paint.Style{})
		w.Gap(1 + min(r.indent(), v.w/3))
	}
	mark := paint.If(r.isOpen(), p.Unfolded, p.Folded)
	w.Put(p.Accent, mark+" ")
	hint := ""
	if focused {
		hint = r.hint()
	}
	room := max(w.Left()-1, 1)
	if hint != "" {
		room = max(room-display.Width(hint)-3, min(room, 10))
	}
	w.Cell(st, text, min(room, display.Width(display.Sanitize(text))))
	if hint == "" && !under {
		hint = r.help()
	}
	if w.Left() > 6 && hint != "" {
		w.Gap(3)
		w.Cell(p.Muted, hint, min(w.Left()-1, display.Width(display.Sanitize(hint))))
	}
	return append(out, w.String())
}

// besideType returns the number of cells that a heading of a stacked form needs after its type, for
// its summary and its hint.
func (r *row) besideType(focused bool) int {
	if r.kind != heading || r.isAbsent() {
		return 0
	}
	need := 5 + display.Width(display.Sanitize(r.summary()))
	if focused && r.hint() != "" {
		need += 3 + display.Width(r.hint())
	}
	return need
}

// inputCells paints an input that is one row high.
func (v *view) inputCells(w *paint.Row, p *paint.Palette, r *row, focused bool) {
	need := r.need
	if r.kind != oneLine {
		need = v.pick
	}
	width := max(min(v.field, w.Left(), need), 1)
	if v.stacked {
		if width = max(w.Left()-1, 1); r.kind != oneLine {
			width = min(width, need)
		}
	} else if r.isAbsent() && !focused {
		w.Put(p.Muted, notSent)
		return
	}
	if r.kind == oneLine {
		at := r.buf.Offset()
		if !focused {
			r.buf.SetOffset(0) // the start of the text is visible
		}
		text := r.buf.Rows(p, p.Field, width, 1, r.painter(p, focused))[0]
		r.buf.SetOffset(at)
		switch ghost := r.ghost(); {
		case ghost != "":
			from := w.Used()
			w.Cell(p.Muted.On(p.Field), ghost, min(width, display.Width(display.Sanitize(ghost))))
			w.GapOn(empty(p, focused), from+width-w.Used())
		case !focused && display.Width(display.Sanitize(r.text())) > width:
			w.Painted(paint.Slice(text, 0, width-1), width-1)
			w.Put(p.Muted, p.Ellipsis)
			if p.IsCopying() {
				rest, _ := paint.SkipCells(display.Sanitize(r.text()), width-1)
				w.CutOff(rest)
			}
		case focused:
			w.Painted(text, width)
		default:
			n := min(width, display.Width(display.Sanitize(r.text())))
			w.Painted(paint.Slice(text, 0, n), n)
			w.GapOn(empty(p, focused), width-n)
		}
		return
	}
	end := w.Used() + width
	arrow := p.Muted.On(p.Field)
	if focused {
		arrow = p.Accent.On(p.Field)
	}
	w.Put(arrow, p.Less+" ")
	st, text := p.Field, r.text()
	switch {
	case text == "":
		st, text = arrow, r.ghost()
	case r.kind == toggle && text == toggles[0]:
		text = p.On + " " + text
	case r.kind == toggle:
		text = p.Off + " " + text
	}
	w.Cell(st, text, min(width-4, display.Width(display.Sanitize(text))))
	w.GapOn(empty(p, focused), end-2-w.Used())
	w.Put(arrow, " "+p.More)
}

// painter returns a painter for a text. If typing will replace the text, the text looks selected.
func (r *row) painter(p *paint.Palette, focused bool) textfield.Painter {
	if focused && r.fresh {
		return textfield.Plain(p.Cursor)
	}
	return textfield.Plain(paint.Style{})
}

func (v *view) longRows(p *paint.Palette, r *row, focused bool) []string {
	width := max(v.w-3, 1)
	text := r.buf.Rows(p, p.Field, width, min(max(r.buf.LineCount(), 3), longRows), r.painter(p, focused))
	w := p.Row()
	for i, line := range text {
		w.Start(v.w, paint.Style{})
		w.Gap(2)
		w.Painted(line, width)
		text[i] = w.String()
	}
	return text
}

// empty returns the style for the empty part of an input. Without an underline in the focused
// input, the cursor is visible and typed text does not look like a link.
func empty(p *paint.Palette, focused bool) paint.Style {
	if focused {
		return p.Field
	}
	return p.FieldLine
}
