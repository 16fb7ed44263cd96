package diff

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"

	"mcptea/client/jsonrpc"
)

// The functions of this file read valid JSON.

// whitespace are the characters around values (RFC 8259, section 2).
const whitespace = " \t\r\n"

// child is a member of an object or an element of an array.
type child struct {
	name  string // of a member, decoded
	value []byte
	index int
	id    string // identifies an element; see identityKey
	sum   uint64 // of what it means; see pairSequence
}

// maxElements is how many elements of an array are matched with those of another one.
const maxElements = 1 << 20

// children returns the members or elements of a container. Of members with the same
// name all are returned. ok is false for an array with more than [maxElements].
func children(container []byte) (all []child, ok bool) {
	for name, value := range jsonrpc.Members(container) {
		all = append(all, child{index: len(all), name: string(name), value: value})
	}
	for value := range jsonrpc.Elements(container) {
		if len(all) == maxElements {
			return nil, false
		}
		all = append(all, child{index: len(all), value: value})
	}
	return all, true
}

// hasher computes hashes of what values mean.
type hasher struct {
	seed    maphash.Seed
	without []string // members that have no part in a hash
}

// of returns the hash of a value.
func (c hasher) of(value []byte) uint64 {
	tokens := jsonrpc.NewTokens(value)
	return c.hash(&tokens, tokens.Next())
}

// hash returns a hash of what the value that begins with a token means. Equal values have
// equal hashes; that others have different ones is as certain as 64 random bits make
// it.
func (c hasher) hash(tokens *jsonrpc.Tokens, token []byte) uint64 {
	switch token[0] {
	case '"':
		return c.hashString(token)
	case '{':
		return c.hashObject(tokens)
	case '[':
		sum := uint64(0x9e3779b97f4a7c15)
		for token := tokens.Next(); token[0] != ']'; token = tokens.Next() {
			if token[0] != ',' {
				sum = mix(sum, c.hash(tokens, token))
			}
		}
		return mix(sum, 3)
	}
	return mix(maphash.Bytes(c.seed, jsonrpc.TokenOf(token).Meaning()), 1) // 1.0 is 1
}

func (c hasher) hashString(token []byte) uint64 {
	return maphash.Bytes(c.seed, jsonrpc.TokenOf(token).Meaning()[1:])
}

func (c hasher) hashObject(tokens *jsonrpc.Tokens) uint64 {
	sum, count := uint64(0), uint64(0)
	for name := tokens.Next(); name[0] != '}'; name = tokens.Next() {
		if name[0] == ',' {
			continue
		}
		tokens.Next() // the colon
		value := c.hash(tokens, tokens.Next())
		if len(c.without) > 0 && slices.ContainsFunc(c.without, func(w string) bool { return jsonrpc.IsText(name, w) }) {
			continue
		}
		sum += mix(c.hashString(name), value) // the order does not count
		count++
	}
	return mix(sum, count<<8|5)
}

// mix combines two hashes; the order counts.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return high ^ low ^ a<<1
}

var processSeed = maphash.MakeSeed()

// Hash returns a hash of what a JSON value means, without the members of some names
// wherever they are: equal values have equal hashes, in one process. ok is false if the
// value is not valid JSON.
func Hash(value []byte, without ...string) (hash uint64, ok bool) {
	value = bytes.Trim(value, whitespace)
	if !Valid(value) {
		return 0, false
	}
	return hasher{seed: processSeed, without: without}.of(value), true
}

// Valid reports JSON in UTF-8 that is not nested very deeply (RFC 8259).
func Valid(value []byte) bool {
	e := jsonrpc.Scan(value)
	switch e.Fault {
	case jsonrpc.FaultEmpty, jsonrpc.FaultNotUTF8, jsonrpc.FaultNotJSON, jsonrpc.FaultTooDeep, jsonrpc.FaultTrailingBytes:
		return false
	}
	return e.Flaws&jsonrpc.FlawBOM == 0
}

// equalValues reports whether two valid values mean the same.
func equalValues(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if a[0] != b[0] {
		return false
	}
	h := hasher{seed: processSeed}
	return h.of(a) == h.of(b)
}

// Equal reports whether two JSON values mean the same. Values that are not valid
// JSON are equal if their bytes are.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, valid := Hash(a)
	y, both := Hash(b)
	return valid && both && x == y
}
