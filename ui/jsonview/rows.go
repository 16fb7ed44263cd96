package jsonview

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

const (
	indent  = 2  // cells a level
	noteCol = 24 // column that aligns notes on short lines
)

// row writes line l, which may have the cursor.
func (v *View) row(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, w, l int, focused, cursor bool) {
	d := v.doc
	r.StartSelected(p, w, cursor, focused)
	if l == 0 && v.enveloped() {
		v.envelopeRow(r, p)
		return
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

// aside writes a note after a line, in the column of notes, or before that column if it would be cut there.
func aside(r *paint.Row, st paint.Style, text string) {
	r.To(max(r.Used()+2, min(noteCol, r.Used()+r.Left()-display.Width(text))))
	r.Put(st, text)
}

// depth returns the displayed depth of line l.
func (v *View) depth(l int) int {
	if n := v.doc.depth(l); n == 0 || !v.enveloped() {
		return n
	}
	return v.doc.depth(l) - 1
}

// indent moves to the start of the text of line l. Deep levels are indented by half, so that the text remains
// readable.
func (v *View) indent(r *paint.Row, p *paint.Palette, w, l int) {
	depth := v.depth(l)
	col := min(1+indent*depth, max(w/2, 1))
	r.To(col)
	switch {
	case !v.doc.isOpen(l):
	case v.isFolded(l):
		r.Sign(p.Muted, p.Folded)
	default:
		r.Sign(p.Muted, p.Unfolded)
	}
	r.To(col + indent)
}

func (v *View) member(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, l int) {
	d := v.doc
	at := v.spans(l)
	if at.keyEnd > at.key {
		v.foreign(r, js.Key, d.raw[at.key:at.keyEnd])
		r.Put(js.Punct, ": ")
	}
	value := d.raw[at.start:at.end]
	switch {
	case d.isOpen(l) && v.isFolded(l):
		r.PutBytes(js.Punct, value[:1])
		r.Put(js.Punct, " "+phrase.Digits(d.children(l))+" ")
		r.PutBytes(js.Punct, []byte{value[0] + 2})
	case d.isOpen(l):
		r.PutBytes(js.Punct, value[:1])
	case value[0] == '{':
		r.Put(js.Punct, "{}")
	case value[0] == '[':
		r.Put(js.Punct, "[]")
	default:
		if len(value) > r.Left() {
			r.Right(paint.Span{Style: p.Muted, Text: phrase.Size(int64(len(value)))})
		}
		v.foreign(r, scalarStyle(js, value[0]), value)
	}
}

// spans holds the byte positions of a line's key and value.
type spans struct{ key, keyEnd, start, end int }

// longLine is the size above which the spans of a line are cached. Finding the end of a long key, or the value
// after much white space, takes time in proportion to its size.
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

// foreign paints a key or value with the hits of the search marked.
func (v *View) foreign(r *paint.Row, st paint.Style, b []byte) {
	if len(v.query.text) > 0 {
		r.Find([]string{string(v.query.text)})
	}
	r.PutBytes(st, b)
	r.Find(nil)
}

func (v *View) broken(r *paint.Row, p *paint.Palette, l int) {
	r.Put(p.Error, p.FailMark+" "+v.doc.err.Error())
	if rest := v.doc.raw[v.doc.off(l):]; len(rest) > 0 {
		r.Gap(2)
		r.PutBytes(p.Muted, rest)
	}
}

// clicked folds or unfolds at the cursor for a click on a fold mark.
func (v *View) clicked(x int) {
	if mark := 1 + indent*v.depth(v.cursor); v.doc.isOpen(v.cursor) && x >= mark && x <= mark+1 {
		v.Toggle()
	}
}
