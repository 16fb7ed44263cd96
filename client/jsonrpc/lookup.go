package jsonrpc

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
)

// Member returns the raw value of a member of a JSON object, the last one of duplicates. The names in more are
// members of nested objects. The result aliases object. It returns false if there is no such member or the
// bytes before it are invalid JSON.
func Member(object []byte, name string, more ...string) ([]byte, bool) {
	var found []byte
	ok := false
	for n, v := range Members(object) {
		if string(n) == name {
			found, ok = v, true
		}
	}
	if !ok || len(more) == 0 {
		return found, ok
	}
	return Member(found, more[0], more[1:]...)
}

// MemberIndex returns the values of the members of a JSON object by name, as [Member] returns them. A loop over
// members that calls [Member] for each name takes time in proportion to the product of both lengths.
func MemberIndex(object []byte) map[string][]byte {
	index := map[string][]byte{}
	for name, value := range Members(object) {
		index[string(name)] = value
	}
	return index
}

// Get is like [Member], but returns nil if there is no such member.
func Get(object []byte, name string, more ...string) []byte {
	value, _ := Member(object, name, more...)
	return value
}

// Twin returns the first name that an object has twice, or also in another case. It considers only
// some names. Parsers differ in which of the two members they use. Twin returns "" if there is no
// such member.
func Twin(object []byte, names ...string) string {
	seen := map[string]bool{}
	for name := range Members(object) {
		for _, one := range names {
			if strings.EqualFold(one, string(name)) {
				if one != string(name) || seen[one] {
					return one
				}
				seen[one] = true
			}
		}
	}
	return ""
}

// Members iterates over the members of a JSON object: unquoted names and raw values,
// in the order of the bytes. Both alias object, except names with escapes. The
// iteration ends at the first byte that is not JSON.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) { members(object, false, yield) }
}

// Begun is like [Members], for an object that may be cut off: the last value may be incomplete.
func Begun(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) { members(object, true, yield) }
}

// members implements Members and Begun, so that only one copy is compiled.
func members(object []byte, begun bool, yield func(name, value []byte) bool) {
	c := cursor{b: object}
	c.space()
	if c.i >= len(object) || object[c.i] != '{' {
		return
	}
	c.i++
	for {
		c.space()
		name, ok := c.memberName()
		if !ok {
			return
		}
		start := c.i
		if !c.value() {
			if begun && start < len(object) {
				yield(name, object[start:])
			}
			return
		}
		if !yield(name, object[start:c.i]) {
			return
		}
		c.space()
		if c.i >= len(object) || object[c.i] != ',' {
			return
		}
		c.i++
	}
}

// Start returns the value of a member of an object that may be cut off: the value if it is complete, otherwise
// all bytes from its start. The names in more are members of nested objects. It returns the first one of
// duplicates.
func Start(object []byte, name string, more ...string) ([]byte, bool) {
	c := cursor{b: object}
	c.space()
	if c.i >= len(object) || object[c.i] != '{' {
		return nil, false
	}
	for {
		c.i++
		c.space()
		n, ok := c.memberName()
		if !ok || c.i >= len(object) {
			return nil, false
		}
		start := c.i
		whole := c.value()
		if string(n) == name {
			value := object[start:]
			if whole {
				value = object[start:c.i]
			}
			if len(more) == 0 {
				return value, true
			}
			return Start(value, more[0], more[1:]...)
		}
		c.space()
		if !whole || c.i >= len(object) || object[c.i] != ',' {
			return nil, false
		}
	}
}

// Elements iterates over the elements of a JSON array, such as a batch: raw values
// that alias array. The iteration ends at the first byte that is not JSON.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { elements(array, yield) }
}

// elements implements Elements.
func elements(array []byte, yield func([]byte) bool) {
	c := cursor{b: array}
	c.space()
	if c.i >= len(array) || array[c.i] != '[' {
		return
	}
	c.i++
	for {
		c.space()
		start := c.i
		if !c.value() || !yield(array[start:c.i]) {
			return
		}
		c.space()
		if c.i >= len(array) || array[c.i] != ',' {
			return
		}
		c.i++
	}
}

// Strings returns the elements of an array that are strings.
func Strings(array []byte) []string {
	var all []string
	for element := range Elements(array) {
		if text, ok := Unquote(element); ok {
			all = append(all, text)
		}
	}
	return all
}

// Compact returns JSON without blanks between its tokens. Text that is not JSON is returned unchanged.
func Compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// Count returns the number of the members of an object or of the elements of an array.
func Count(container []byte) (n int) {
	for range Members(container) {
		n++
	}
	for range Elements(container) {
		n++
	}
	return n
}

// Integer decodes a JSON number token that is an integer, including 1.0 and 1e0: JSON and JSON Schema do not
// distinguish them.
func Integer(token []byte) (int64, bool) {
	if typeOfID(token) != IDInteger {
		return 0, false
	}
	n, err := strconv.ParseInt(string(meaning(token)), 10, 64)
	return n, err == nil
}

// Text returns the decoded string of a member, empty for other values and without
// the member.
func Text(object []byte, name string, more ...string) string {
	value, _ := Member(object, name, more...)
	s, _ := Unquote(value)
	return s
}

// SpanOf returns the span of a value that [Member], [Members] or [Elements] returned
// for frame, at any depth; the zero Span for other bytes, such as a copy.
func SpanOf(frame, value []byte) Span {
	start := cap(frame) - cap(value) // value is a subslice of frame and has the same end
	if len(value) == 0 || start < 0 || start+len(value) > len(frame) || &frame[start] != &value[0] {
		return Span{}
	}
	return Span{Start: start, End: start + len(value)}
}

// Without returns an object without the members of a name; the bytes of the other values are unchanged. If
// there is no such member, it returns the object itself.
func Without(object []byte, name string) []byte {
	if _, ok := Member(object, name); !ok {
		return object
	}
	return Only(object, func(key string, value []byte) []byte {
		if key == name {
			return nil
		}
		return value
	})
}

// Only returns an object with the values that keep returns for its members, in order. If keep
// returns nil, the member is left out.
func Only(object []byte, keep func(name string, value []byte) []byte) []byte {
	out := []byte{'{'}
	for name, value := range Members(object) {
		if value = keep(string(name), value); value != nil {
			out = AppendMember(out, string(name), value)
		}
	}
	return append(out, '}')
}

// Tokens reads a JSON value token by token, without recursion: brackets, commas, colons,
// strings, numbers, true, false and null. It does not check their order; the value must
// be valid.
type Tokens struct{ c cursor }

// NewTokens returns the tokens of a valid value.
func NewTokens(value []byte) Tokens { return Tokens{cursor{b: value}} }

// Next returns the next token, which aliases the value; nil at the end.
func (t *Tokens) Next() []byte {
	t.c.space()
	start := t.c.i
	if start >= len(t.c.b) {
		return nil
	}
	switch t.c.b[start] {
	case '{', '}', '[', ']', ',', ':':
		t.c.i++
	default:
		if !t.c.scalar() {
			t.c.i = len(t.c.b)
			return nil
		}
	}
	return t.c.b[start:t.c.i]
}

// Offset returns the end of the token that Next returned last.
func (t *Tokens) Offset() int { return t.c.i }
