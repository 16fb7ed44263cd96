package jsonrpc

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// Values are compared here and nowhere else: the order of members, white space, escapes and
// the form of a number say nothing (RFC 8259, sections 4, 6 and 7).

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

// EqualValid is [Equal] for values that are known to be valid, without white space around
// them.
func EqualValid(a, b []byte) bool {
	return bytes.Equal(a, b) || TypeOf(a) == TypeOf(b) && Sum(a) == Sum(b)
}

// Valid reports JSON in UTF-8 that is not nested very deeply (RFC 8259).
func Valid(value []byte) bool {
	e := Scan(value)
	switch e.Fault {
	case FaultEmpty, FaultNotUTF8, FaultNotJSON, FaultTooDeep, FaultTrailingBytes:
		return false
	}
	return e.Flaws&FlawBOM == 0
}

// Hash returns a hash of what a JSON value means, without the members of some names wherever
// they are: equal values have equal hashes, in one process. ok is false if the value is not
// valid JSON.
func Hash(value []byte, without ...string) (hash uint64, ok bool) {
	value = bytes.Trim(value, Whitespace)
	if !Valid(value) {
		return 0, false
	}
	return hasher{without: without}.of(value), true
}

// Sum is [Hash] of a value that is known to be valid.
func Sum(value []byte) uint64 { return hasher{}.of(value) }

// hasher computes hashes of what values mean. Equal values have equal hashes; that others have
// different ones is as certain as 64 random bits make it.
type hasher struct {
	without []string // members that have no part in a hash
}

var processSeed = maphash.MakeSeed()

func (h hasher) of(value []byte) uint64 {
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
// and without escapes but for quotes and backslashes. It does not depend on the encoder of the
// peer.
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
