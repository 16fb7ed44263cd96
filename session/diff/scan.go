package diff

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"math/bits"
	"slices"

	"mcptea/client/jsonrpc"
)

// The functions of this file read valid JSON.

// whitespace are the characters around values (RFC 8259, section 2).
const whitespace = " \t\r\n"

// skipSpace returns the first position from i on that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the end of the string that starts at i, and whether it has
// escapes.
func stringEnd(b []byte, i int) (end int, escaped bool) {
	for i++; ; {
		n := bytes.IndexByte(b[i:], '"')
		if !escaped && bytes.IndexByte(b[i:i+n], '\\') < 0 {
			return i + n + 1, false
		}
		escaped = true
		// The quote ends the string unless an odd number of backslashes is before it.
		at := i + n
		slashes := 0
		for at-slashes > 0 && b[at-slashes-1] == '\\' {
			slashes++
		}
		i = at + 1
		if slashes%2 == 0 {
			return i, true
		}
	}
}

// valueEnd returns the end of the value that starts at i.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		end, _ := stringEnd(b, i)
		return end
	case '{', '[':
		for depth := 0; ; i++ {
			switch b[i] {
			case '"':
				end, _ := stringEnd(b, i)
				i = end - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	return i
}

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
	object := container[0] == '{'
	for i := skipSpace(container, 1); container[i] != '}' && container[i] != ']'; i = skipSpace(container, i) {
		if container[i] == ',' {
			i++
			continue
		}
		if !object && len(all) == maxElements {
			return nil, false
		}
		one := child{index: len(all)}
		if object {
			end, escaped := stringEnd(container, i)
			one.name = decodeString(container[i:end], escaped)
			i = skipSpace(container, skipSpace(container, end)+1)
		}
		start := i
		i = valueEnd(container, i)
		one.value = container[start:i]
		all = append(all, one)
	}
	return all, true
}

// elements reads an array element by element.
type elements struct {
	array []byte
	at    int
}

// next returns the next element; nil at the end.
func (e *elements) next() []byte {
	if e.at == 0 {
		e.at = 1
	}
	e.at = skipSpace(e.array, e.at)
	if e.array[e.at] == ',' {
		e.at = skipSpace(e.array, e.at+1)
	}
	if e.array[e.at] == ']' {
		return nil
	}
	start := e.at
	e.at = valueEnd(e.array, start)
	return e.array[start:e.at]
}

func decodeString(token []byte, escaped bool) string {
	if !escaped {
		return string(token[1 : len(token)-1])
	}
	var s string
	_ = json.Unmarshal(token, &s) // valid
	return s
}

// hasher computes hashes of what values mean.
type hasher struct {
	seed    maphash.Seed
	without []string // members that have no part in a hash
}

// hash returns a hash of what the value at i means, and its end. Equal values have
// equal hashes; that others have different ones is as certain as 64 random bits make
// it.
func (c hasher) hash(b []byte, i int) (uint64, int) {
	switch b[i] {
	case '"':
		end, escaped := stringEnd(b, i)
		if escaped {
			return maphash.String(c.seed, decodeString(b[i:end], true)), end
		}
		return maphash.Bytes(c.seed, b[i+1:end-1]), end
	case '{':
		return c.hashObject(b, i)
	case '[':
		sum := uint64(0x9e3779b97f4a7c15)
		for i = skipSpace(b, i+1); b[i] != ']'; i = skipSpace(b, i) {
			if b[i] == ',' {
				i++
				continue
			}
			var h uint64
			h, i = c.hash(b, i)
			sum = mix(sum, h)
		}
		return mix(sum, 3), i + 1
	}
	end := valueEnd(b, i)
	return mix(maphash.Bytes(c.seed, b[i:end]), 1), end
}

func (c hasher) hashObject(b []byte, i int) (uint64, int) {
	sum, count := uint64(0), uint64(0)
	for i = skipSpace(b, i+1); b[i] != '}'; i = skipSpace(b, i) {
		if b[i] == ',' {
			i++
			continue
		}
		end, escaped := stringEnd(b, i)
		var name, value uint64
		if escaped {
			name = maphash.String(c.seed, decodeString(b[i:end], true))
		} else {
			name = maphash.Bytes(c.seed, b[i+1:end-1])
		}
		token := b[i+1 : end-1]
		value, i = c.hash(b, skipSpace(b, skipSpace(b, end)+1))
		if len(c.without) > 0 && !escaped && slices.Contains(c.without, string(token)) {
			continue
		}
		sum += mix(name, value) // the order does not count
		count++
	}
	return mix(sum, count<<8|5), i + 1
}

// mix combines two hashes; the order counts.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return high ^ low ^ a<<1
}

var processSeed = maphash.MakeSeed()

// Hash returns a hash of what a JSON value means: equal values have equal hashes,
// in one process. ok is false if the value is not valid JSON.
func Hash(value []byte) (hash uint64, ok bool) {
	return HashWithout(value)
}

// HashWithout is [Hash] without the members of these names, wherever they are.
func HashWithout(value []byte, names ...string) (hash uint64, ok bool) {
	value = bytes.Trim(value, whitespace)
	if !Valid(value) {
		return 0, false
	}
	c := hasher{seed: processSeed, without: names}
	hash, _ = c.hash(value, 0)
	return hash, true
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
	x, _ := h.hash(a, 0)
	y, _ := h.hash(b, 0)
	return x == y
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
