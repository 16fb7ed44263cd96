package textfield

import (
	"strings"
	"unicode/utf8"
)

// A text is kept in pieces of at most maxPiece bytes, and these in blocks of at most
// maxBlock pieces, so that the cost of an edit does not grow with the text.
const (
	maxPiece = 8 << 10
	maxBlock = 2 << 10
)

// text is a sequence of bytes. With lines set, a line feed ends a piece, and a line
// that is longer than a piece has several. There is always a last piece, and it
// does not end in a line feed.
//
// Blocks are never changed once they are in a text: a copy of the text is a
// snapshot.
type text struct {
	lines  bool
	blocks []*block
	size   int
	ends   int // line feeds that end a piece
}

type block struct {
	pieces []string
	size   int
	ends   int
}

// pieceRef is a piece and the offset of its first byte in the text.
type pieceRef struct {
	block, piece int
	start        int
}

// piecesOf splits a string into pieces.
func (t *text) piecesOf(dst []string, s string) []string {
	for s != "" {
		line := s
		if t.lines {
			if n := strings.IndexByte(s, '\n'); n >= 0 {
				line = s[:n+1]
			}
		}
		s = s[len(line):]
		for len(line) > maxPiece {
			n := cutAt(line, maxPiece/2)
			dst = append(dst, line[:n])
			line = line[n:]
		}
		dst = append(dst, line)
	}
	return dst
}

// cutAt returns the position near n at which to divide a line: between two ASCII bytes if possible, so that no
// character is divided, and not after a backslash.
func cutAt(s string, n int) int {
	for i := n; i > n-256; i-- {
		if s[i] < utf8.RuneSelf && s[i-1] < utf8.RuneSelf && s[i-1] != '\\' {
			return i
		}
	}
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}

func isEnd(s string) bool { return s != "" && s[len(s)-1] == '\n' }

// init makes the last piece of an empty text.
func (t *text) init() {
	if len(t.blocks) == 0 {
		t.blocks = []*block{{pieces: []string{""}}}
	}
}

// locate finds the piece with the byte at an offset; the end of the text is in the
// last piece.
func (t *text) locate(at int) pieceRef {
	p := pieceRef{}
	for p.block = range t.blocks {
		if b := t.blocks[p.block]; at < p.start+b.size || p.block == len(t.blocks)-1 {
			break
		}
		p.start += t.blocks[p.block].size
	}
	pieces := t.blocks[p.block].pieces
	for p.piece = range pieces {
		if at < p.start+len(pieces[p.piece]) || p.piece == len(pieces)-1 {
			break
		}
		p.start += len(pieces[p.piece])
	}
	return p
}

func (t *text) at(p pieceRef) string { return t.blocks[p.block].pieces[p.piece] }

func (t *text) next(p pieceRef) (pieceRef, bool) {
	n := pieceRef{p.block, p.piece + 1, p.start + len(t.at(p))}
	if n.piece == len(t.blocks[n.block].pieces) {
		n.block, n.piece = n.block+1, 0
	}
	return n, n.block < len(t.blocks)
}

func (t *text) previous(p pieceRef) (pieceRef, bool) {
	switch {
	case p.piece > 0:
		p.piece--
	case p.block > 0:
		p.block--
		p.piece = len(t.blocks[p.block].pieces) - 1
	default:
		return p, false
	}
	p.start -= len(t.at(p))
	return p, true
}

// lineOf returns the number of line feeds before an offset.
func (t *text) lineOf(at int) int {
	p := t.locate(at)
	n := 0
	for _, b := range t.blocks[:p.block] {
		n += b.ends
	}
	if !t.lines {
		return n
	}
	for _, s := range t.blocks[p.block].pieces[:p.piece] {
		if isEnd(s) {
			n++
		}
	}
	return n
}

// lineStart returns the offset of the first byte of the line at an offset.
func (t *text) lineStart(at int) int {
	p := t.locate(at)
	for before, ok := t.previous(p); ok && !(t.lines && isEnd(t.at(before))); before, ok = t.previous(p) {
		p = before
	}
	return p.start
}

// lineEnd returns the offset of the line feed that ends the line at an offset, or the end of the text.
func (t *text) lineEnd(at int) int {
	for p, ok := t.locate(at), true; ok; p, ok = t.next(p) {
		if s := t.at(p); t.lines && isEnd(s) {
			return p.start + len(s) - 1
		}
	}
	return t.size
}

// slice copies the bytes between two offsets.
func (t *text) slice(from, to int) string {
	if from >= to {
		return ""
	}
	p := t.locate(from)
	if s := t.at(p); to <= p.start+len(s) {
		return s[from-p.start : to-p.start]
	}
	var b strings.Builder
	b.Grow(to - from)
	for ok := true; ok && p.start < to; p, ok = t.next(p) {
		s := t.at(p)
		b.WriteString(s[max(from-p.start, 0):min(to-p.start, len(s))])
	}
	return b.String()
}

// value returns the whole text.
func (t *text) value() string {
	if len(t.blocks) == 0 {
		return ""
	}
	return t.slice(0, t.size)
}

// replace replaces the bytes between two offsets with a string.
func (t *text) replace(from, to int, with string) {
	t.init()
	first, last := t.locate(from), t.locate(to)
	head, tail := t.at(first)[:from-first.start], t.at(last)[to-last.start:]
	before := t.blocks[first.block].pieces[:first.piece]
	after := t.blocks[last.block].pieces[last.piece+1:]
	// Join the remains of a divided line.
	if n := len(before); n > 0 && !isEnd(before[n-1]) && len(before[n-1])+len(head)+len(with)+len(tail) <= maxPiece/2 {
		head, before = before[n-1]+head, before[:n-1]
	}
	if len(after) > 0 && !isEnd(tail) && len(head)+len(with)+len(tail)+len(after[0]) <= maxPiece/2 {
		tail, after = tail+after[0], after[1:]
	}
	list := append(make([]string, 0, len(before)+len(after)+8), before...)
	if len(with) > maxPiece && head == "" && tail == "" {
		list = t.piecesOf(list, with)
	} else {
		list = t.piecesOf(list, head+with+tail)
	}
	list = append(list, after...)
	if last.block == len(t.blocks)-1 && t.endsLine(first.block, list) {
		list = append(list, "")
	}
	t.swap(first.block, last.block+1, list)
}

// endsLine reports whether a text of the first n blocks and some pieces is empty or
// ends in a line feed: it needs one more piece then.
func (t *text) endsLine(n int, pieces []string) bool {
	switch {
	case len(pieces) > 0:
		return t.lines && isEnd(pieces[len(pieces)-1])
	case n > 0:
		b := t.blocks[n-1]
		return t.lines && isEnd(b.pieces[len(b.pieces)-1])
	}
	return true
}

// swap replaces some blocks with pieces.
func (t *text) swap(from, to int, pieces []string) {
	made := make([]*block, 0, len(pieces)/(maxBlock/2)+1)
	for len(pieces) > 0 {
		n := len(pieces)
		if n > maxBlock {
			n = maxBlock / 2
		}
		b := &block{pieces: pieces[:n:n]}
		for _, s := range b.pieces {
			b.size += len(s)
			if t.lines && isEnd(s) {
				b.ends++
			}
		}
		made = append(made, b)
		pieces = pieces[n:]
	}
	for _, b := range t.blocks[from:to] {
		t.size -= b.size
		t.ends -= b.ends
	}
	for _, b := range made {
		t.size += b.size
		t.ends += b.ends
	}
	blocks := make([]*block, 0, len(t.blocks)-(to-from)+len(made))
	blocks = append(blocks, t.blocks[:from]...)
	blocks = append(blocks, made...)
	t.blocks = append(blocks, t.blocks[to:]...)
}
