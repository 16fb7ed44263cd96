package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// add adds an empty node to a parent node.
func (t *Tree) add(parent *Node, name string) *Node {
	id := jsonrpc.EscapePointer(name)
	if parent.ID != "" {
		id = parent.ID + "/" + id
	}
	for t.byID[id] != nil {
		t.serial++
		id = parent.ID + "~" + strconv.Itoa(t.serial)
	}
	return t.node(parent, name, id)
}

// addNumbered adds an item of an array or an entry of a map. Its name may change, so its ID is a serial number.
func (t *Tree) addNumbered(parent *Node) *Node {
	t.serial++
	return t.node(parent, "", parent.ID+"~i"+strconv.Itoa(t.serial))
}

func (t *Tree) node(parent *Node, name, id string) *Node {
	n := &Node{tree: t, parent: parent, Name: name, Depth: parent.Depth + 1, Selected: -1, ID: id}
	t.count++
	t.byID[n.ID] = n
	parent.Children = append(parent.Children, n)
	return n
}

// define sets the schema of a node.
func (t *Tree) define(n *Node, raw json.RawMessage, required bool) {
	obj, ok := t.r.resolve(raw, 0)
	nullable := false
	if ok {
		obj, nullable = t.r.alternatives(obj, 0)
	}
	t.shape(n, obj, !ok || len(obj) == 0, nullable, required)
}

// shape decides how a value is filled in.
func (t *Tree) shape(n *Node, obj object, anyValue, nullable, required bool) {
	n.obj = obj
	n.Field = t.r.fieldOf(obj, nullable, 0)
	n.Field.Name, n.Field.Required = n.Name, required
	n.Labels() // while nothing waits for it
	kinds := kindsOf(obj)
	alts := t.alternatives(n)
	switch {
	case n.Field.Kind != JSON && !commas(&n.Field):
		n.Shape = Leaf
	case len(alts) > 1:
		n.Shape = Union
	case len(kinds) == 1 && kinds[0] == "object":
		n.Shape = Object
	case len(kinds) == 1 && kinds[0] == "array":
		n.Shape = Array
	case len(kinds) == 1:
		n.Shape = Leaf // a type that JSON Schema does not have
	default:
		n.any = anyValue || len(kinds) == 0
		n.Shape, alts = Union, typed(obj, kinds)
	}
	if n.Shape == Union {
		switch {
		case n.any:
			n.Field.Type = "any"
		case len(kinds) > 1:
			n.Field.Type = strings.Join(kinds, " or ")
		default:
			n.Field.Type = "choice of " + strconv.Itoa(len(alts))
		}
		t.setAlternatives(n, alts)
	}
	n.start()
}

// start puts a node into its first state.
func (n *Node) start() {
	t := n.tree
	n.Text = ""
	if n.Shape == Leaf && n.Field.Default != nil && (n.Field.Required || t.prefill || n.discriminates()) {
		n.Text = n.Field.literal(n.Field.Default)
	}
	n.initial, n.first = n.Text, -1
	if n.Shape == Leaf || !n.Field.Required || n.Depth >= maxOpenDepth || t.count >= maxNodes {
		return
	}
	if n.Shape == Union {
		if n.any {
			return
		}
		n.first = 0
		t.Select(n, 0)
		return
	}
	t.Unfold(n)
}

// discriminates reports whether the value distinguishes one alternative from the others: a constant, which is
// sent although it is optional.
func (n *Node) discriminates() bool {
	return n.obj.has("const") && n.parent != nil && n.parent.parent != nil && n.parent.parent.Shape == Union ||
		n.obj.has("const") && n.parent != nil && n.parent.Shape == Union
}

// commas reports whether the options of a Multi cannot be written with commas
// between them.
func commas(fd *Field) bool {
	return fd.Kind == Multi && slices.ContainsFunc(fd.Options, func(o Option) bool { return strings.ContainsAny(o.Label, ",\n[") })
}

// alternatives reads oneOf and anyOf. Each alternative is combined with the schema around it.
func (t *Tree) alternatives(n *Node) []alternative {
	for _, key := range []string{"oneOf", "anyOf"} {
		list := n.obj.list(key)
		if len(list) < 2 {
			continue
		}
		base := n.obj.without(key).without("default")
		var alts []alternative
		for _, raw := range list[:min(len(list), 200)] {
			obj, ok := t.r.resolve(raw, 1)
			if types := typesOf(obj); ok && len(types) == 1 && types[0] == "null" {
				continue
			}
			alts = append(alts, alternative{label: labelOf(raw, obj), obj: merge(obj, base), any: !ok})
		}
		relabel(len(alts), func(i int) *string { return &alts[i].label }, func(i int) string {
			if alts[i].label == "" {
				return "alternative " + strconv.Itoa(i+1)
			}
			return alts[i].label + " #" + strconv.Itoa(i+1)
		})
		return alts
	}
	return nil
}

// typed makes alternatives of several types, or of all types if there are none.
func typed(obj object, kinds []string) []alternative {
	names := map[string]string{"string": "text", "boolean": "true or false", "array": "list"}
	anyKind := len(kinds) == 0
	if anyKind {
		kinds = []string{"string", "number", "boolean", "array", "object"}
	}
	base := obj.without("type").without("default")
	var alts []alternative
	for _, kind := range kinds {
		label := kind
		if names[kind] != "" {
			label = names[kind]
		}
		alt := append(object{{"type", quote(kind)}}, base...)
		if kind == "object" && !alt.has("properties") && !alt.has("additionalProperties") {
			alt = append(alt, member{"additionalProperties", json.RawMessage("true")})
		}
		alts = append(alts, alternative{label: label, obj: alt})
	}
	if anyKind {
		alts = append(alts, alternative{label: "JSON", any: true, asJSON: true})
	}
	return alts
}

// labelOf names an alternative: by its title, its constant, its reference, its
// required members or its type.
func labelOf(raw json.RawMessage, obj object) string {
	if s := obj.text("title"); s != "" {
		return s
	}
	props := obj.object("properties")
	for _, m := range props {
		p, _ := parseObject(m.value)
		v := p.get("const")
		if one := p.list("enum"); len(one) == 1 {
			v = one[0]
		}
		if v != nil {
			return m.name + " " + plain(v)
		}
	}
	if parsed, ok := parseObject(raw); ok {
		if ref := parsed.text("$ref"); ref != "" {
			return ref[strings.LastIndexByte(ref, '/')+1:]
		}
	}
	if names := obj.texts("required"); len(names) > 0 && (len(props) == 0 || len(names) < 4) {
		return "with " + strings.Join(names, ", ")
	}
	types := typesOf(obj)
	if len(types) == 0 {
		types = guess(obj)
	}
	label := strings.Join(types, " or ")
	if label == "array" {
		if of := typesOf(obj.object("items")); len(of) > 0 {
			label += " of " + strings.Join(of, " or ")
		}
	}
	if f := obj.text("format"); f != "" {
		label += " (" + f + ")"
	}
	return label
}

func (t *Tree) setAlternatives(n *Node, alts []alternative) {
	n.alts, n.Options = alts, make([]string, len(alts))
	for i, a := range alts {
		n.Options[i] = a.label
	}
}

// build makes the children of an object or array.
func (t *Tree) build(n *Node) {
	if n.built {
		return
	}
	n.built = true
	switch n.Shape {
	case Object:
		t.buildObject(n)
	case Array:
		prefix := n.prefix()
		least := 0
		if low := n.obj.count("minItems"); low != nil && n.Field.Required {
			least = min(*low, maxAtFirst)
		}
		for range max(least, min(len(prefix), maxAtFirst)) {
			t.addItem(n)
		}
		n.first = len(n.Children)
	}
}

func (t *Tree) buildObject(n *Node) {
	n.invites = new(n.invitesEntries())
	for _, p := range propertiesOf(n.obj) {
		raw := p.value
		if raw == nil {
			raw, _ = n.entrySchema(p.name)
		}
		t.define(t.add(n, p.name), raw, p.isRequired)
	}
}

// prefix returns the schemas of the first items of a tuple.
func (n *Node) prefix() []json.RawMessage {
	if list := n.obj.list("prefixItems"); list != nil {
		return list
	}
	return n.obj.list("items") // form before draft 2020-12
}

// items returns the schema of the items after the prefix, or false if there are none.
func (n *Node) items() (json.RawMessage, bool) {
	key := "items"
	if n.obj.list("items") != nil {
		key = "additionalItems"
	}
	raw := n.obj.get(key)
	if raw == nil {
		return json.RawMessage("true"), len(n.prefix()) == 0
	}
	return raw, string(raw) != "false"
}

// addItem adds an item at the end of an array. It returns nil if the schema has no items.
func (t *Tree) addItem(n *Node) *Node {
	i := len(n.Children)
	raw, more := n.items()
	if prefix := n.prefix(); i < len(prefix) {
		raw, more = prefix[i], true
	}
	if !more {
		return nil
	}
	item := t.addNumbered(n)
	t.define(item, raw, true)
	return item
}

// entrySchema returns the schema of a member that properties does not name, or false if the schema allows none
// of that name.
func (n *Node) entrySchema(name string) (json.RawMessage, bool) {
	for _, m := range n.obj.object("patternProperties") {
		if re, err := regexp.Compile(m.name); err == nil && (name == "" || re.MatchString(name)) {
			return m.value, true
		}
	}
	raw := n.obj.get("additionalProperties")
	if raw == nil {
		return json.RawMessage("true"), true
	}
	return raw, string(raw) != "false"
}

// Adds reports whether an item or an entry can be added to a node, which the schema
// invites to: it describes them.
func (n *Node) Adds() bool {
	if n.AsJSON || n.Null {
		return false
	}
	switch n.Shape {
	case Array:
		if most := n.obj.count("maxItems"); most != nil && len(n.Children) >= *most {
			return false
		}
		_, more := n.items()
		return more || len(n.Children) < len(n.prefix())
	case Object:
		if most := n.obj.count("maxProperties"); most != nil && len(n.Children) >= *most {
			return false
		}
		if n.invites == nil {
			n.invites = new(n.invitesEntries())
		}
		return *n.invites
	}
	return false
}

// invitesEntries reports whether the schema describes members that properties does not
// name, or none at all.
func (n *Node) invitesEntries() bool {
	props := n.obj.object("properties")
	raw := n.obj.get("additionalProperties")
	s, isObject := parseObject(raw)
	return n.obj.has("patternProperties") || isObject && (len(s) > 0 || len(props) == 0) ||
		len(props) == 0 && (string(raw) == "true" || raw == nil && n.parent != nil)
}

// NamePattern returns the pattern of the names of entries, or "".
func (n *Node) NamePattern() string {
	if patterns := n.obj.object("patternProperties"); len(patterns) > 0 {
		return patterns[0].name
	}
	return n.obj.object("propertyNames").text("pattern")
}
