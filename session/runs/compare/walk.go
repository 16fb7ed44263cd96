package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// partsOf are the members of an object, of a duplicate name the last one, or the elements
// of an array by their index.
func partsOf(container []byte) map[string][]byte {
	parts := map[string][]byte{}
	for name, value := range jsonrpc.Members(container) {
		parts[string(name)] = value
	}
	for value := range jsonrpc.Elements(container) {
		parts[strconv.Itoa(len(parts))] = value
	}
	return parts
}

// valuesOf are the members of objects that have a name.
func valuesOf(objects [][]byte, name string) [][]byte {
	out := make([][]byte, len(objects))
	for i, o := range objects {
		out[i] = jsonrpc.Get(o, name)
	}
	return out
}

func cellOf(value []byte) Cell {
	if value == nil {
		return Cell{State: Missing}
	}
	return Cell{State: Present, Value: value}
}

func asked(objects [][]byte) []bool {
	out := make([]bool, len(objects))
	for i, o := range objects {
		out[i] = o != nil
	}
	return out
}

// namesIn are the names of the members of all objects, in the order of their first
// occurrence.
func namesIn(objects [][]byte) []string {
	var names []string
	seen := map[string]bool{}
	for _, o := range objects {
		for name := range jsonrpc.Members(o) {
			if !seen[string(name)] {
				seen[string(name)] = true
				names = append(names, string(name))
			}
		}
	}
	return names
}

// place is where a value is: its JSON path, and the names on it.
type place struct {
	path  string
	names []string
}

// The maximum depth of a difference, in names and in bytes of a path.
const (
	deepest = 32
	longest = 1000
)

// walk finds the places where values differ: it descends while all values are objects,
// or arrays of one length. Equal values are reported as a whole, unless a table
// describes their members. Only the values with asked set are compared.
func walk(at place, values [][]byte, asked []bool, described func(place) bool, found func(place, [][]byte)) {
	var first []byte
	kind, length := byte(0), 0
	for i, v := range values {
		switch {
		case !asked[i]:
		case v == nil:
			found(at, values)
			return
		case first == nil:
			first, kind, length = v, v[0], elementCount(v)
		case v[0] != kind || elementCount(v) != length:
			kind = '?'
		}
	}
	into := described(at)
	if !into && same(values, asked) || kind != '{' && kind != '[' || len(at.names) == deepest || len(at.path) > longest {
		found(at, values)
		return
	}
	parts := make([]map[string][]byte, len(values)) // once, for containers can be long
	for i, v := range values {
		parts[i] = partsOf(v)
	}
	names := namesIn(values)
	for i := range length {
		names = append(names, strconv.Itoa(i))
	}
	for _, name := range names {
		under := make([][]byte, len(values))
		for i := range parts {
			under[i] = parts[i][name]
		}
		if !into && same(under, asked) {
			continue
		}
		next := place{at.path + "[" + name + "]", at.names}
		if kind == '{' {
			next = place{step(at.path, name), append(slices.Clone(at.names), name)}
		}
		walk(next, under, asked, described, found)
	}
}

// same reports whether the values that are asked for are equal.
func same(values [][]byte, asked []bool) bool {
	first := slices.Index(asked, true)
	for i, v := range values {
		if asked[i] && !equal(v, values[first]) {
			return false
		}
	}
	return true
}

// leaves visits the members of all objects at any depth.
func leaves(path string, objects [][]byte, found func(path string, values [][]byte)) {
	for _, name := range namesIn(objects) {
		under := valuesOf(objects, name)
		if len(namesIn(under)) > 0 {
			leaves(step(path, name), under, found)
			continue
		}
		found(step(path, name), under)
	}
}

// elementCount is the number of elements of an array, 0 for other values.
func elementCount(array []byte) (n int) {
	for range jsonrpc.Elements(array) {
		n++
	}
	return n
}

var plainName = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// step appends a member to a path.
func step(path, name string) string {
	switch {
	case !plainName().MatchString(name):
		return path + fmt.Sprintf("[%q]", name)
	case path == "":
		return name
	}
	return path + "." + name
}

// equal reports whether two JSON values are equal.
func equal(a, b []byte) bool {
	return (a == nil) == (b == nil) && jsonrpc.Equal(a, b)
}

// canonical is a text that equal values share: without white space, members sorted,
// numbers as they are written.
func canonical(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(value)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // which sorts the members
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
