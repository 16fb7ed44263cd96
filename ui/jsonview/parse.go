package jsonview

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"mcptea/client/jsonrpc"
)

// maxDepth equals the limit of encoding/json.
const maxDepth = 10000

// Doc is the index of one JSON text: where its lines start, and which of them are the first
// and the last one of a container. It refers to the bytes that it was made from, which must
// not change; it is read-only and may be shared.
type Doc struct {
	raw        []byte
	offsets    offsets
	containers list[container] // containers by first line
	err        error
}

// Parse indexes b. For invalid JSON, the error tells where and why, and the document contains the valid start
// and one last line for the rest. There is always at least one line.
func Parse(b []byte) (*Doc, error) {
	d := &Doc{raw: b}
	p := parser{d: d, start: -1}
	switch {
	case len(b) > math.MaxInt32:
		d.err = errors.New("too large to index")
		p.closeBroken()
	case !p.run():
		at, err := jsonrpc.SyntaxError(b)
		d.err = fmt.Errorf("%w at byte %d", err, at)
		p.closeBroken()
	}
	return d, d.err
}

type parser struct {
	d     *Doc
	nest  []nesting // the containers that are open
	start int       // start of the current member, or -1
	end   int       // end of the last token
}

// nesting is a container that is not closed yet.
type nesting struct {
	container int
	values    int // number of values so far
	object    bool
}

// expected is the kind of token that must follow.
type expected uint8

const (
	wantValue expected = iota
	wantKey
	wantColon
	afterValue // a comma, or the end of the container
)

// run indexes the text up to the first token that is invalid there. It reports whether all of it is JSON.
func (p *parser) run() bool {
	b, want := p.d.raw, wantValue
	tokens := jsonrpc.NewTokens(b)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		start, c, in := tokens.Offset()-len(token), token[0], p.innermost()
		switch {
		case want == wantKey && c == '"':
			p.start, want = start, wantColon
		case want == wantColon && c == ':':
			want = wantValue
		case want == wantValue && (c == '{' || c == '[') && len(p.nest) < maxDepth:
			if want = p.open(start); want == afterValue {
				tokens.Next() // the end of one that is empty
			}
		case want == wantValue && strings.IndexByte("{}[],:", c) < 0:
			p.line(start)
			want = afterValue
		case want == afterValue && in != nil && c == ',':
			want = wantValue
			if in.object {
				want = wantKey
			}
		case want == afterValue && in != nil && (in.object && c == '}' || !in.object && c == ']'):
			p.close(in, start)
		default:
			return false
		}
		p.end = tokens.Offset()
	}
	return want == afterValue && len(p.nest) == 0 && skipSpace(b, p.end) == len(b)
}

// innermost returns the innermost open container, or nil.
func (p *parser) innermost() *nesting {
	if n := len(p.nest); n > 0 {
		return &p.nest[n-1]
	}
	return nil
}

// open starts a container, and returns what must follow. An empty container is a single line.
func (p *parser) open(start int) expected {
	b, around := p.d.raw, -1
	object := b[start] == '{'
	if in := p.innermost(); in != nil {
		around = in.container
	}
	line, index := p.line(start)
	if next := skipSpace(b, start+1); next < len(b) && b[next] == b[start]+2 { // ']' is '['+2, '}' is '{'+2
		return afterValue
	}
	c := container{open: int32(line), parent: int32(around), place: int32(index) << 1}
	want := wantValue
	if object {
		c.place |= 1
		want = wantKey
	}
	p.nest = append(p.nest, nesting{container: p.d.containers.n, object: object})
	p.d.containers.add(c)
	return want
}

func (p *parser) close(in *nesting, start int) {
	p.d.containers.at(in.container).last = int32(p.d.Len())
	p.d.offsets.add(start)
	p.nest = p.nest[:len(p.nest)-1]
}

// line adds the line of a value, which starts at its key if it has one. It returns the number of values before
// it in its container.
func (p *parser) line(start int) (line, index int) {
	if in := p.innermost(); in != nil {
		index = in.values
		in.values++
	}
	if p.start >= 0 {
		start = p.start
	}
	line = p.d.Len()
	p.d.offsets.add(start)
	p.start = -1
	return line, index
}

// closeBroken adds a line for the rest that is not JSON, and ends all open containers there.
func (p *parser) closeBroken() {
	at := p.start
	if at < 0 {
		at = skipSpace(p.d.raw, p.end)
	}
	for _, in := range p.nest {
		p.d.containers.at(in.container).last = int32(p.d.Len())
	}
	p.d.offsets.add(at)
}
