package tooltypes

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

const (
	// maxLevels bounds the levels of a schema that are read; deeper values are of any type.
	maxLevels = 40
	// maxNodes bounds the types of one schema.
	maxNodes = 10_000
	// The bytes of schemas that are read for a file are bounded, each time a part is read. The
	// bound is leastRead, or readPerByte for each byte of the schemas if that is more. Otherwise,
	// parts that contain each other through references would be read without end.
	leastRead   = 4 << 20
	readPerByte = 64
)

// reader reads one schema.
type reader struct {
	p      *program
	prefix string // prefix of the names of its definitions
	root   []byte
	refs   map[string]*declared // types by JSON Pointer
	nodes  int
	// children has the members and elements of the values that references lead through, by the pointer of the value.
	children map[string]map[string][]byte
}

// declare reads a schema as a type with a name, which is taken.
func (p *program) declare(name string, schema []byte) *declared {
	r := &reader{p: p, prefix: strings.TrimSuffix(strings.TrimSuffix(name, "Arguments"), "Result"), root: schema, refs: map[string]*declared{}, children: map[string]map[string][]byte{}}
	d := &declared{name: name}
	r.refs["#"] = d
	p.types = append(p.types, d)
	d.node = r.node(schema, 0)
	if d.node.kind == mapping && jsonrpc.Get(schema, "additionalProperties") == nil {
		d.node = &node{kind: record, about: d.node.about} // a tool without arguments
	}
	return d
}

// anyType returns a type for values that cannot be described, and counts it.
func (r *reader) anyType(about string) *node {
	r.p.loose++
	return &node{about: about}
}

// reads counts a part of a schema as read, and reports whether it may be.
func (r *reader) reads(part []byte) bool {
	r.p.left -= len(part)
	return r.p.left >= 0
}

// node reads a schema.
func (r *reader) node(schema []byte, level int) *node {
	r.nodes++
	about := titled(schema)
	switch {
	case level > maxLevels || r.nodes > maxNodes || !r.reads(schema):
		return r.anyType("")
	case jsonrpc.TypeOf(schema) != "object":
		return &node{} // true, or nothing
	}
	if ref := jsonrpc.Text(schema, "$ref"); ref != "" {
		return r.reference(ref, about, level)
	}
	if value := jsonrpc.Get(schema, "const"); value != nil {
		return &node{kind: literal, about: about, values: [][]byte{value}}
	}
	if values := jsonrpc.Get(schema, "enum"); jsonrpc.TypeOf(values) == "array" {
		n := &node{kind: literal, about: about}
		for v := range jsonrpc.Elements(values) {
			n.values = append(n.values, v)
		}
		return nonEmpty(n, len(n.values))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if jsonrpc.TypeOf(jsonrpc.Get(schema, keyword)) == "array" {
			n := &node{kind: union, about: about}
			for part := range jsonrpc.Elements(jsonrpc.Get(schema, keyword)) {
				n.add(r.node(part, level+1))
			}
			return nonEmpty(n, len(n.parts))
		}
	}
	return r.typed(schema, about, level)
}

// nonEmpty returns a node, or the type of any value if it has no parts. It replaces a union of one part by that
// part.
func nonEmpty(n *node, parts int) *node {
	switch {
	case parts == 0:
		return &node{about: n.about}
	case parts == 1 && n.kind == union:
		if n.parts[0].about == "" {
			n.parts[0].about = n.about
		}
		return n.parts[0]
	}
	return n
}

// add adds a part to a union; the parts of a union are its own.
func (n *node) add(part *node) {
	if part.kind == union {
		n.parts = append(n.parts, part.parts...)
		return
	}
	n.parts = append(n.parts, part)
}

// typed reads a schema by its types.
func (r *reader) typed(schema []byte, about string, level int) *node {
	var names []string
	switch t := jsonrpc.Get(schema, "type"); jsonrpc.TypeOf(t) {
	case "string":
		name, _ := jsonrpc.Unquote(t)
		names = []string{name}
	case "array":
		names = jsonrpc.Strings(t)
	default:
		if jsonrpc.Get(schema, "properties") != nil || jsonrpc.Get(schema, "allOf") != nil {
			names = []string{"object"}
		}
	}
	if string(jsonrpc.Get(schema, "nullable")) == "true" {
		names = append(names, "null")
	}
	n := &node{kind: union, about: about}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			continue // a repeated type adds no values
		}
		seen[name] = true
		n.add(r.ofType(name, schema, about, level))
	}
	return nonEmpty(n, len(n.parts))
}

var simple = map[string]kind{"null": null, "boolean": boolean, "integer": integer, "number": number, "string": text}

func (r *reader) ofType(name string, schema []byte, about string, level int) *node {
	switch name {
	case "array":
		return &node{kind: list, about: about, parts: []*node{r.node(jsonrpc.Get(schema, "items"), level+1)}}
	case "object":
		n := &node{kind: record, about: about}
		r.fields(n, schema, level)
		if len(n.fields) > 0 {
			return n
		}
		return &node{kind: mapping, about: about, parts: []*node{r.node(jsonrpc.Get(schema, "additionalProperties"), level+1)}}
	}
	if k, ok := simple[name]; ok {
		return &node{kind: k, about: about}
	}
	return r.anyType(about)
}

// fields adds the properties of a schema and of all that it must match.
func (r *reader) fields(n *node, schema []byte, level int) {
	if r.nodes += 1 + len(n.fields); r.nodes > maxNodes || !r.reads(schema) {
		return
	}
	at, required := map[string]int{}, map[string]bool{}
	for i, f := range n.fields {
		at[f.name] = i
	}
	for _, name := range jsonrpc.Strings(jsonrpc.Get(schema, "required")) {
		required[name] = true
	}
	for token, property := range jsonrpc.Members(jsonrpc.Get(schema, "properties")) {
		f := field{name: string(token), required: required[string(token)], node: r.node(property, level+1)}
		if i, ok := at[f.name]; ok {
			n.fields[i] = f
			continue
		}
		at[f.name] = len(n.fields)
		n.fields = append(n.fields, f)
	}
	for part := range jsonrpc.Elements(jsonrpc.Get(schema, "allOf")) {
		if level++; level > maxLevels {
			return
		}
		if ref := jsonrpc.Text(part, "$ref"); ref != "" {
			part, _ = r.at(ref)
		}
		r.fields(n, part, level)
	}
}

// isNamed reports whether a type is a declared one, by its name or by names for it.
func (n *node) isNamed(d *declared) bool {
	for range maxLevels {
		if n == nil || n.kind != named {
			return false
		}
		if n.ref == d {
			return true
		}
		n = n.ref.node
	}
	return true
}

// at returns the value at a reference within the schema.
func (r *reader) at(ref string) ([]byte, bool) {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, false
	}
	value := r.root
	above := ""
	for _, part := range jsonrpc.SplitPointer(pointer) {
		if value = r.child(above, value, part); value == nil {
			return nil, false
		}
		above += "/" + jsonrpc.EscapePointer(part)
	}
	return value, true
}

// child returns a member of an object or an element of an array, which is at a pointer, or nil. The value is read once.
func (r *reader) child(pointer string, value []byte, part string) []byte {
	children, known := r.children[pointer]
	if !known {
		if !r.reads(value) {
			return nil
		}
		if jsonrpc.TypeOf(value) == "array" {
			children = map[string][]byte{}
			for element := range jsonrpc.Elements(value) {
				children[strconv.Itoa(len(children))] = element
			}
		} else {
			children = jsonrpc.MemberIndex(value)
		}
		r.children[pointer] = children
	}
	return children[part]
}

// reference returns the named type for a reference.
func (r *reader) reference(ref, about string, level int) *node {
	if d := r.refs[ref]; d != nil {
		return &node{kind: named, about: about, ref: d}
	}
	schema, found := r.at(ref)
	if !found {
		return r.anyType(about)
	}
	parts := jsonrpc.SplitPointer(ref)
	d := &declared{name: r.p.unique(r.prefix + identifier(parts[len(parts)-1]))}
	r.refs[ref] = d
	r.p.types = append(r.p.types, d)
	if d.node = r.node(schema, level+1); d.node.isNamed(d) {
		d.node = r.anyType(about) // the type refers to itself
	}
	return &node{kind: named, about: about, ref: d}
}
