package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
)

// Load replaces all values with the members of a JSON object; it returns why that is not possible without a
// loss. Until they are changed, loaded values are encoded again exactly as loaded, down to the digits of
// numbers and the escapes of strings. If files is set, a string @PATH is the name of a file, as in the result
// of Values.
func (t *Tree) Load(values []byte, files bool) (why string) {
	if !json.Valid(values) || kindOf(values) != "object" {
		return "the form needs a JSON object"
	}
	if name, twice := repeated(values); twice {
		return "the member " + name + " occurs twice, which a form cannot show"
	}
	if t.root.Shape == Union {
		if _, ok := t.best(t.root, values); !ok {
			return "the JSON fits none of the alternatives of the schema"
		}
	}
	t.files = files
	t.load(t.root, values)
	t.files = false
	return ""
}

// load puts a value into a node, as JSON if the node has no other place for it.
func (t *Tree) load(n *Node, raw json.RawMessage) {
	t.Unset(n)
	n.AsJSON = false
	kind := kindOf(raw)
	switch {
	case n.levels() > maxLevels: // each level is read again, and there are no forms at this depth
	case n.Entry && n.any && !n.parent.Adds(): // there are no fields for names that the schema lacks
	case kind == "null" && n.Nullable():
		n.Null = true
		return
	case n.Shape == Leaf:
		value := raw
		if n.Field.chooses() {
			value = variables.Plain(raw)
		}
		if text, ok := n.Field.read(value); ok {
			n.Text, n.raw, n.rawText = text, value, text
			n.Empty = text == ""
			if n.Field.Kind == String && !t.files {
				n.Text = variables.Field(text)
			}
			return
		}
	case n.Shape == Object && kind == "object":
		if _, twice := repeated(raw); !twice {
			t.loadObject(n, raw)
			return
		}
	case n.Shape == Array && kind == "array":
		if t.loadArray(n, raw) {
			return
		}
	case n.Shape == Union:
		if i, ok := t.best(n, raw); ok {
			n.Selected = -1
			t.Select(n, i)
			t.load(n.Children[0], raw)
			n.Open = true
			return
		}
	}
	t.clear(n)
	n.AsJSON, n.Open = true, false
	n.Text = jsonrpc.Indented(raw)
	n.raw, n.rawText = raw, n.Text
}

func (t *Tree) loadObject(n *Node, raw json.RawMessage) {
	given, _ := parseObject(raw)
	t.Unfold(n)
	n.Empty, n.order = len(given) == 0, nil
	for _, c := range n.Children {
		if !given.has(c.Name) {
			t.omit(c)
		}
	}
	for _, m := range given {
		n.order = append(n.order, m.name)
		c := n.child(m.name)
		if c == nil {
			schema, ok := n.entrySchema(m.name)
			if !ok {
				schema = nil
			}
			c = t.addEntry(n, m.name, schema)
		}
		t.load(c, m.value)
	}
}

// omit leaves out a member that is absent in the loaded JSON: neither its default nor a required value is
// added.
func (t *Tree) omit(n *Node) {
	t.Unset(n)
	n.omitted, n.initial, n.Text = n.Field.Required, "", ""
	if n.Shape != Leaf {
		t.clear(n)
		n.Open, n.Selected, n.first = false, -1, -1
	}
}

// maxLevels is the maximum depth of nested nodes that become fields. A deeper value is JSON.
const maxLevels = 2 * maxDepth

// levels returns the number of nodes around a node.
func (n *Node) levels() (count int) {
	for p := n.parent; p != nil; p = p.parent {
		count++
	}
	return count
}

func (t *Tree) loadArray(n *Node, raw json.RawMessage) bool {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || len(items) > maxNodes-t.count {
		return false
	}
	t.Unfold(n)
	for _, c := range n.Children {
		t.forget(c)
	}
	n.Children, n.Empty = nil, len(items) == 0
	for _, item := range items {
		c := t.addItem(n)
		if c == nil {
			c = t.addNumbered(n)
			t.define(c, nil, true)
		}
		t.load(c, item)
	}
	return true
}

// read makes the text of a field from JSON; false when the field cannot show the
// value.
func (fd *Field) read(raw json.RawMessage) (text string, ok bool) {
	kind := kindOf(raw)
	switch fd.Kind {
	case String:
		return plain(raw), kind == "string"
	case Number, Integer:
		return string(raw), kind == "number"
	case Boolean:
		return string(raw), kind == "boolean"
	case Enum:
		o, ok := fd.listed(raw)
		return o.Label, ok
	case Multi:
		var values []json.RawMessage
		if kind != "array" || json.Unmarshal(raw, &values) != nil {
			return "", false
		}
		var labels []string
		for _, v := range values {
			o, ok := fd.listed(v)
			if !ok || slices.Contains(labels, o.Label) || strings.ContainsAny(o.Label, ",\n[") {
				return "", false
			}
			labels = append(labels, o.Label)
		}
		return strings.Join(labels, ", "), true
	}
	return jsonrpc.Indented(raw), true
}

// best finds the alternative of a union that fits a value best, or returns false if none fits.
func (t *Tree) best(n *Node, raw json.RawMessage) (int, bool) {
	at, most := -1, -1
	for i, alt := range n.alts {
		if alt.asJSON {
			if at < 0 {
				at, most = i, 0
			}
			continue
		}
		if score := t.fit(alt.obj, raw, 0); score > most {
			at, most = i, score
		}
	}
	return at, at >= 0
}

// fit counts how many members of a value a schema names; -1 when the value does not
// fit it.
func (t *Tree) fit(obj object, raw json.RawMessage, depth int) int {
	kind := kindOf(raw)
	if types := typesOf(obj); len(types) > 0 && !slices.Contains(types, kind) {
		whole := kind == "number" && slices.Contains(types, "integer") && isInteger(string(raw))
		if !whole {
			return -1
		}
	}
	if options := t.r.options(obj, 0); len(options) > 0 {
		f := Field{Options: options}
		if _, ok := f.listed(variables.Plain(raw)); !ok {
			return -1
		}
		return 10
	}
	if depth > 2 || kind != "object" {
		return t.fitItems(obj, raw, kind, depth)
	}
	given, _ := parseObject(raw)
	for _, name := range obj.texts("required") {
		if !given.has(name) {
			return -1
		}
	}
	props := obj.object("properties")
	score := 0
	for _, m := range given {
		p := props.get(m.name)
		if p == nil {
			if string(obj.get("additionalProperties")) == "false" {
				return -1
			}
			continue
		}
		sub, _ := t.r.resolve(p, 1)
		one := t.fit(sub, m.value, depth+1)
		if one < 0 {
			return -1
		}
		score += 2 + one
	}
	return score
}

func (t *Tree) fitItems(obj object, raw json.RawMessage, kind string, depth int) int {
	if kind != "array" || depth > 2 {
		return 1
	}
	items, ok := t.r.resolve(obj.get("items"), 1)
	if !ok {
		return 1
	}
	var values []json.RawMessage
	_ = json.Unmarshal(raw, &values)
	for _, v := range values[:min(len(values), 20)] {
		if t.fit(items, v, depth+1) < 0 {
			return -1
		}
	}
	return 2
}

// repeated finds a name that an object has twice.
func repeated(raw json.RawMessage) (name string, twice bool) {
	seen := map[string]bool{}
	for name := range jsonrpc.Members(raw) {
		if seen[string(name)] {
			return string(name), true
		}
		seen[string(name)] = true
	}
	return "", false
}
