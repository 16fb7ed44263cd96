package jsonrpc

import "encoding/binary"

// maxDepth is how deep arrays and objects may be nested. It is the limit of
// encoding/json, so that a frame that passes here can be decoded there.
const maxDepth = 10000

// cursor walks over JSON text. It checks the grammar of RFC 8259 while it
// goes, without recursion and without memory of its own.
type cursor struct {
	b        []byte
	i        int
	nonASCII bool // a byte above 0x7f was seen inside a string
	deep     bool // maxDepth was exceeded
	above    int  // levels that are open around the value
}

func (c *cursor) space() {
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

// str walks over a string that starts at the cursor. On failure the cursor
// stands at the offending byte.
func (c *cursor) str() bool {
	b, i := c.b, c.i+1
	for {
		// Eight bytes at a time: stop at a quote, a backslash, a control
		// byte. The tests may report a byte too many after a true hit, never
		// one too few, and the bytewise loop below decides.
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote := w ^ swarOnes*'"'
			slash := w ^ swarOnes*'\\'
			stop := (quote-swarOnes)&^quote | (slash-swarOnes)&^slash | (w-swarOnes*0x20)&^w
			if stop&swarHigh != 0 {
				break
			}
			if w&swarHigh != 0 {
				c.nonASCII = true
			}
			i += 8
		}
		for n := 0; n < 8; n++ {
			if i >= len(b) {
				c.i = i
				return false
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
				i += n
				continue
			case ch < 0x20:
				c.i = i
				return false
			case ch >= 0x80:
				c.nonASCII = true
			}
			i++
		}
	}
}

// escapeLength returns the length of the escape sequence that b starts with,
// or 0 when it is none.
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

// scalar walks over a string, number, true, false or null.
func (c *cursor) scalar() bool {
	switch ch := c.b[c.i]; {
	case ch == '"':
		return c.str()
	case ch == '-' || ch >= '0' && ch <= '9':
		return c.number()
	case ch == 't':
		return c.literal("true")
	case ch == 'f':
		return c.literal("false")
	case ch == 'n':
		return c.literal("null")
	}
	return false
}

// nesting remembers for each open level whether it is an object.
type nesting struct {
	bits  [(maxDepth + 63) / 64]uint64
	depth int
}

func (n *nesting) push(object bool, above int) bool {
	if n.depth+above >= maxDepth {
		return false
	}
	word, bit := n.depth/64, uint64(1)<<(n.depth%64)
	if object {
		n.bits[word] |= bit
	} else {
		n.bits[word] &^= bit
	}
	n.depth++
	return true
}

func (n *nesting) inObject() bool {
	d := n.depth - 1
	return n.bits[d/64]&(1<<(d%64)) != 0
}

// value walks over one JSON value of any kind, the cursor standing on its
// first byte. On failure the cursor stands at the offending byte.
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
		// Here stands the first byte of a value.
		if c.i >= len(c.b) {
			return false
		}
		switch ch := c.b[c.i]; ch {
		case '{', '[':
			if !open.push(ch == '{', c.above) {
				c.deep = true
				return false
			}
			c.i++
			c.space()
			if c.i < len(c.b) && c.b[c.i] == ch+2 { // '}' is '{'+2, ']' is '['+2
				break // closed at once: fall out to the closing loop
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
		// Here a value has ended, or a container is about to close.
		for {
			c.space()
			if c.i >= len(c.b) {
				return false
			}
			object := open.inObject()
			switch ch := c.b[c.i]; {
			case ch == '}' && object, ch == ']' && !object:
				c.i++
				open.depth--
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

// key walks over a member name and its colon, up to the first byte of the
// value.
func (c *cursor) key() bool {
	if c.i >= len(c.b) || c.b[c.i] != '"' || !c.str() {
		return false
	}
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
