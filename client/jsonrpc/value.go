package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// Only the functions below compare values: the order of members, white space, escapes and the form of a number
// have no meaning (RFC 8259, sections 4, 6 and 7).

// Whitespace are the characters around values (RFC 8259, section 2).
const Whitespace = " \t\r\n"

// Equal reports whether two JSON values mean the same. Values that are not valid JSON are
// equal if their bytes are. The time is linear in their lengths.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	a, b = bytes.Trim(a, Whitespace), bytes.Trim(b, Whitespace)
	return Valid(a) && Valid(b) && EqualValid(a, b)
}

// EqualValid is like [Equal], for values that are known to be valid, without white space around them.
func EqualValid(a, b []byte) bool {
	return bytes.Equal(a, b) || TypeOf(a) == TypeOf(b) && Sum(a) == Sum(b)
}

// Meaning is a value that is compared with many others: it is read once, where [Equal] would read
// it each time. It refers to the value's bytes.
type Meaning struct {
	raw   []byte
	valid bool
	sum   uint64
}

// MeaningOf returns the meaning of a JSON value.
func MeaningOf(value []byte) Meaning {
	m := Meaning{raw: bytes.Trim(value, Whitespace)}
	if m.valid = Valid(m.raw); m.valid {
		m.sum = Sum(m.raw)
	}
	return m
}

// Raw returns the value, without white space around it.
func (m *Meaning) Raw() []byte { return m.raw }

// Is is like [Equal] with another value. Its time is linear in the other value's length.
func (m *Meaning) Is(other []byte) bool {
	other = bytes.Trim(other, Whitespace)
	if bytes.Equal(m.raw, other) {
		return true
	}
	return m.valid && TypeOf(m.raw) == TypeOf(other) && Valid(other) && m.sum == Sum(other)
}

// EqualRequests reports whether two requests are equal except for values that differ in each
// request: ids and progress tokens. Missing params equal an empty object, and a missing _meta
// equals an empty one. If a request has one of these members twice, it equals no other request.
func EqualRequests(a, b []byte) bool {
	if !Valid(a) || !Valid(b) || TypeOf(a) != "object" || TypeOf(b) != "object" {
		return false
	}
	x, ok := withoutToken(a)
	y, same := withoutToken(b)
	return ok && same && EqualValid(x, y)
}

// withoutToken returns a request without its id and its progress token; ok is false if a member
// on the way to them is repeated.
func withoutToken(request []byte) (rest []byte, ok bool) {
	rest, ids := remove(request, "id", nil)
	rest, params := remove(rest, "params", func(params []byte) []byte {
		params, metas := remove(params, "_meta", func(meta []byte) []byte {
			meta, tokens := remove(meta, "progressToken", nil)
			if tokens > 1 {
				return nil
			}
			return meta
		})
		if metas > 1 {
			return nil
		}
		return params
	})
	return rest, ids <= 1 && params <= 1
}

// remove returns an object without the members of a name, and their number. With less, a member that is an
// object is replaced by the result of less, unless that is an empty object. If less returns nil, the member
// stays unchanged. Other values are returned unchanged.
func remove(object []byte, name string, less func([]byte) []byte) (rest []byte, removed int) {
	if TypeOf(object) != "object" {
		return object, 0
	}
	rest = []byte{'{'}
	for key, value := range Members(object) {
		if string(key) == name {
			if removed++; less == nil {
				continue
			}
			if TypeOf(value) == "object" {
				if left := less(value); left != nil {
					value = left
				}
				if Count(value) == 0 {
					continue
				}
			}
		}
		rest = AppendMember(rest, string(key), value)
	}
	return append(rest, '}'), removed
}

// Valid reports whether a value is JSON in UTF-8 (RFC 8259) that is not nested deeper than [MaxDepth].
func Valid(value []byte) bool { return InvalidReason(value) == "" }

// InvalidReason returns the reason why a value is not [Valid], "not valid JSON" or "nested deeper than 1,000
// levels", or "" if it is valid.
func InvalidReason(value []byte) string {
	e := Scan(value)
	switch e.Fault {
	case FaultEmpty, FaultNotUTF8, FaultNotJSON, FaultTrailingBytes:
		return "not valid JSON"
	}
	switch {
	case e.Flaws&FlawBOM != 0:
		return "not valid JSON"
	case e.Flaws&FlawTooDeep != 0:
		return FaultTooDeep.String()
	}
	return ""
}

// isJSON is like [Valid], but accepts strings that are not UTF-8.
func isJSON(text []byte) bool { return isValue(cursor{b: text}) }

// IsGrammatical is like [Valid], but accepts strings that are not UTF-8, and values at any depth: for
// code that reads a text token by token, without a stack.
func IsGrammatical(text []byte) bool { return isValue(cursor{b: text, isLenient: true}) }

// isValue reports whether the text of a cursor is one value.
func isValue(c cursor) bool {
	c.space()
	if !c.value() {
		return false
	}
	c.space()
	return c.i == len(c.b)
}

// SyntaxError returns the offset of the first byte at which a text is not JSON, and the error of encoding/json.
// If the text ends too early, the offset is its length. If the text is JSON, the error is nil.
func SyntaxError(text []byte) (offset int, err error) {
	if json.Valid(text) {
		return 0, nil // without the copy that Unmarshal makes of a value
	}
	var syntax *json.SyntaxError
	if err = json.Unmarshal(text, new(json.RawMessage)); !errors.As(err, &syntax) {
		return 0, err
	}
	offset = int(syntax.Offset) - 1 // the offset includes the invalid byte
	switch msg := syntax.Error(); {
	case strings.HasPrefix(msg, "unexpected end"):
		return len(text), err
	case strings.HasPrefix(msg, "invalid character ' '") && text[offset] != ' ': // read after a number or a literal
		return len(text), errors.New("unexpected end of JSON input")
	}
	return offset, err
}

// Hash returns a hash of the meaning of a JSON value, ignoring the members with some names at any depth: in one
// process, equal values have equal hashes. ok is false if the value is invalid JSON.
func Hash(value []byte, without ...string) (hash uint64, ok bool) {
	value = bytes.Trim(value, Whitespace)
	if !Valid(value) {
		return 0, false
	}
	return hasher{without: without}.hashOf(value), true
}

// Sum is like [Hash], for a value that is known to be valid, or nil for an absent one, which differs from null.
func Sum(value []byte) uint64 {
	if len(value) == 0 {
		return 0
	}
	return hasher{}.hashOf(value)
}

// hasher computes hashes of the meaning of values. Equal values have equal hashes. Different values have
// different hashes, except by a chance of 64 random bits.
type hasher struct {
	without []string // members that have no part in a hash
}

var processSeed = maphash.MakeSeed()

func (h hasher) hashOf(value []byte) uint64 {
	tokens := NewTokens(value)
	return h.hash(&tokens, tokens.Next())
}

// hash returns the hash of the value that begins with a token.
func (h hasher) hash(tokens *Tokens, token []byte) uint64 {
	switch token[0] {
	case '"':
		return hashString(token)
	case '{':
		return h.hashObject(tokens)
	case '[':
		sum := uint64(0x9e3779b97f4a7c15)
		for token := tokens.Next(); token[0] != ']'; token = tokens.Next() {
			if token[0] != ',' {
				sum = mix(sum, h.hash(tokens, token))
			}
		}
		return mix(sum, 3)
	}
	return mix(maphash.Bytes(processSeed, meaning(token)), 1) // 1.0 is 1
}

func hashString(token []byte) uint64 { return maphash.Bytes(processSeed, meaning(token)[1:]) }

func (h hasher) hashObject(tokens *Tokens) uint64 {
	sum, count := uint64(0), uint64(0)
	for name := tokens.Next(); name[0] != '}'; name = tokens.Next() {
		if name[0] == ',' {
			continue
		}
		tokens.Next() // the colon
		value := h.hash(tokens, tokens.Next())
		if slices.ContainsFunc(h.without, func(w string) bool { return IsText(name, w) }) {
			continue
		}
		sum += mix(hashString(name), value) // the order does not count
		count++
	}
	return mix(sum, count<<8|5)
}

// mix combines two hashes; the order counts.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return high ^ low ^ a<<1
}

// PlainSize returns the size in bytes of a valid value when it is written without white space
// and without escapes except for quotes and backslashes. It does not depend on the encoder of
// the peer.
func PlainSize(value []byte) int {
	n, tokens := 0, NewTokens(value)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		plain := meaning(token)
		if n += len(plain); token[0] == '"' {
			n += len(`"`) + bytes.Count(plain[1:], []byte(`"`)) + bytes.Count(plain, []byte(`\`))
		}
	}
	return n
}
