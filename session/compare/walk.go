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
	"mcptea/session/diff"
)

// membersOf are all members; of a duplicate name the last one.
func membersOf(object []byte) map[string][]byte {
	all := map[string][]byte{}
	for name, value := range jsonrpc.Members(object) {
		all[string(name)] = value
	}
	return all
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
	alike := true
	kind, length := byte(0), -1
	for i, v := range values {
		if !asked[i] {
			continue
		}
		if v == nil {
			found(at, values)
			return
		}
		n := -1
		if v[0] == '[' {
			n = count(v)
		}
		if kind == 0 {
			first, kind, length = v, v[0], n
			continue
		}
		alike = alike && equal(v, first)
		if v[0] != kind || n != length {
			kind = '?'
		}
	}
	into := described(at)
	if alike && !into || kind != '{' && kind != '[' || len(at.names) == deepest || len(at.path) > longest {
		found(at, values)
		return
	}
	if kind == '{' {
		members := make([]map[string][]byte, len(values))
		for i, v := range values {
			members[i] = membersOf(v)
		}
		for _, name := range namesIn(values) {
			under := make([][]byte, len(values))
			for i := range members {
				under[i] = members[i][name]
			}
			if into || !same(under, asked) {
				walk(place{step(at.path, name), append(slices.Clone(at.names), name)}, under, asked, described, found)
			}
		}
		return
	}
	elements := make([][][]byte, len(values)) // once, for arrays can be long
	for i, v := range values {
		if v != nil {
			elements[i] = slices.AppendSeq(make([][]byte, 0, length), jsonrpc.Elements(v))
		}
	}
	for i := range length {
		under := make([][]byte, len(values))
		for k, list := range elements {
			if i < len(list) {
				under[k] = list[i]
			}
		}
		if into || !same(under, asked) {
			walk(place{at.path + "[" + strconv.Itoa(i) + "]", at.names}, under, asked, described, found)
		}
	}
}

func same(values [][]byte, asked []bool) bool {
	first := -1
	for i, v := range values {
		switch {
		case !asked[i]:
		case first < 0:
			first = i
		case !equal(v, values[first]):
			return false
		}
	}
	return true
}

func each(values [][]byte, of func([]byte) []byte) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		if v != nil {
			out[i] = of(v)
		}
	}
	return out
}

// leaves visits the members of all objects at any depth.
func leaves(path string, objects [][]byte, found func(path string, values [][]byte)) {
	for _, name := range namesIn(objects) {
		under := each(objects, func(o []byte) []byte { return jsonrpc.Get(o, name) })
		if len(namesIn(under)) > 0 {
			leaves(step(path, name), under, found)
			continue
		}
		found(step(path, name), under)
	}
}

func count(array []byte) (n int) {
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
	return (a == nil) == (b == nil) && diff.Equal(a, b)
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
