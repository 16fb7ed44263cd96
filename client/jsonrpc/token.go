package jsonrpc

import (
	"encoding/binary"
	"math/bits"
)

// MaxDepth is the maximum number of arrays and objects around a value, including the frame. A member of a frame
// with a value that is nested deeper is opaque: its bytes are kept, sent and shown, but not parsed. So the work
// of reading a value level by level is bounded by its size.
//
// No message of MCP needs this many levels. The parsers of the official SDKs for C# (64 levels), Ruby
// (100), Rust (128), Python (200), PHP and Swift (512) and Java (1,000) reject more. Only JavaScript,
// which has no limit, and Go, whose limit of 10,000 protects the stack, accept them.
const MaxDepth = 1000

// cursor scans JSON text and checks the grammar of RFC 8259, without recursion.
type cursor struct {
	b        []byte
	i        int
	nonASCII bool // a byte above 0x7f was seen inside a string
	escaped  bool // an escape was seen inside a string
	above    int  // nesting depth around the value
	names    Names
	// isLenient makes the scan continue in values deeper than MaxDepth, to find the end of the frame.
	isLenient   bool
	deepAt      int // offset of the first bracket deeper than MaxDepth, or 0
	deepLast    int // … of the last one
	deepMembers int // members of the envelope with such a bracket, as bits
}

func (c *cursor) space() {
	if c.i < len(c.b) && c.b[c.i] <= ' ' {
		c.spaces()
	}
}

// spaces skips white space. It is a function of its own, so that the usual case is inlined everywhere, and
// small.
//
//go:noinline
func (c *cursor) spaces() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return
		}
	}
}

const (
	swarOnes = 0x0101010101010101
	swarHigh = 0x8080808080808080
)

// str scans the string at the cursor. On failure the cursor is at the invalid byte.
func (c *cursor) str() bool {
	b, i := c.b, c.i+1
	for i < len(b) {
		// Eight bytes at a time, up to a quote, a backslash or a control byte. The tests
		// may have false positives after a true one, but no false negatives.
		if i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote := w ^ swarOnes*'"'
			slash := w ^ swarOnes*'\\'
			stop := ((quote-swarOnes)&^quote | (slash-swarOnes)&^slash | (w-swarOnes*0x20)&^w) & swarHigh
			before := stop - 1 // the bits up to the first one, of 0 all
			if w&swarHigh&before != 0 {
				c.nonASCII = true
			}
			if stop == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stop) / 8
		}
		switch ch := b[i]; {
		case ch == '"':
			c.i = i + 1
			return true
		case ch == '\\':
			n := escapeLength(b[i:])
			if n == 0 {
				c.i = i
				return false
			}
			c.escaped = true
			i += n
		case ch < 0x20:
			c.i = i
			return false
		default: // near the end
			if ch >= 0x80 {
				c.nonASCII = true
			}
			i++
		}
	}
	c.i = i
	return false
}

// StringEnd returns the offset after the string token that starts at start. Without a closing quote isClosed is
// false, and the token ends with the text. The token is not checked.
func StringEnd[T ~string | ~[]byte](text T, start int) (end int, isClosed bool) {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		}
	}
	return len(text), false
}

// escapeLength returns the length of the escape sequence at the start of b, 0 if it is not
// valid.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, ch := range b[2:6] {
			if !isHex(ch) {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isHex(ch byte) bool {
	return ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'f' || ch >= 'A' && ch <= 'F'
}

func (c *cursor) digits() bool {
	start := c.i
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		c.i++
	}
	return c.i > start
}

func (c *cursor) number() bool {
	if c.b[c.i] == '-' {
		c.i++
	}
	if c.i < len(c.b) && c.b[c.i] == '0' {
		c.i++
	} else if !c.digits() {
		return false
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		c.i++
		if !c.digits() {
			return false
		}
	}
	if c.i < len(c.b) && (c.b[c.i] == 'e' || c.b[c.i] == 'E') {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		return c.digits()
	}
	return true
}

func (c *cursor) literal(word string) bool {
	for j := 0; j < len(word); j++ {
		if c.i >= len(c.b) || c.b[c.i] != word[j] {
			return false
		}
		c.i++
	}
	return true
}

// scalar scans a string, number, true, false or null.
func (c *cursor) scalar() bool {
	switch ch := c.b[c.i]; {
	case ch == '"':
		return c.str()
	case ch == '-' || ch >= '0' && ch <= '9':
		return c.number()
	case ch == 't':
		c.names |= literalTrue
		return c.literal("true")
	case ch == 'f':
		return c.literal("false")
	case ch == 'n':
		return c.literal("null")
	}
	return false
}

// nesting has a bit for each open level: 1 for an object, 0 for an array. The bits of all levels except the
// newest 64 are in deeper, because clearing the bits of all possible levels takes longer than scanning most
// values.
type nesting struct {
	bits   uint64 // newest level in the lowest bit
	deeper []uint64
	depth  int
}

func (n *nesting) push(object bool) {
	if n.depth > 0 && n.depth%64 == 0 {
		n.deeper = append(n.deeper, n.bits)
	}
	n.bits <<= 1
	if object {
		n.bits |= 1
	}
	n.depth++
}

func (n *nesting) pop() {
	n.bits >>= 1
	if n.depth--; n.depth > 0 && n.depth%64 == 0 {
		last := len(n.deeper) - 1
		n.bits, n.deeper = n.deeper[last], n.deeper[:last]
	}
}

func (n *nesting) inObject() bool { return n.bits&1 != 0 }

// value scans the JSON value at the cursor. On failure the cursor is at the invalid
// byte.
func (c *cursor) value() bool {
	if c.i >= len(c.b) {
		return false
	}
	if ch := c.b[c.i]; ch != '{' && ch != '[' {
		return c.scalar()
	}
	return c.container()
}

func (c *cursor) container() bool {
	var open nesting
	for {
		// The cursor is at the first byte of a value.
		if c.i >= len(c.b) {
			return false
		}
		switch ch := c.b[c.i]; ch {
		case '{', '[':
			if open.depth+c.above >= MaxDepth && !c.deeper() {
				return false
			}
			open.push(ch == '{')
			c.i++
			c.space()
			if c.i < len(c.b) && c.b[c.i] == ch+2 { // '}' is '{'+2, ']' is '['+2
				break // empty: continue with the closing loop
			}
			if ch == '{' && !c.key() {
				return false
			}
			continue
		default:
			if !c.scalar() {
				return false
			}
		}
		// The cursor is after a value, or before a closing bracket.
		for {
			c.space()
			if c.i >= len(c.b) {
				return false
			}
			object := open.inObject()
			switch ch := c.b[c.i]; {
			case ch == '}' && object, ch == ']' && !object:
				c.i++
				open.pop()
				if open.depth == 0 {
					return true
				}
				continue
			case ch == ',':
				c.i++
				c.space()
				if object && !c.key() {
					return false
				}
			default:
				return false
			}
			break
		}
	}
}

// deeper notes that the bracket at the cursor is deeper than MaxDepth. It reports whether the scan
// continues.
func (c *cursor) deeper() bool {
	if c.deepAt == 0 {
		c.deepAt = c.i
	}
	c.deepLast = c.i
	return c.isLenient
}

// key scans a member name and its colon, up to the first byte of the value.
func (c *cursor) key() bool {
	start := c.i
	if c.i >= len(c.b) || c.b[c.i] != '"' || !c.str() {
		return false
	}
	c.names.add(c.b[start+1 : c.i-1])
	return c.colon()
}

func (c *cursor) colon() bool {
	c.space()
	if c.i >= len(c.b) || c.b[c.i] != ':' {
		return false
	}
	c.i++
	c.space()
	return true
}

// TypeOf returns the type of a raw JSON value by its first byte: "object", "array", "string",
// "number", "boolean" or "null"; empty for no value.
func TypeOf(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
