package jsonview

import (
	"bytes"
	"strings"
)

// query is what is searched: the bytes as they were sent. Without capitals it
// matches either case of ASCII letters.
type query struct {
	text []byte
	fold bool
}

func newQuery(s string) query {
	return query{text: []byte(s), fold: strings.ToLower(s) == s}
}

// index finds the first match in b.
func (q query) index(b []byte) int {
	if !q.fold {
		return bytes.Index(b, q.text)
	}
	lo := q.text[0]
	up := upper(lo)
	for at := 0; at+len(q.text) <= len(b); at++ {
		n := nextOf(b[at:len(b)-len(q.text)+1], lo, up)
		if n < 0 {
			return -1
		}
		at += n
		if q.at(b, at) {
			return at
		}
	}
	return -1
}

// nextOf finds the nearer of two bytes. It looks in blocks, so that the one
// which is rare is not searched to the end again and again.
func nextOf(b []byte, lo, up byte) int {
	if lo == up {
		return bytes.IndexByte(b, lo)
	}
	const block = 4096
	for at := 0; at < len(b); at += block {
		part := b[at:min(at+block, len(b))]
		i := bytes.IndexByte(part, lo)
		if i >= 0 {
			part = part[:i]
		}
		if j := bytes.IndexByte(part, up); j >= 0 {
			i = j
		}
		if i >= 0 {
			return at + i
		}
	}
	return -1
}

func (q query) at(b []byte, at int) bool {
	for i, c := range q.text {
		if d := b[at+i]; d != c && d != upper(c) {
			return false
		}
	}
	return true
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 0x20
	}
	return c
}

// Search looks for text in keys and values, from the cursor on and then from
// the start, and moves to the first hit. It tells whether there is one. An
// empty query ends the search.
func (v *View) Search(text string) bool {
	v.query = newQuery(text)
	if text == "" || v.doc.Len() == 0 {
		v.lower = nil
		return false
	}
	return v.forward(int(v.doc.off[v.cursor]))
}

// SearchNext moves to the next line with a hit, around the end if need be.
func (v *View) SearchNext() bool {
	if len(v.query.text) == 0 || v.doc.Len() == 0 {
		return false
	}
	from := len(v.doc.raw)
	if v.cursor+1 < v.doc.Len() {
		from = int(v.doc.off[v.cursor+1])
	}
	return v.forward(from)
}

// SearchPrev moves to the line with a hit before, around the start if need be.
func (v *View) SearchPrev() bool {
	if len(v.query.text) == 0 || v.doc.Len() == 0 {
		return false
	}
	from := int(v.doc.off[v.cursor])
	return v.find(0, from, true) || v.find(from, len(v.doc.raw), true)
}

func (v *View) forward(from int) bool {
	return v.find(from, len(v.doc.raw), false) || v.find(0, from, false)
}

// searched is the text that is searched: the document, or a copy of it in small
// letters, which is kept while there is a search. Searching a copy for exact
// bytes is many times faster than comparing letters of either case.
func (v *View) searched() []byte {
	if v.lower == nil {
		v.lower = make([]byte, len(v.doc.raw))
		v.counts = [256]int{}
		for i, c := range v.doc.raw {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			v.lower[i] = c
			v.counts[c]++
		}
	}
	if !v.query.fold {
		return v.doc.raw
	}
	return v.lower
}

// first finds the first match by the byte of the query that is the rarest in the
// document. In a document of a million keys that begin alike, the start of the
// query is nearly everywhere.
func (v *View) first(b, text []byte) int {
	rare, place := len(v.doc.raw), 0
	for i, c := range text {
		if n := v.counts[lower(c)]; n < rare {
			rare, place = n, i
		}
	}
	if rare > len(v.doc.raw)/64 {
		return bytes.Index(b, text)
	}
	for from := place; from < len(b); {
		n := bytes.IndexByte(b[from:], text[place])
		if n < 0 {
			return -1
		}
		at := from + n - place
		if bytes.HasPrefix(b[at:], text) {
			return at
		}
		from += n + 1
	}
	return -1
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// find moves to the first hit that starts in raw[start:end], or to the last
// one. Hits on what stands between keys and values do not count.
func (v *View) find(start, end int, back bool) bool {
	raw := v.searched()
	in := v.first
	if back {
		in = bytes.LastIndex
	}
	for start < end {
		at := in(raw[start:min(end+len(v.query.text)-1, len(raw))], v.query.text)
		if at < 0 {
			return false
		}
		at += start
		if l := v.doc.lineAt(at); v.doc.holds(l, at) {
			v.reveal(l)
			return true
		}
		if back {
			end = at
		} else {
			start = at + 1
		}
	}
	return false
}

// holds tells whether the byte at offset is in the key or the value that
// stands on line l.
func (d *Doc) holds(l, offset int) bool {
	if d.isBroken(l) {
		return true
	}
	if start, end := d.key(l); offset >= start && offset < end {
		return true
	}
	if d.isOpen(l) || d.isClose(l) {
		return false
	}
	start, end := d.Span(l)
	return offset >= start && offset < end
}
