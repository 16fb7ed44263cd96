package jsonview

import "mcptea/ui/paint"

const (
	indent  = 2  // cells a level
	noteCol = 24 // notes on short lines stand under each other
)

// Rows paints the window: exactly h rows of w cells. It moves the window so
// that the cursor shows.
func (v *View) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	if h <= 0 {
		return nil
	}
	v.height = h
	v.follow(true)
	return v.paint(p, js, w, h, focused, true)
}

// Head paints the first h rows, without the cursor.
func (v *View) Head(p *paint.Palette, js paint.JSONStyles, w, h int) []string {
	return v.paint(p, js, w, h, false, false)
}

// paint paints h rows from the top of the window on, with the cursor if it is wanted.
func (v *View) paint(p *paint.Palette, js paint.JSONStyles, w, h int, focused, cursor bool) []string {
	out := make([]string, 0, max(h, 0))
	r := p.Row()
	line := v.top
	if v.doc.Len() == 0 {
		line = -1
	}
	for range h {
		if line < 0 {
			r.Start(w, paint.Style{})
			out = append(out, r.String())
			continue
		}
		v.row(r, p, &js, w, line, focused, cursor)
		out = append(out, r.String())
		line = v.next(line)
	}
	return out
}

// follow moves the window as little as it takes to show the cursor, and back
// from the end when rows would stay empty and that is wanted.
func (v *View) follow(fill bool) {
	if v.doc.Len() == 0 {
		return
	}
	if v.centre {
		v.centre = false
		v.top = v.walk(v.cursor, -v.height/2)
	}
	if v.cursor <= v.top {
		v.top = v.cursor
	} else if last := v.walk(v.top, v.height-1); v.cursor > last {
		v.top = v.walk(v.cursor, 1-v.height)
	}
	if !fill {
		return
	}
	below, l := 0, v.top
	for ; below < v.height-1; below++ {
		if l = v.next(l); l < 0 {
			break
		}
	}
	if l < 0 {
		v.top = v.walk(v.top, below+1-v.height)
	}
}

func (v *View) row(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, w, l int, focused, cursor bool) {
	d := v.doc
	if l == v.cursor && cursor {
		r.Start(w, p.Selected)
		if focused {
			r.Put(p.Accent, p.Bar)
		} else {
			r.Put(p.Muted, p.Bar)
		}
	} else {
		r.Start(w, paint.Style{})
	}
	v.indent(r, p, w, l)
	switch {
	case d.isBroken(l):
		v.broken(r, p, l)
		return
	case d.isClose(l):
		r.PutBytes(js.Punct, d.raw[d.off(l):d.off(l)+1])
	default:
		v.member(r, p, js, l)
	}
	if note, ok := v.notes[l]; ok {
		aside(r, p.Muted, note)
	}
	if mark, ok := v.marks[l]; ok {
		aside(r, mark.Style, mark.Text)
	}
}

// aside writes a note after a line, in the column of notes; before it, where it would be cut there.
func aside(r *paint.Row, st paint.Style, text string) {
	r.To(max(r.Used()+2, min(noteCol, r.Used()+r.Left()-paint.Width(text))))
	r.Put(st, text)
}

// indent goes to where the text of line l starts. Deep levels are drawn at
// half the width, else nothing could be read there.
func (v *View) indent(r *paint.Row, p *paint.Palette, w, l int) {
	depth := v.doc.depth(l)
	col := min(1+indent*depth, max(w/2, 1))
	r.To(col)
	switch {
	case !v.doc.isOpen(l):
	case v.isFolded(l):
		r.Put(p.Muted, p.Folded)
	default:
		r.Put(p.Muted, p.Unfolded)
	}
	r.To(col + indent)
}

func (v *View) member(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, l int) {
	d := v.doc
	at := v.spans(l)
	if at.keyEnd > at.key {
		v.foreign(r, p, js.Key, d.raw[at.key:at.keyEnd])
		r.Put(js.Punct, ": ")
	}
	value := d.raw[at.start:at.end]
	switch {
	case d.isOpen(l) && v.isFolded(l):
		r.PutBytes(js.Punct, value[:1])
		r.Put(js.Punct, " "+paint.HumanCount(d.children(l))+" ")
		r.PutBytes(js.Punct, []byte{value[0] + 2})
	case d.isOpen(l):
		r.PutBytes(js.Punct, value[:1])
	case value[0] == '{':
		r.Put(js.Punct, "{}")
	case value[0] == '[':
		r.Put(js.Punct, "[]")
	default:
		if len(value) > r.Left() {
			r.Right(paint.Span{Style: p.Muted, Text: paint.HumanSize(int64(len(value)))})
		}
		v.foreign(r, p, scalarStyle(js, value[0]), value)
	}
}

// spans are where the key and the value of a line are, in bytes.
type spans struct{ key, keyEnd, start, end int }

// longLine is the size from which the spans of a line are remembered: finding
// the end of a long key, or what follows after much white space, costs as much
// as there is of it.
const longLine = 4 << 10

// maxLongLines bounds the memory for them.
const maxLongLines = 1024

func (v *View) spans(l int) spans {
	if s, ok := v.long[l]; ok {
		return s
	}
	d := v.doc
	var s spans
	s.key, s.keyEnd = d.key(l)
	s.start, s.end = d.Span(l)
	next := len(d.raw)
	if l+1 < d.Len() {
		next = d.off(l + 1)
	}
	if s.start-s.key > longLine || next-s.end > longLine && !d.isOpen(l) {
		if v.long == nil || len(v.long) >= maxLongLines {
			v.long = map[int]spans{}
		}
		v.long[l] = s
	}
	return s
}

func scalarStyle(js *paint.JSONStyles, first byte) paint.Style {
	switch first {
	case '"':
		return js.String
	case 't', 'f', 'n':
		return js.Literal
	}
	return js.Number
}

// foreign paints a key or value with the hits of the search marked. Only the
// part that can show is searched.
func (v *View) foreign(r *paint.Row, p *paint.Palette, st paint.Style, b []byte) {
	n := len(v.query.text)
	if n == 0 {
		r.PutBytes(st, b)
		return
	}
	for r.Left() > 0 && len(b) > 0 {
		at := v.query.index(b[:min(len(b), r.Left()*4+n)])
		if at < 0 {
			r.PutBytes(st, b)
			return
		}
		r.PutBytes(st, b[:at])
		r.PutBytes(st.On(p.Match), b[at:at+n])
		b = b[at+n:]
	}
}

func (v *View) broken(r *paint.Row, p *paint.Palette, l int) {
	r.Put(p.Error, p.FailMark+" "+v.doc.err.Error())
	if rest := v.doc.raw[v.doc.off(l):]; len(rest) > 0 {
		r.Gap(2)
		r.PutBytes(p.Muted, rest)
	}
}

// Click moves the cursor to the line painted in a row, counted from 0; on a
// fold mark it folds or unfolds. It tells whether there is a line.
func (v *View) Click(x, row int) bool {
	if v.doc.Len() == 0 || row < 0 {
		return false
	}
	l := v.top
	for range row {
		if l = v.next(l); l < 0 {
			return false
		}
	}
	v.cursor = l
	if mark := 1 + indent*v.doc.depth(l); v.doc.isOpen(l) && x >= mark && x <= mark+1 {
		v.Toggle()
	}
	return true
}
