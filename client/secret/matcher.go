package secret

import (
	"slices"
	"strings"
)

const (
	// block is the number of bytes that determine how far the search can skip.
	block = 3
	// headLength is the number of bytes of a needle that select the needles to compare. No needle is shorter.
	headLength = 4
	// tableSize is the number of the hashes of blocks.
	tableSize = 1 << 12
	// maxWindow is the longest window, and the length of the shortest beginning of a needle that is
	// found where a text ends.
	maxWindow = 8
)

// matcher searches a text for all needles of a set simultaneously, with the algorithm of Wu and Manber ("A fast
// algorithm for multi-pattern searching", 1994): it reads the last block of a window as long as the shortest
// needle, and skips as many bytes as no needle can have that block in. It is immutable. The zero value and nil
// find nothing.
type matcher struct {
	window int
	shift  [tableSize]uint8
	heads  map[[headLength]byte][]*needle
}

// span is a range of a text. A weak span is a word next to a letter, digit or underscore: it counts only if
// that belongs to another value.
type span struct {
	start, end int
	weak       bool
}

// A partial is a needle whose start is at the end of a text.
type partial struct {
	*needle
	length int // length of that start
}

func newMatcher(needles []*needle) *matcher {
	if len(needles) == 0 {
		return nil
	}
	m := &matcher{window: maxWindow, heads: make(map[[headLength]byte][]*needle, len(needles))}
	for _, n := range needles {
		m.window = min(m.window, len(n.text))
	}
	for i := range m.shift {
		m.shift[i] = uint8(m.window - block + 1)
	}
	for _, n := range needles {
		for end := block; end <= m.window; end++ {
			h := hash(n.text[end-block], n.text[end-block+1], n.text[end-1])
			m.shift[h] = min(m.shift[h], uint8(m.window-end))
		}
		key := [headLength]byte([]byte(n.text[:headLength]))
		m.heads[key] = append(m.heads[key], n)
	}
	return m
}

func hash(a, b, c byte) uint32 {
	return (uint32(a)*0x9E5 + uint32(b)*0x1F3 + uint32(c)*0x2F) % tableSize
}

// folded are the bytes with the letters of ASCII in lower case.
var folded = func() (to [256]byte) {
	for i := range to {
		to[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			to[i] += 'a' - 'A'
		}
	}
	return to
}()

// search calls found with each range of the text that is a needle, or the start of one if the text ends or is
// cut there. Its time grows with the length of the text, not with the lengths of the needles.
func search[T string | []byte](m *matcher, text T, found func(span, partial)) {
	var followed map[*needle]int // index at which the search for a long needle continues
	for end := m.window; end <= len(text); {
		s := m.shift[hash(folded[text[end-3]], folded[text[end-2]], folded[text[end-1]])]
		if s > 0 {
			end += int(s)
			continue
		}
		start := end - m.window
		key := [headLength]byte{folded[text[start]], folded[text[start+1]], folded[text[start+2]], folded[text[start+3]]}
		for _, n := range m.heads[key] {
			switch {
			case n.borders == nil:
				compare(n, text, start, found)
			case start >= followed[n]:
				if followed == nil {
					followed = map[*needle]int{}
				}
				followed[n] = follow(n, text, start, found)
			}
		}
		end++
	}
}

// compare calls found if a text has a needle at a place, or its beginning.
func compare[T string | []byte](n *needle, text T, start int, found func(span, partial)) {
	length := common(n, text[start:min(len(text), start+len(n.text))])
	at := span{start: start, end: start + length}
	switch {
	case length == 0:
	case length == len(n.text):
		if n.exact == "" || string(text[start:at.end]) == n.exact {
			at.weak = n.word && (start > 0 && isWordEnd(text[start-1]) || at.end < len(text) && isWordEnd(text[at.end]))
			found(widened(n, text, at), partial{})
		}
	case !n.word && length >= maxWindow && isCutAt(text, at.end):
		found(at, partial{n, length})
	}
}

// maxOpen is the maximum number of beginnings of a long needle at the end of a text.
const maxOpen = 16

// follow calls found with each range, starting at start, that is a long needle or the start of one.
// Overlapping ranges are reported as one. It ends where the text no longer contains a start of the
// needle, and returns that place: no remaining range starts before it.
func follow[T string | []byte](n *needle, text T, start int, found func(span, partial)) (next int) {
	var whole span
	report := func() {
		if whole.end > 0 {
			found(widened(n, text, whole), partial{})
		}
	}
	length := 0 // number of bytes of the needle before the place
	for at := start; at < len(text); {
		if length >= maxWindow && n.text[length] != folded[text[at]] && isCutAt(text, at) {
			found(span{start: at - length, end: at}, partial{n, length})
		}
		for length > 0 && n.text[length] != folded[text[at]] {
			length = int(n.borders[length])
		}
		if n.text[length] == folded[text[at]] {
			length++
		}
		at++
		switch {
		case length == len(n.text):
			if at-length > whole.end {
				report()
				whole.start = at - length
			}
			whole.end = at
			length = int(n.borders[length])
		case length == 0:
			report()
			return at
		}
	}
	report()
	for range maxOpen {
		if length < maxWindow {
			break
		}
		found(span{start: len(text) - length, end: len(text)}, partial{n, length})
		length = int(n.borders[length])
	}
	return len(text)
}

// isCutAt reports whether a text ends, or was cut, at a place.
func isCutAt[T string | []byte](text T, at int) bool {
	return isCut(string(text[at:min(len(text), at+len("..."))]))
}

// isCut reports whether a text ends, or is cut, before rest.
func isCut(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...")
}

// redact returns the text with the mark instead of the found values, including values with a
// limited number of levels of escapes. open lists the needles that the text ends in the middle of.
func (m *matcher) redact(text string) (redacted string, open []partial) {
	spans, open := m.find(text)
	return mark(text, spans), open
}

// find returns the ranges that redact replaces, in their order.
func (m *matcher) find(text string) (spans []span, open []partial) {
	if m == nil || len(text) < m.window {
		return nil, nil
	}
	search(m, text, func(at span, p partial) {
		spans = append(spans, at)
		if p.needle != nil && at.end == len(text) {
			open = append(open, p)
		}
	})
	if hasEscape(text) {
		spans = m.inEscapes(text, spans)
	}
	return counting(text, spans), open
}

// counting returns the ranges that count, in order. Weak ranges count only if they are next to one that counts,
// or next to each other with word boundaries around them.
func counting(text string, spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	if !slices.ContainsFunc(spans, func(s span) bool { return s.weak }) {
		return spans
	}
	var all []span
	for i := 0; i < len(spans); {
		first, end, weak := i, spans[i].end, spans[i].weak
		for i++; i < len(spans) && spans[i].start <= end; i++ {
			end, weak = max(end, spans[i].end), weak && spans[i].weak
		}
		start := spans[first].start
		if !weak || !(start > 0 && isWordEnd(text[start-1])) && !(end < len(text) && isWordEnd(text[end])) {
			all = append(all, spans[first:i]...)
		}
	}
	return all
}

// inEscapes adds the values that are found after undoing the escapes of a text.
func (m *matcher) inEscapes(text string, spans []span) []span {
	d := decoders.Get().(*decoder) //nolint:forcetypeassert // the pool has nothing else
	defer d.release()
	for range maxLevels {
		if !d.decode(text) {
			break
		}
		search(m, d.text, func(at span, _ partial) { spans = append(spans, span{d.at[at.start], d.at[at.end], at.weak}) })
	}
	return spans
}

// mark replaces the ranges, which are in order, with the mark. Overlapping ranges get one mark.
func mark(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(spans); {
		at := spans[i]
		for i++; i < len(spans) && spans[i].start < at.end; i++ {
			at.end = max(at.end, spans[i].end)
		}
		b.WriteString(text[from:at.start])
		b.WriteString(Mark)
		from = at.end
	}
	b.WriteString(text[from:])
	return b.String()
}
