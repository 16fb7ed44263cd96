package jsonview

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
)

// query is what is searched: the bytes as they were sent, and the text of strings with escapes.
// Without capitals it matches either case of ASCII letters.
type query struct {
	text []byte
	fold bool
}

func newQuery(s string) query {
	return query{text: []byte(s), fold: strings.ToLower(s) == s}
}

// index finds the first match in b, which is short.
func (q query) index(b []byte) int {
	if q.fold {
		small := make([]byte, len(b))
		for i, c := range b {
			small[i] = lower(c)
		}
		b = small
	}
	return bytes.Index(b, q.text)
}

// AtOnce is the size in bytes up to which a document is parsed and searched while the user
// waits.
const AtOnce = 256 << 10

// Find carries out a search: of a large document by run, outside of this goroutine. found is
// called after the last search that was begun; a nil find only ends the one before.
func (v *View) Find(run func(work func(context.Context) func()), find func() Match, found func(ok bool)) {
	v.searches++
	n := v.searches
	if find == nil {
		return
	}
	end := func(m Match) {
		if n == v.searches {
			found(v.Go(m))
		}
	}
	if len(v.doc.raw) <= AtOnce {
		end(find())
		return
	}
	run(func(context.Context) func() {
		m := find()
		return func() { end(m) }
	})
}

// Match is what a search has found.
type Match struct{ line int } // -1: nothing

// Search begins a search for text in keys and values. The function that it returns
// looks from the cursor on and then from the start; it reads the whole document if
// need be, may run on another goroutine while the view is used, and gives what
// [View.Go] takes. Searches of one document may overlap. An empty text ends the
// search: then the function is nil.
func (v *View) Search(text string) func() Match {
	v.query = newQuery(text)
	if text == "" {
		v.letters = nil
		return nil
	}
	return v.from(func(d *Doc) int { return d.off(v.cursor) })
}

// SearchNext is [View.Search] for the next line with the text, around the end if
// need be.
func (v *View) SearchNext() func() Match {
	return v.from(func(d *Doc) int {
		if v.cursor+1 < d.Len() {
			return d.off(v.cursor + 1)
		}
		return len(d.raw)
	})
}

func (v *View) from(start func(*Doc) int) func() Match {
	s, ok := v.search()
	if !ok {
		return nil
	}
	at := start(s.doc)
	return func() Match { return s.either(at, len(s.doc.raw), 0, at, false) }
}

// SearchPrev is [View.Search] for the line with the text before, around the start
// if need be.
func (v *View) SearchPrev() func() Match {
	s, ok := v.search()
	if !ok {
		return nil
	}
	at := s.doc.off(v.cursor)
	return func() Match { return s.either(0, at, at, len(s.doc.raw), true) }
}

// Go moves to a match. It reports whether there is one.
func (v *View) Go(m Match) bool {
	if m.line < 0 {
		return false
	}
	v.reveal(m.line)
	return true
}

// search is a query and what it is searched in.
type search struct {
	query
	doc     *Doc
	letters *letters
}

func (v *View) search() (search, bool) {
	if len(v.query.text) == 0 || v.doc.Len() == 0 {
		return search{}, false
	}
	if v.letters == nil {
		v.letters = new(letters)
	}
	return search{v.query, v.doc, v.letters}, true
}

// letters is a copy of a document in small letters, which is kept while there is a
// search. Searching a copy for exact bytes is many times faster than comparing
// letters of either case.
type letters struct {
	once   sync.Once
	small  []byte
	counts [256]int
}

func (l *letters) of(raw []byte) []byte {
	l.once.Do(func() {
		l.small = make([]byte, len(raw))
		for i, c := range raw {
			c = lower(c)
			l.small[i] = c
			l.counts[c]++
		}
	})
	return l.small
}

// first finds the first match by the byte of the query that is the rarest in the
// document. In a document of a million keys that begin alike, the start of the
// query is nearly everywhere.
func (s search) first(b, text []byte) int {
	rare, rarest := len(s.doc.raw), 0
	for i, c := range text {
		if n := s.letters.counts[lower(c)]; n < rare {
			rare, rarest = n, i
		}
	}
	if rare > len(s.doc.raw)/64 {
		return bytes.Index(b, text)
	}
	for from := rarest; from < len(b); {
		n := bytes.IndexByte(b[from:], text[rarest])
		if n < 0 {
			return -1
		}
		at := from + n - rarest
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

// either looks in one part of the document and then in another.
func (s search) either(start, end, otherStart, otherEnd int, back bool) Match {
	if l := s.find(start, end, back); l >= 0 {
		return Match{l}
	}
	return Match{s.find(otherStart, otherEnd, back)}
}

// find returns the line of the first hit that starts in raw[start:end], or of the
// last one; -1 without one. Hits on what stands between keys and values do not count.
func (s search) find(start, end int, back bool) int {
	at, text := s.literal(start, end, back), s.inEscapes(start, end, back)
	if at < 0 || text >= 0 && (text < at) != back {
		at = text
	}
	if at < 0 {
		return -1
	}
	return s.doc.lineAt(at)
}

// inEscapes returns the offset of the first string, or of the last one, that begins in
// raw[start:end] and has the query in its text, but for its escapes; -1 without one.
func (s search) inEscapes(start, end int, back bool) int {
	found := -1
	if s.letters.counts['\\'] == 0 {
		return found
	}
	tokens := jsonrpc.NewTokens(s.doc.raw)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		if bytes.IndexByte(token, '\\') < 0 {
			continue
		}
		at := jsonrpc.SpanOf(s.doc.raw, token).Start
		if at >= end {
			break
		}
		if text, ok := jsonrpc.Unquote(token); ok && at >= start && s.index([]byte(text)) >= 0 {
			if found = at; !back {
				break
			}
		}
	}
	return found
}

// literal returns the offset of the first hit in the bytes, or of the last one; -1 without one.
func (s search) literal(start, end int, back bool) int {
	raw := s.letters.of(s.doc.raw)
	if !s.fold {
		raw = s.doc.raw
	}
	in := s.first
	if back {
		in = bytes.LastIndex
	}
	for start < end {
		at := in(raw[start:min(end+len(s.text)-1, len(raw))], s.text)
		if at < 0 {
			return -1
		}
		at += start
		if l := s.doc.lineAt(at); s.doc.holds(l, at) {
			return at
		}
		if back {
			end = at
		} else {
			start = at + 1
		}
	}
	return -1
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
