package schema

import (
	"net/url"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// maxReferences bounds a chain of references, which may be a circle.
const maxReferences = 32

// References follows the references within one schema, "#/$defs/name", also through
// arrays. It remembers the objects and arrays on the way: a large schema has many
// references into the same few places. It is not safe for concurrent use.
type References struct {
	root  []byte
	parts map[*byte]map[string][]byte // members of an object or array, by its first byte
}

// NewReferences returns the references of a schema, whose bytes must not change.
func NewReferences(root []byte) *References {
	return &References{root: root, parts: map[*byte]map[string][]byte{}}
}

// Follow returns the value that a $ref refers to, a part of the root's bytes. It returns false for a reference
// to another document, to an anchor, or to nothing.
func (r *References) Follow(ref string) ([]byte, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil, false
	}
	at := r.root
	for path != "" {
		part, rest, more := strings.Cut(path[1:], "/")
		if at, ok = r.child(at, part); !ok {
			return nil, false
		}
		if path = ""; more {
			path = "/" + rest
		}
	}
	return at, true
}

// Chain returns a schema, the target of its $ref, the target of that $ref, and so on. It returns false if a
// reference cannot be followed, or the chain is endless.
func (r *References) Chain(schema []byte) ([][]byte, bool) {
	chain := [][]byte{schema}
	for {
		ref := jsonrpc.Text(schema, "$ref")
		if ref == "" {
			return chain, true
		}
		target, ok := r.Follow(ref)
		if !ok || len(chain) > maxReferences {
			return chain, false
		}
		schema = target
		chain = append(chain, schema)
	}
}

// Resolve follows the $ref of a schema and of its targets, to the first schema without one. Other members next
// to a $ref are ignored.
func (r *References) Resolve(schema []byte) ([]byte, bool) {
	chain, ok := r.Chain(schema)
	return chain[len(chain)-1], ok
}

// child returns the member or element that a part of a JSON Pointer names. In a reference the
// part may be percent-encoded (RFC 6901 §6).
func (r *References) child(at []byte, part string) ([]byte, bool) {
	if len(at) == 0 {
		return nil, false
	}
	parts, ok := r.parts[&at[0]]
	if !ok {
		parts = map[string][]byte{}
		for name, value := range jsonrpc.Members(at) {
			parts[string(name)] = value
		}
		i := 0
		for value := range jsonrpc.Elements(at) {
			parts[strconv.Itoa(i)] = value
			i++
		}
		r.parts[&at[0]] = parts
	}
	name := jsonrpc.UnescapePointer(part)
	if value, ok := parts[name]; ok {
		return value, true
	}
	decoded, err := url.PathUnescape(part)
	value, ok := parts[jsonrpc.UnescapePointer(decoded)]
	return value, ok && err == nil
}
