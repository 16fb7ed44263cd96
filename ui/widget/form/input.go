package form

import "mcptea/ui/paint"

// inputCells paints the input of a field that takes one row.
func (f *Form) inputCells(r *paint.Row, p *paint.Palette, fd *field, focused bool) {
	need := fd.need()
	if fd.Kind != Text {
		need = f.layout.pick
	}
	w, y := max(min(f.layout.field, r.Left(), need), 1), fd.y
	if f.layout.narrow {
		y++
		if w = max(r.Left()-1, 1); fd.Kind != Text {
			w = min(w, need)
		}
	} else if fd.absent() && !focused {
		r.Put(p.Muted, notSent)
		return
	}
	ground := f.ground(p)
	if fd.Kind == Text {
		rows := fd.buf.Rows(p, ground, w, 1, fd.painter(p, focused))
		f.place(fd, focused, r.Used(), y)
		if ghost := fd.ghost(); ghost != "" {
			r.Cell(p.Muted.On(ground), ghost, w)
			return
		}
		for _, row := range rows {
			r.Painted(row, w)
		}
		return
	}
	end := r.Used() + w
	field := ground
	arrow := p.Muted.On(field)
	if focused {
		arrow = p.Accent.On(field)
	}
	r.Put(arrow, p.Less+" ")
	switch {
	case fd.choice < 0:
		r.Cell(arrow, fd.unset(), w-4)
	case fd.Kind == Toggle:
		mark := p.Off
		if fd.choice == 0 {
			mark = p.On
		}
		r.Cell(field, mark+" "+fd.Options[fd.choice], w-4)
	default:
		r.Cell(field, fd.Options[fd.choice], w-4)
	}
	r.GapOn(field, end-2-r.Used())
	r.Put(arrow, " "+p.More)
}

// ghost is what shows in an empty text field: what a value could look like, or
// that none is sent.
func (fd *field) ghost() string {
	switch {
	case !fd.buf.Empty():
		return ""
	case fd.Ghost != "":
		return fd.Ghost
	case fd.Placeholder != "" || fd.Required:
		return fd.Placeholder
	}
	return notSent
}

// unset is what shows in a choice without one.
func (fd *field) unset() string {
	if fd.Ghost != "" {
		return fd.Ghost
	}
	if fd.Required {
		return "not set"
	}
	return notSent
}

// ground is the style of inputs. The line under them tells them apart where they
// are stacked, and shows an empty one without colors.
func (f *Form) ground(p *paint.Palette) paint.Style {
	if f.groundOf != p {
		f.groundOf, f.grounds = p, p.Field.Underline()
	}
	return f.grounds
}

func (f *Form) place(fd *field, focused bool, x, y int) {
	if focused {
		cx, cy := fd.buf.Cursor()
		f.cx, f.cy, f.cursor = x+cx, y+cy, true
	}
}
