package form

import (
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

const (
	narrowBelow = 70 // cells; then inputs and help go under their label
	minHelp     = 24 // cells of help beside an input; with less it goes under its label, too
	longRows    = 8  // rows of a long text at most
)

// layout is where the columns are, for one width.
type layout struct {
	w      int
	label  int // width of the labels, with the mark of what is required
	kind   int // width of the types
	field  int // width of the inputs at most
	pick   int // width of switches and choices, all the same
	narrow bool
}

// columns is the same for each painting of one width: nothing that is filled in
// changes it.
func (f *Form) columns(w int) layout {
	if f.laidOut && f.layout.w == w {
		return f.layout
	}
	f.laidOut = true
	l := layout{w: w, narrow: w < narrowBelow, label: 4, kind: 3}
	widest, helps := 0, false
	for i := range f.fields {
		fd := &f.fields[i]
		helps = helps || fd.Help != "" || fd.Facts != ""
		l.label = max(l.label, paint.Width(paint.Sanitize(fd.label()))+1+fd.indent())
		l.kind = max(l.kind, paint.Width(paint.Sanitize(fd.Type)))
		if fd.Kind != Long && fd.Kind != Choices && fd.Kind != Group {
			widest = max(widest, fd.need())
		}
		if fd.Kind == Toggle || fd.Kind == Choice {
			l.pick = max(l.pick, fd.need())
		}
	}
	l.label = min(l.label, w/3)
	l.kind = min(l.kind, w/5, 16)
	room := w - l.label - l.kind - 4
	l.field = max(room, 1)
	// What the inputs do not need is for the help beside them.
	if beside := min(max(room*2/5, 20), widest); !l.narrow && (!helps || room-beside-2 >= minHelp) {
		l.field = beside
	} else {
		l.narrow = true
	}
	return l
}

// anyText is the width of an input for text of any length.
const anyText = 1 << 20

// need is how wide an input has to be to show what will be in it.
func (fd *field) need() int {
	switch fd.Kind {
	case Toggle, Choice:
		if fd.widest == 0 {
			fd.widest = paint.Width(notSent)
			for _, o := range fd.Options {
				fd.widest = max(fd.widest, paint.Width(paint.Sanitize(o)))
			}
		}
		n := fd.widest
		if fd.Kind == Toggle {
			n += 2 // the mark
		}
		return max(n+6, 15) // with the arrows and a cell of air at both
	}
	if fd.Size <= 0 {
		return anyText
	}
	return max(fd.Size, paint.Width(paint.Sanitize(fd.Value))) + 1 // the cursor
}

func (fd *field) label() string {
	if fd.Label != "" {
		return fd.Label
	}
	return fd.Name
}

// input gives where the input of a field starts, from the field's own corner.
func (l layout) input(fd *field) (x, y int) {
	switch {
	case l.narrow && fd.Kind == Long:
		return 2, 1 + len(l.help(fd))
	case l.narrow:
		return 1 + min(fd.indent(), l.w/3), 1
	case fd.Kind == Long:
		return 2, max(len(l.help(fd)), 1)
	}
	return l.label + l.kind + 3, 0
}

// notSent is what shows of a field that is left out.
const notSent = "not sent"

// absent reports whether a field is left out of the values, because it is
// optional and nothing is filled in.
func (fd *field) absent() bool {
	if fd.Kind == Group {
		return fd.Summary == "" && !fd.Required
	}
	return !fd.Required && fd.Ghost == "" && fd.Kind != Long && fd.Kind != Choices && fd.value() == ""
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
		all = append(all, f.rowsOf(p, fd, focused && i == f.focus)...)
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
		n += len(f.rowsOf(p, &f.fields[i], false))
	}
	return n
}

// painted are the rows of a field without the focus, which stay the same until
// what they show changes.
type painted struct {
	of   paintedOf
	rows []string
}

type paintedOf struct {
	pal           *paint.Palette
	layout        layout
	version       int
	cursor        int // which the text is scrolled to
	choice, at    int
	changes       int
	problem, note string
}

// rowsOf gives the rows of a field, painted again when they would differ.
func (f *Form) rowsOf(p *paint.Palette, fd *field, focused bool) []string {
	if focused {
		return f.fieldRows(p, fd, true)
	}
	of := paintedOf{
		pal: p, layout: f.layout, version: fd.buf.Version(), choice: fd.choice, at: fd.at,
		changes: fd.changes, problem: fd.problem, note: fd.note, cursor: fd.buf.Offset(),
	}
	if fd.painted.rows == nil || fd.painted.of != of {
		fd.painted = painted{of, f.fieldRows(p, fd, false)}
	}
	return fd.painted.rows
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
	help := l.help(fd)
	beside := 0 // rows of help that stand beside the field and not under it
	switch {
	case fd.Kind == Group:
		out, beside = f.groupRows(r, p, fd, focused), len(help)
	case fd.Kind == Choices:
		out = f.choicesRows(r, p, fd, focused)
	case l.narrow:
		f.head(r, p, fd, focused)
		out = append(out, r.String())
		if fd.Kind != Long && (focused || !fd.absent()) {
			r.Start(l.w, paint.Style{})
			x, _ := l.input(fd)
			r.Gap(x)
			f.inputCells(r, p, fd, focused)
			out = append(out, r.String())
		}
	default:
		f.head(r, p, fd, focused)
		if fd.Kind != Long {
			f.inputCells(r, p, fd, focused)
			r.Gap(max(l.left(fd)-r.Used(), 0))
		}
		if len(help) > 0 {
			r.Put(p.Muted, help[0])
			beside = 1
		}
		out = append(out, r.String())
	}
	for _, line := range help[beside:] {
		r.Start(l.w, paint.Style{})
		r.To(l.left(fd))
		r.Put(p.Muted, line)
		out = append(out, r.String())
	}
	if fd.Kind == Long {
		out = append(out, f.longRows(p, fd, focused)...)
	}
	return f.saidRows(r, p, fd, out)
}

// saidRows adds what is wrong with a field, or worth knowing.
func (f *Form) saidRows(r *paint.Row, p *paint.Palette, fd *field, out []string) []string {
	w := f.layout.w
	if fd.problem != "" {
		for i, line := range clip(max(w-5, 1), fd.problem, 2) {
			r.Start(w, paint.Style{})
			r.Gap(2)
			if i == 0 {
				r.Put(p.Error, p.FailMark)
			}
			r.To(4)
			r.Put(p.Error, line)
			out = append(out, r.String())
		}
	} else if fd.note != "" {
		r.Start(w, paint.Style{})
		r.Gap(2)
		r.Put(p.Muted, fd.note)
		out = append(out, r.String())
	}
	return out
}

// head starts the row of a field: label, mark, type. In a narrow form it is a row
// of its own, with the type at its end.
func (f *Form) head(r *paint.Row, p *paint.Palette, fd *field, focused bool) {
	l := f.layout
	r.Start(l.w, paint.Style{})
	mark := " "
	if focused {
		mark = p.Bar
	}
	r.Put(p.Accent, mark)
	r.Gap(min(fd.indent(), l.w/3))
	name := fd.label()
	if l.narrow {
		r.Right(paint.Span{Style: p.Muted, Text: l.about(p, fd) + " "})
		width := min(max(r.Left()-1, 1), paint.Width(paint.Sanitize(name)))
		r.Cell(p.Value, name, width)
		if fd.Required {
			r.Put(p.Warn, "*")
		}
		if fd.absent() && !focused && r.Left() > len(notSent)+3 {
			r.Gap(3)
			r.Put(p.Muted, notSent)
		}
		return
	}
	room := l.label - fd.indent()
	if fd.Required {
		room--
	}
	at := r.Used() - fd.indent()
	r.Cell(p.Value, name, min(room, paint.Width(paint.Sanitize(name))))
	if fd.Required {
		r.Put(p.Warn, "*")
	}
	r.To(at + l.label)
	r.Gap(1)
	r.Cell(p.Muted, fd.Type, l.kind)
	r.Gap(1)
}

// painter shows a value that typing will replace the way a selection looks.
func (fd *field) painter(p *paint.Palette, focused bool) textfield.Painter {
	if focused && fd.fresh {
		return textfield.Plain(p.Text.Reverse())
	}
	return textfield.Plain(paint.Style{})
}

// longRows are as many while the text is empty as for what it could look like:
// nothing below moves when one starts to write.
func (f *Form) longRows(p *paint.Palette, fd *field, focused bool) []string {
	ghost := textfield.Buffer{Multi: true}
	ghost.SetValue(fd.Placeholder)
	ghost.SetOffset(0)
	h := min(max(fd.buf.LineCount(), ghost.LineCount(), 3), longRows)
	w := max(f.layout.w-3, 1)
	text := fd.buf.Rows(p, p.Field, w, h, fd.painter(p, focused))
	if fd.Placeholder != "" && fd.buf.Empty() {
		text = ghost.Rows(p, p.Muted.On(p.Field), w, h, textfield.Plain(paint.Style{}))
	}
	_, y := f.layout.input(fd)
	f.place(fd, focused, 2, fd.y+y)
	r := p.Row()
	for i, row := range text {
		r.Start(f.layout.w, paint.Style{})
		r.Gap(2)
		r.Painted(row, w)
		text[i] = r.String()
	}
	return text
}
