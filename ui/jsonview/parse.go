package jsonview

import (
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

// Doc is the index of one JSON text: where its lines start, and which of them are the first
// and the last one of a container. It refers to the bytes that it was made from, which must
// not change; it is read-only and may be shared.
type Doc struct {
	raw        []byte
	offsets    offsets
	containers list[container] // by their first line
	err        *SyntaxError
}

// Parse indexes b. When b is not JSON the error is a *SyntaxError, and the
// document holds the valid start with one last line for the rest.
func Parse(b []byte) (*Doc, error) {
	if len(b) > math.MaxInt32 {
		return &Doc{}, &SyntaxError{Offset: math.MaxInt32, Msg: "too large to index"}
	}
	d := &Doc{raw: b}
	p := parser{d: d, b: b, start: -1}
	p.run()
	if p.fail != nil {
		d.err = p.fail
		p.closeBroken()
		return d, p.fail
	}
	return d, nil
}

type parser struct {
	d     *Doc
	b     []byte
	nest  []nesting // the containers that are open
	start int       // where the member under way starts, or -1
	fail  *SyntaxError
}

// nesting is a container that is not closed yet.
type nesting struct {
	container int
	values    int // so far
	object    bool
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
			if st != afterValue || len(p.nest) > 0 {
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
		p.line()
	}
	return i, afterValue
}

// open starts a container; an empty one is a line of its own.
func (p *parser) open(i int) (int, state) {
	c := p.b[i]
	if j := skipSpace(p.b, i+1); j < len(p.b) && p.b[j] == c+2 && len(p.nest) < maxDepth {
		p.line()
		return j + 1, afterValue
	}
	if len(p.nest) >= maxDepth {
		p.failAt(i, "nested deeper than %d", maxDepth)
		return i, afterValue
	}
	around, object := -1, c == '{'
	if n := len(p.nest); n > 0 {
		around = p.nest[n-1].container
	}
	line, index := p.line()
	place := int32(index) << 1
	if object {
		place |= 1
	}
	p.nest = append(p.nest, nesting{container: p.d.containers.n, object: object})
	p.d.containers.add(container{open: int32(line), parent: int32(around), place: place})
	if c == '{' {
		return i + 1, wantKey
	}
	return i + 1, wantValue
}

func (p *parser) after(i int) (int, state) {
	c := p.b[i]
	if len(p.nest) == 0 {
		p.failAt(i, "unexpected %s after the end", show(c))
		return i, afterValue
	}
	in := p.nest[len(p.nest)-1]
	switch {
	case c == ',':
		if in.object {
			return i + 1, wantKey
		}
		return i + 1, wantValue
	case c == '}' && in.object, c == ']' && !in.object:
		p.nest = p.nest[:len(p.nest)-1]
		p.d.containers.at(in.container).last = int32(p.d.Len())
		p.d.offsets.add(i)
		return i + 1, afterValue
	}
	p.failAt(i, "expected ',' or the end of the container, found %s", show(c))
	return i, afterValue
}

// line adds the line of a value, and says how many values come before it in its container.
func (p *parser) line() (line, index int) {
	if n := len(p.nest); n > 0 {
		in := &p.nest[n-1]
		index = in.values
		in.values++
	}
	line = p.d.Len()
	p.d.offsets.add(p.start)
	p.start = -1
	return line, index
}

// closeBroken gives the rest that is not JSON a line, and lets every container
// that was left open end there.
func (p *parser) closeBroken() {
	at := p.fail.Offset
	if p.start >= 0 {
		at = p.start
	}
	for _, in := range p.nest {
		p.d.containers.at(in.container).last = int32(p.d.Len())
	}
	p.d.offsets.add(min(at, len(p.b)))
}

func show(c byte) string {
	if c >= 0x20 && c < 0x7f {
		return "'" + string(rune(c)) + "'"
	}
	return fmt.Sprintf("byte 0x%02x", c)
}
