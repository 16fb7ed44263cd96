package form

import (
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

const (
	narrowBelow = 70 // cells; in a narrower form, help is under the input
	minHelp     = 30 // minimum cells of help next to an input; if there are fewer, help is under the input
	minText     = 28 // minimum cells of a text input with help next to it; if there are fewer, help is under the input
	minInput    = 24 // minimum cells of an input next to its label; if there are fewer, the input is under the label
	longRows    = 8  // maximum rows of a long text
	maxIndent   = 16 // maximum cells by which nested rows are indented
)

// A layout holds the positions of the columns for one width.
type layout struct {
	w       int
	label   int  // width of the labels, including the mark of required fields
	kind    int  // width of the types
	field   int  // maximum width of the inputs
	pick    int  // width of all switches and choices
	narrow  bool // help is under the input
	brief   bool // only the focused row has help
	tight   bool // help is shortened: next to a heading, and one row under an input
	stacked bool // the input is under its label
}

// view describes how a form was last painted.
type view struct {
	layout
	laidOut bool
	air     bool // empty rows separate the fields
	aired   room // size that it was computed for
	fitted  int  // number of rows for which tight was computed, or 0
	top     int  // number of rows above the visible ones
	focused bool
}

// room is the number of rows for a form and the index of the focused row.
type room struct {
	h, focus int
	focused  bool
}

// layOut computes the layout for a width. It does not depend on values.
func (f *Form) layOut(w int) {
	v := &f.view
	if v.laidOut && v.w == w {
		return
	}
	v.laidOut, v.aired, v.fitted, v.layout = true, room{}, 0, layout{w: w, narrow: w < narrowBelow}
	l := &v.layout
	widest, help := l.measure(f.rows)
	helps := help > 0
	cut := l.label > w/3
	l.label = min(l.label, w/3)
	l.kind = min(l.kind, w/4, 16)
	room := w - l.label - l.kind - 4
	l.field = max(room, 1)
	// Help next to the inputs gets the space that the inputs do not need.
	if beside := min(max(room*2/5, 20), widest); !l.narrow && (!helps || room-beside-2 >= minHelp && beside >= min(widest, minText)) {
		l.field = beside
	} else {
		l.narrow, l.stacked = true, cut || room < minInput
	}
}

// measure returns the width of the widest input and of the longest help. It also sets the widths of
// the columns.
func (l *layout) measure(rows []*row) (widest, help int) {
	l.label, l.kind = 4, 3
	for _, r := range rows {
		r.measure()
		help = max(help, display.Width(display.Sanitize(r.help()+", "+r.facts()))-2)
		if facts := display.Width(display.Sanitize(r.facts())); facts > 0 && r.need < minText {
			help = max(help, r.need+2+facts) // help next to the input
		}
		l.label = max(l.label, display.Width(display.Sanitize(r.label()))+1+r.indent())
		l.kind = max(l.kind, display.Width(display.Sanitize(r.typeName())))
		widest = max(widest, r.need)
		if r.kind == toggle || r.kind == choice {
			l.pick = max(l.pick, r.need)
		}
	}
	return widest, help
}

// anyText is the width that an input needs for text of any length.
const anyText = 1 << 20

// measure computes the width that an input of one row needs for its content.
func (r *row) measure() {
	r.need = 0
	switch r.kind {
	case toggle, choice:
		for _, o := range append([]string{notSent}, r.options()...) {
			r.need = max(r.need, display.Width(display.Sanitize(o)))
		}
		if r.kind == toggle {
			r.need += 2 // the mark
		}
		r.need = max(r.need+6, 15) // arrows, and a blank next to each
	case oneLine:
		r.need = anyText
		if size := r.size(); size > 0 {
			r.need = max(size, display.Width(display.Sanitize(r.text()))) + 1 // the cursor
		}
	}
}

// input returns the position where a row's input starts, relative to the corner of the row.
func (l layout) input(r *row, focused bool) (x, y int) {
	help := len(l.helpRows(r, focused))
	switch {
	case l.stacked && r.kind == manyLines:
		return 2, 1 + help
	case l.stacked:
		return 1 + min(r.indent(), l.w/3), 1
	case r.kind == manyLines:
		return 2, max(help, 1)
	}
	return l.label + l.kind + 3, 0
}

func (r *row) indent() int { return min(2*r.depth, maxIndent) }

// Rows paints the form in exactly h rows of w cells. It scrolls to keep the focused row visible.
// Marks show that there are more rows.
func (f *Form) Rows(p *paint.Palette, w, h int, focused bool) []string {
	f.layOut(w)
	v := &f.view
	if v.focused = focused; v.aired != (room{h, f.focus, focused}) {
		v.aired = room{h, f.focus, focused} // so that typing does not move other fields
		v.brief = false
		if v.fitted != h {
			v.fitted, v.tight = h, f.whole(p) > h // help is more important than empty rows
		}
		gaps := f.gaps()
		if v.air = f.height(p, focused)+gaps <= h; !v.air && v.narrow {
			v.brief = true // help between all labels and inputs would hide which ones belong together
			v.air = f.height(p, focused)+gaps <= h
		}
	}
	line := p.Row()
	line.Start(w, paint.Style{})
	empty := line.String()
	var all []string
	for i, r := range f.rows {
		if v.air && i > 0 && r.depth == 0 {
			all = append(all, empty)
		}
		r.y = len(all)
		all = append(all, v.rowsOf(p, r, focused && i == f.focus)...)
		r.rows = len(all) - r.y
	}
	if r := f.focused(); r != nil {
		v.top = min(max(v.top, r.y+r.rows-h), r.y)
	}
	v.top = max(min(v.top, len(all)-h), 0)
	below := len(all) > v.top+h
	for len(all) < v.top+h {
		all = append(all, empty)
	}
	return p.MarkHidden(all[v.top:v.top+max(h, 0)], v.top > 0, below)
}

// Height returns the number of rows that the whole form needs at a width, with empty rows between
// the fields.
func (f *Form) Height(p *paint.Palette, w int) int {
	f.layOut(w)
	brief := f.view.brief
	f.view.brief = false
	n := f.whole(p) + f.gaps()
	f.view.brief = brief
	return n
}

// whole returns the number of rows with all help and without empty rows.
func (f *Form) whole(p *paint.Palette) (n int) {
	n = f.height(p, false)
	if !f.view.tight {
		return n
	}
	l := f.view.layout
	l.tight = false
	for _, r := range f.rows {
		switch {
		case r.kind == heading && l.helpUnder(r):
			n += len(l.helpRows(r, false))
		case r.kind != heading && l.narrow:
			n += len(l.helpRows(r, false)) - len(f.view.helpRows(r, false))
		}
	}
	return n
}

// height returns the number of rows without empty rows.
func (f *Form) height(p *paint.Palette, focused bool) (n int) {
	for i, r := range f.rows {
		n += len(f.view.rowsOf(p, r, focused && i == f.focus))
	}
	return n
}

// gaps returns the number of empty rows between the fields. There are none between the parts of a
// field.
func (f *Form) gaps() (n int) {
	for i, r := range f.rows {
		if i > 0 && r.depth == 0 {
			n++
		}
	}
	return n
}

// Cursor returns the cell of the text cursor in the newest painted rows. ok is false if the focused row has
// none.
func (f *Form) Cursor() (x, y int, ok bool) {
	r := f.focused()
	if r == nil || !f.view.focused || !r.isTyped() {
		return 0, 0, false
	}
	left, top := f.view.input(r, true)
	x, y = r.buf.Cursor()
	return left + x, r.y + top + y - f.view.top, true
}

// painted caches the rows that do not have the focus. They are painted again when their content
// changes.
type painted struct {
	of   paintedOf
	rows []string
}

type paintedOf struct {
	pal           *paint.Palette
	layout        layout
	text          string
	cursor        int // cursor position for which the text was scrolled
	at            int
	set           bool
	filled        int // number of members that the heading displays
	problem, note string
}

// shownFilled returns the number of members that the row displays, or 0.
func (r *row) shownFilled() int {
	if !r.isOpen() {
		return 0
	}
	return r.filled()
}

// rowsOf returns the painted rows of a row. It paints them only if they have changed.
func (v *view) rowsOf(p *paint.Palette, r *row, focused bool) []string {
	if focused {
		return v.paint(p, r, true)
	}
	of := paintedOf{
		pal: p, layout: v.layout, text: r.text(), cursor: r.buf.Offset(), at: r.at,
		set: r.kind == heading && r.node.IsSet(), filled: r.shownFilled(), problem: r.problem, note: r.note,
	}
	if r.painted.rows == nil || r.painted.of != of {
		r.painted = painted{of, v.paint(p, r, false)}
	}
	return r.painted.rows
}

func (v *view) paint(p *paint.Palette, r *row, focused bool) []string {
	w := p.Row()
	var out []string
	help := v.helpRows(r, focused)
	beside := 0 // rows of help next to the input instead of under it
	switch {
	case r.kind == heading:
		under := len(help) > 0 && v.helpUnder(r)
		if out = v.headingRows(w, p, r, focused, under); !under {
			beside = len(help)
		}
	case r.kind == choices:
		out = v.choicesRows(w, p, r, focused)
	case v.stacked:
		v.head(w, p, r, focused)
		out = append(out, w.String())
		if r.kind != manyLines && (focused || r.emptyState() == "") {
			w.Start(v.w, paint.Style{})
			x, _ := v.input(r, focused)
			w.Gap(x)
			v.inputCells(w, p, r, focused)
			out = append(out, w.String())
		}
	default:
		v.head(w, p, r, focused)
		if r.kind != manyLines {
			v.inputCells(w, p, r, focused)
			w.Gap(max(v.left(r)-w.Used(), 0))
		}
		if _, short := v.besideShort(r); len(help) > 0 && (short || !v.narrow) {
			w.Put(p.Muted, help[0])
			beside = 1
		}
		out = append(out, w.String())
	}
	for _, line := range help[beside:] {
		w.Start(v.w, paint.Style{})
		w.To(v.left(r))
		w.Put(p.Muted, line)
		out = append(out, w.String())
	}
	if r.kind == manyLines {
		out = append(out, v.longRows(p, r, focused)...)
	}
	return v.saidRows(w, p, r, out)
}

// saidRows adds the problem or the note about the row's value.
func (v *view) saidRows(w *paint.Row, p *paint.Palette, r *row, out []string) []string {
	if r.problem != "" {
		for i, line := range display.WrapMost(r.problem, max(v.w-5, 1), 2) {
			w.Start(v.w, paint.Style{})
			w.Gap(2)
			if i == 0 {
				w.Put(p.Error, p.FailMark)
			}
			w.To(4)
			w.Put(p.Error, line)
			out = append(out, w.String())
		}
	} else if r.note != "" {
		w.Start(v.w, paint.Style{})
		w.Gap(2)
		w.Put(p.Muted, r.note)
		out = append(out, w.String())
	}
	return out
}

// head starts a row with the label, the mark and the type. In a stacked form, these are a separate
// row, with the type at its end.
func (v *view) head(w *paint.Row, p *paint.Palette, r *row, focused bool) {
	w.Start(v.w, paint.Style{})
	mark := paint.If(focused, p.Bar, " ")
	w.Put(p.Accent, mark)
	w.Gap(min(r.indent(), v.w/3))
	name := r.label()
	if v.stacked {
		spans := v.typeAndFacts(p, r)
		width := min(max(w.Left()-display.Width(spans)-4, 1), display.Width(display.Sanitize(name)))
		w.Cell(p.Value, name, width)
		if r.isRequired() {
			w.Put(p.Warn, "*")
		}
		if at := v.label + 3; w.Used()+2 <= at && at+display.Width(spans)+r.besideType(focused) < v.w {
			w.To(at) // aligns the types in a column
		} else {
			w.Gap(2)
		}
		w.Put(p.Muted, spans)
		if state := r.emptyState(); state != "" && !focused && w.Left() > len(state)+3 {
			w.To(v.w - len(state) - 2) // leaves room for a mark of hidden rows
			w.Put(paint.If(state == notSent, p.Muted, p.Warn), state)
		}
		return
	}
	room := v.label - r.indent()
	if r.isRequired() {
		room--
	}
	at := w.Used() - r.indent()
	w.Cell(p.Value, name, min(room, display.Width(display.Sanitize(name))))
	if r.isRequired() {
		w.Put(p.Warn, "*")
	}
	w.To(at + v.label)
	w.Gap(1)
	w.Cell(p.Muted, r.typeName(), v.kind)
	w.Gap(1)
}
