package jsonview

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
)

// A query is a text to search: its bytes as sent, and the decoded text of strings with escapes. Without
// capitals, the case of ASCII letters is ignored.
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
		b = inSmall(b)
	}
	return bytes.Index(b, q.text)
}

// inSmall returns a copy with ASCII letters in lower case. Positions stay the same.
func inSmall(b []byte) []byte {
	small := bytes.Clone(b)
	for i, c := range small {
		if c >= 'A' && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return small
}

// AtOnce is the size, in bytes, up to which a document is parsed and searched while the user waits.
const AtOnce = 256 << 10

// Find runs a search, with run on another goroutine if the document is large. found is called after the newest
// search. A nil find only ends the previous search. only reports that [View.SearchNext] or [View.SearchPrev]
// has returned to its starting line.
func (v *View) Find(run func(work func(context.Context) func()), find func() Match, found func(ok, only bool)) {
	v.searches++
	n := v.searches
	if find == nil {
		return
	}
	end := func(m Match) {
		if n == v.searches {
			found(v.Go(m), m.only)
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

// A Match is the result of a search.
type Match struct {
	line int  // -1: nothing
	only bool // the search has returned to its starting line
}

// Search starts a search for text in keys and values. The returned function searches from the cursor and then
// from the start. It may read the whole document, may run on another goroutine while the view is in use, and
// returns what [View.Go] accepts. Searches of one document may overlap. For an empty text, the search ends and
// the function is nil.
func (v *View) Search(text string) func() Match {
	v.query = newQuery(text)
	if text == "" {
		v.small = nil
		return nil
	}
	return v.searchFrom(v.cursor, false)
}

// SearchNext is like [View.Search], but for the next line with the text, wrapping around the end.
func (v *View) SearchNext() func() Match { return v.searchFrom(v.cursor+1, false) }

// SearchPrev is like [View.Search], but for the previous line with the text, wrapping around the start.
func (v *View) SearchPrev() func() Match { return v.searchFrom(v.cursor, true) }

// searchFrom searches from the start of a line forward, or backward from it, and then in the rest.
func (v *View) searchFrom(line int, back bool) func() Match {
	if len(v.query.text) == 0 {
		return nil
	}
	if v.small == nil {
		v.small = sync.OnceValue(func() []byte { return inSmall(v.doc.raw) })
	}
	s, at := search{v.query, v.doc, v.small}, len(v.doc.raw)
	from, again := v.cursor, back || line > v.cursor
	if line < v.doc.Len() {
		at = v.doc.off(line)
	}
	parts := [2][2]int{{at, len(v.doc.raw)}, {0, at}}
	if back {
		slices.Reverse(parts[:])
	}
	return func() Match {
		found := s.find(parts[0][0], parts[0][1], back)
		if found < 0 {
			found = s.find(parts[1][0], parts[1][1], back)
		}
		return Match{found, again && found == from}
	}
}

// Go moves to a match. It reports whether there is one.
func (v *View) Go(m Match) bool {
	if m.line < 0 {
		return false
	}
	v.reveal(m.line)
	return true
}

// A search is a query and the document that it is searched in.
type search struct {
	query
	doc   *Doc
	small func() []byte // see [View]
}

// find returns the line of the first or last match that starts in raw[start:end], or -1. Matches between keys
// and values do not count.
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

// inEscapes returns the offset of the first or last string that starts in raw[start:end] and contains the query
// only in its decoded text, or -1.
func (s search) inEscapes(start, end int, back bool) int {
	found := -1
	if bytes.IndexByte(s.doc.raw, '\\') < 0 {
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

// literal returns the offset of the first or last match in the bytes, or -1.
func (s search) literal(start, end int, back bool) int {
	raw := s.doc.raw
	if s.fold {
		raw = s.small()
	}
	in := bytes.Index
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

// holds reports whether the byte at offset is in the key or the value on line l.
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
