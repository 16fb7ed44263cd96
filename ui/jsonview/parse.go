package jsonview

import (
	"bytes"
	"fmt"
	"math"
)

// maxDepth is where encoding/json stops too.
const maxDepth = 10000

// SyntaxError says where the bytes stop being JSON.
type SyntaxError struct {
	Offset int // in bytes
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset)
}

// Doc is the index of one JSON text. It refers to the bytes that it was made
// from, which must not change; it is read-only and may be shared.
type Doc struct {
	raw    []byte
	off    []int32  // where the line starts: its key, its value, or its closing bracket
	link   []int32  // an opening line's last line, a closing line's first, else -1
	parent []int32  // the opening line around it, or -1
	index  []int32  // how many values come before it in that container
	level  []uint16 // number of containers around it, and keyed
	err    *SyntaxError
}

// keyed is set in Doc.level for a line that begins with a key. The depth
// (at most maxDepth) is in the bits below.
const keyed = 1 << 15

// Parse indexes b. When b is not JSON the error is a *SyntaxError, and the
// document holds the valid start with one last line for the rest.
func Parse(b []byte) (*Doc, error) {
	if len(b) > math.MaxInt32 {
		return &Doc{}, &SyntaxError{Offset: math.MaxInt32, Msg: "too large to index"}
	}
	d := &Doc{raw: b}
	d.reserve()
	p := parser{d: d, b: b, cur: -1, start: -1}
	p.run()
	if p.fail != nil {
		d.err = p.fail
		p.closeBroken()
		return d, p.fail
	}
	return d, nil
}

// reserve makes room for all lines at once: there cannot be more of them than
// separators, and counting bytes is far cheaper than growing the slices.
func (d *Doc) reserve() {
	n := 2
	for _, c := range []string{",", "{", "[", "}", "]"} {
		n += bytes.Count(d.raw, []byte(c))
	}
	d.off = make([]int32, 0, n)
	d.link = make([]int32, 0, n)
	d.parent = make([]int32, 0, n)
	d.index = make([]int32, 0, n)
	d.level = make([]uint16, 0, n)
}

type parser struct {
	d     *Doc
	b     []byte
	cur   int32 // the container that is open, or -1
	depth int
	nest  []container
	start int // where the member under way starts, or -1
	fail  *SyntaxError
}

// container is an object or array that is not closed yet.
type container struct {
	object bool
	values int32 // the number of values so far
}

type state uint8

const (
	wantValue state = iota
	wantKey
	afterValue
)

func (p *parser) run() {
	i, st := 0, wantValue
	for p.fail == nil {
		i = skipSpace(p.b, i)
		if i >= len(p.b) {
			if st != afterValue || p.depth > 0 {
				p.failAt(i, "unexpected end")
			}
			return
		}
		switch st {
		case wantKey:
			i, st = p.key(i), wantValue
		case wantValue:
			i, st = p.value(i)
		case afterValue:
			i, st = p.after(i)
		}
	}
}

func (p *parser) failAt(i int, format string, args ...any) {
	if p.fail == nil {
		p.fail = &SyntaxError{Offset: i, Msg: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) key(i int) int {
	if p.b[i] != '"' {
		p.failAt(i, "expected a key, found %s", show(p.b[i]))
		return i
	}
	p.start = i
	i = skipSpace(p.b, p.str(i))
	switch {
	case p.fail != nil:
	case i >= len(p.b):
		p.failAt(i, "unexpected end after a key")
	case p.b[i] != ':':
		p.failAt(i, "expected ':' after a key, found %s", show(p.b[i]))
	default:
		i++
	}
	return i
}

func (p *parser) value(i int) (int, state) {
	if p.start < 0 {
		p.start = i
	}
	switch c := p.b[i]; {
	case c == '"':
		i = p.str(i)
	case c == '{' || c == '[':
		return p.open(i)
	case c == '-' || c >= '0' && c <= '9':
		i = p.number(i)
	case c == 't':
		i = p.literal(i, "true")
	case c == 'f':
		i = p.literal(i, "false")
	case c == 'n':
		i = p.literal(i, "null")
	default:
		p.failAt(i, "expected a value, found %s", show(c))
	}
	if p.fail == nil {
		p.line(p.start, -1)
	}
	return i, afterValue
}

// open starts a container; an empty one is a line of its own.
func (p *parser) open(i int) (int, state) {
	c := p.b[i]
	if j := skipSpace(p.b, i+1); j < len(p.b) && p.b[j] == c+2 && p.depth < maxDepth {
		p.line(p.start, -1)
		return j + 1, afterValue
	}
	if p.depth >= maxDepth {
		p.failAt(i, "nested deeper than %d", maxDepth)
		return i, afterValue
	}
	line := p.line(p.start, -1)
	p.cur = line
	p.depth++
	p.nest = append(p.nest, container{object: c == '{'})
	if c == '{' {
		return i + 1, wantKey
	}
	return i + 1, wantValue
}

func (p *parser) after(i int) (int, state) {
	c := p.b[i]
	if p.depth == 0 {
		p.failAt(i, "unexpected %s after the end", show(c))
		return i, afterValue
	}
	obj := p.nest[p.depth-1].object
	switch {
	case c == ',':
		if obj {
			return i + 1, wantKey
		}
		return i + 1, wantValue
	case c == '}' && obj, c == ']' && !obj:
		first := p.cur
		p.depth--
		p.nest = p.nest[:p.depth]
		p.cur = p.d.parent[first]
		p.d.link[first] = p.line(i, first)
		return i + 1, afterValue
	}
	p.failAt(i, "expected ',' or the end of the container, found %s", show(c))
	return i, afterValue
}

func (p *parser) line(off int, link int32) int32 {
	d := p.d
	n := int32(len(d.off))
	d.off = append(d.off, int32(off))
	d.link = append(d.link, link)
	d.parent = append(d.parent, p.cur)
	level, index := uint16(p.depth), int32(0)
	if link < 0 && p.depth > 0 {
		in := &p.nest[p.depth-1]
		index = in.values
		in.values++
		if in.object {
			level |= keyed
		}
	}
	d.index = append(d.index, index)
	d.level = append(d.level, level)
	p.start = -1
	return n
}

// closeBroken gives the rest that is not JSON a line, and lets every container
// that was left open end there.
func (p *parser) closeBroken() {
	at := p.fail.Offset
	if p.start >= 0 {
		at = p.start
	}
	open := p.cur
	last := p.line(min(at, len(p.b)), -1)
	for open >= 0 {
		p.d.link[open] = last
		open = p.d.parent[open]
	}
}

func show(c byte) string {
	if c >= 0x20 && c < 0x7f {
		return "'" + string(rune(c)) + "'"
	}
	return fmt.Sprintf("byte 0x%02x", c)
}
