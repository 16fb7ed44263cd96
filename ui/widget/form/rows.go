package form

import (
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

const (
	narrowBelow = 70 // cells; then help goes under its field
	longRows    = 8  // rows of a long text at most
)

// layout is where the columns are, for one width.
type layout struct {
	w      int
	label  int // width of the labels, with the mark of what is required
	kind   int // width of the types
	field  int // width of the inputs
	narrow bool
}

func (f *Form) columns(w int) layout {
	l := layout{w: w, narrow: w < narrowBelow, label: 4, kind: 3}
	for i := range f.fields {
		fd := &f.fields[i]
		l.label = max(l.label, paint.Width(paint.Sanitize(fd.label()))+1)
		l.kind = max(l.kind, paint.Width(paint.Sanitize(fd.Type)))
	}
	l.label = min(l.label, w/3)
	l.kind = min(l.kind, w/5, 16)
	room := w - l.label - l.kind - 4
	l.field = max(room, 1)
	if !l.narrow {
		l.field = max(room*2/5, 20)
	}
	return l
}

func (fd *field) label() string {
	if fd.Label != "" {
		return fd.Label
	}
	return fd.Name
}

// input gives where the input of a field starts, from the field's own corner.
func (l layout) input(fd *field) (x, y int) {
	if fd.Kind == Long {
		return 2, 1
	}
	return l.label + l.kind + 3, 0
}

// Rows paints the form: exactly h rows of w cells, scrolled so that the field
// with the focus shows.
func (f *Form) Rows(p *paint.Palette, w, h int, focused bool) []string {
	f.layout = f.columns(w)
	f.cursor = false
	var all []string
	for i := range f.fields {
		fd := &f.fields[i]
		fd.y = len(all)
		all = append(all, f.fieldRows(p, fd, focused && i == f.focus)...)
		fd.rows = len(all) - fd.y
	}
	if len(f.fields) > 0 {
		fd := &f.fields[f.focus]
		f.top = max(f.top, fd.y+fd.rows-h)
		f.top = min(f.top, fd.y)
	}
	f.top = max(min(f.top, len(all)-h), 0)
	f.below = len(all) > f.top+h
	r := p.Row()
	for len(all) < f.top+h {
		r.Start(w, paint.Style{})
		all = append(all, r.String())
	}
	return all[f.top : f.top+max(h, 0)]
}

// Hidden tells whether there are rows above and below those last painted.
func (f *Form) Hidden() (above, below bool) { return f.top > 0, f.below }

// Height is the number of rows that all fields take at a width.
func (f *Form) Height(p *paint.Palette, w int) int {
	f.layout = f.columns(w)
	n := 0
	for i := range f.fields {
		n += len(f.fieldRows(p, &f.fields[i], false))
	}
	return n
}

// Cursor is the cell of the text cursor in the rows last painted; ok when the
// field with the focus has one.
func (f *Form) Cursor() (x, y int, ok bool) {
	return f.cx, f.cy - f.top, f.cursor
}

func (f *Form) fieldRows(p *paint.Palette, fd *field, focused bool) []string {
	l := f.layout
	r := p.Row()
	var out []string
	switch fd.Kind {
	case Long:
		f.head(r, p, fd, focused)
		r.Foreign(p.Muted, fd.Help)
		out = append(out, r.String())
		out = append(out, f.longRows(p, fd, focused)...)
	case Choices:
		out = f.choicesRows(r, p, fd, focused)
	default:
		f.head(r, p, fd, focused)
		f.inputCells(r, p, fd, focused)
		if !l.narrow {
			r.Gap(2)
			r.Foreign(p.Muted, fd.Help)
		}
		out = append(out, r.String())
	}
	if l.narrow && fd.Help != "" && fd.Kind != Long {
		for _, line := range paint.WrapFirst(fd.Help, l.w-3, 2) {
			r.Start(l.w, paint.Style{})
			r.Gap(2)
			r.Put(p.Muted, line)
			out = append(out, r.String())
		}
	}
	if fd.problem != "" {
		r.Start(l.w, paint.Style{})
		r.Gap(2)
		r.Put(p.Error, p.FailMark+" ")
		r.Foreign(p.Error, fd.problem)
		out = append(out, r.String())
	}
	return out
}

// head starts the row of a field: label, mark, type.
func (f *Form) head(r *paint.Row, p *paint.Palette, fd *field, focused bool) {
	l := f.layout
	r.Start(l.w, paint.Style{})
	mark := " "
	if focused {
		mark = p.Bar
	}
	r.Put(p.Accent, mark)
	name := fd.label()
	room := l.label
	if fd.Required {
		room--
	}
	at := r.Used()
	r.ForeignCell(p.Value, name, min(room, paint.Width(paint.Sanitize(name))))
	if fd.Required {
		r.Put(p.Warn, "*")
	}
	r.To(at + l.label)
	r.Gap(1)
	r.ForeignCell(p.Muted, fd.Type, l.kind)
	r.Gap(1)
}

func (f *Form) inputCells(r *paint.Row, p *paint.Palette, fd *field, focused bool) {
	w := min(f.layout.field, r.Left())
	if fd.Kind == Text {
		if focused || !fd.buf.Empty() || fd.Placeholder == "" {
			x := r.Used()
			for _, row := range fd.buf.Rows(p, p.Field, w, 1, edit.Plain(paint.Style{})) {
				r.Painted(row, w)
			}
			f.place(fd, focused, x, fd.y)
			return
		}
		r.ForeignCell(p.Muted.On(p.Field), fd.Placeholder, w)
		return
	}
	end := r.Used() + w
	field := p.Field
	arrow := p.Muted.On(field)
	if focused {
		arrow = p.Accent.On(field)
	}
	r.Put(arrow, p.Less+" ")
	switch {
	case fd.choice < 0:
		r.ForeignCell(arrow, "not set", w-4)
	case fd.Kind == Toggle:
		mark := p.Off
		if fd.choice == 0 {
			mark = p.On
		}
		r.ForeignCell(field, mark+" "+fd.Options[fd.choice], w-4)
	default:
		r.ForeignCell(field, fd.Options[fd.choice], w-4)
	}
	r.GapOn(field, end-2-r.Used())
	r.Put(arrow, " "+p.More)
}

func (f *Form) place(fd *field, focused bool, x, y int) {
	if focused {
		cx, cy := fd.buf.Cursor()
		f.cx, f.cy, f.cursor = x+cx, y+cy, true
	}
}

func (f *Form) longRows(p *paint.Palette, fd *field, focused bool) []string {
	h := min(max(fd.buf.LineCount(), 3), longRows)
	w := max(f.layout.w-3, 1)
	var text []string
	if fd.buf.Empty() && !focused && fd.Placeholder != "" {
		var ghost edit.Buffer
		ghost.Multi = true
		ghost.SetValue(fd.Placeholder)
		ghost.SetPosition(0, 0)
		h = min(max(ghost.LineCount(), 3), longRows)
		text = ghost.Rows(p, p.Muted.On(p.Field), w, h, edit.Plain(paint.Style{}))
	} else {
		text = fd.buf.Rows(p, p.Field, w, h, edit.Plain(paint.Style{}))
		f.place(fd, focused, 2, fd.y+1)
	}
	r := p.Row()
	for i, row := range text {
		r.Start(f.layout.w, paint.Style{})
		r.Gap(2)
		r.Painted(row, w)
		text[i] = r.String()
	}
	return text
}
