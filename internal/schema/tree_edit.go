package schema

import (
	"encoding/json"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
)

// SetText sets the typed text of a leaf.
func (t *Tree) SetText(n *Node, text string) {
	if text == n.Text {
		return
	}
	n.Text = text
	if text != "" {
		n.Null, n.Empty = false, false
	}
}

// SetKey sets the name of an entry.
func (t *Tree) SetKey(n *Node, name string) {
	if !n.Entry || name == n.Name {
		return
	}
	p := n.parent
	if i := slices.Index(p.order, n.Name); i >= 0 {
		p.order[i] = name
	}
	n.Name, n.Field.Name = name, name
}

// Unfold shows the children of an object or array, and makes them.
func (t *Tree) Unfold(n *Node) {
	if n.Shape != Object && n.Shape != Array || n.AsJSON {
		return
	}
	t.r.work = 0
	t.build(n)
	n.Open, n.Null = true, false
}

// Fold hides the children; their values stay.
func (t *Tree) Fold(n *Node) { n.Open = false }

// Add adds an item to an array or an entry to an object and returns it; nil when the
// schema allows no more.
func (t *Tree) Add(n *Node) *Node {
	if n.Shape != Object && n.Shape != Array || t.count >= maxNodes {
		return nil
	}
	fresh := !n.built
	t.Unfold(n)
	if n.Shape == Array {
		if fresh && len(n.Children) > 0 { // a tuple has its items from the start
			return n.Children[0]
		}
		return t.addItem(n)
	}
	raw, ok := n.entrySchema("")
	if !ok {
		return nil
	}
	return t.addEntry(n, "", raw)
}

func (t *Tree) addEntry(n *Node, name string, raw json.RawMessage) *Node {
	e := t.addNumbered(n)
	e.Name, e.Entry = name, true
	t.define(e, raw, true)
	return e
}

// Remove removes an item or an entry.
func (t *Tree) Remove(n *Node) bool {
	i := n.Index()
	if i < 0 || !n.IsItem() && !n.Entry {
		return false
	}
	n.parent.Children = slices.Delete(n.parent.Children, i, i+1)
	t.forget(n)
	return true
}

// clear removes the children of a node, which are made again when it is opened.
func (t *Tree) clear(n *Node) {
	for _, c := range n.Children {
		t.forget(c)
	}
	n.Children, n.built = nil, false
}

func (t *Tree) forget(n *Node) {
	delete(t.byID, n.ID)
	t.count--
	for _, c := range n.Children {
		t.forget(c)
	}
}

// Move moves an item or an entry by n places, and reports whether it did.
func (t *Tree) Move(n *Node, by int) bool {
	i := n.Index()
	to := i + by
	if i < 0 || to < 0 || to >= len(n.parent.Children) || !n.IsItem() && !n.Entry {
		return false
	}
	other := n.parent.Children[to]
	if n.Entry && !other.Entry {
		return false
	}
	n.parent.Children[i], n.parent.Children[to] = other, n
	a, b := slices.Index(n.parent.order, n.Name), slices.Index(n.parent.order, other.Name)
	if n.Entry && a >= 0 && b >= 0 {
		n.parent.order[a], n.parent.order[b] = other.Name, n.Name
	}
	return true
}

// Select selects an alternative of a union, or none for -1. Values are kept if the new alternative has fields
// for them.
func (t *Tree) Select(n *Node, i int) {
	if n.Shape != Union || i >= len(n.alts) || i == n.Selected && len(n.Children) > 0 {
		return
	}
	old := n.Children
	for _, c := range old {
		t.forget(c)
	}
	n.Children, n.Selected, n.Null, n.Open = nil, i, false, i >= 0
	if i < 0 {
		return
	}
	alt := n.alts[i]
	t.r.work = 0
	c := t.node(n, n.Name, n.ID+"~u")
	c.Depth = n.Depth // the root has depth -1
	if alt.asJSON {
		c.AsJSON, c.any = true, true
		c.Field = Field{Name: n.Name, Kind: JSON, Type: "JSON", Required: true}
		c.Shape = Leaf
		return
	}
	obj, nullable := t.r.alternatives(alt.obj, 0)
	if c.Name == "" && n == t.root {
		obj = append(obj.without("type"), member{"type", quote("object")})
	}
	t.shape(c, obj, alt.any, nullable, true)
	if c.Shape != Leaf {
		t.Unfold(c)
	}
	if len(old) == 1 {
		t.adopt(c, old[0])
	}
}

// Unset makes a value absent, or restores its initial state if it is required.
func (t *Tree) Unset(n *Node) {
	n.Null, n.Empty, n.omitted, n.raw, n.order = false, false, false, nil, nil
	if n.AsJSON && !(n.Shape == Leaf && n.Field.Kind == JSON) {
		n.AsJSON = false
	}
	t.clear(n)
	n.Open = false
	if n.Shape == Union {
		n.Selected = -1
	}
	n.start()
	if n == t.root || n.parent == t.root && t.root.Shape == Union {
		t.Unfold(n)
	}
}

// CycleEmpty cycles through the forms of an empty value: absent, empty ("", {} or []), and null if the schema
// allows it. It returns the new form in words.
func (t *Tree) CycleEmpty(n *Node) string {
	empty := map[Shape]string{Object: "{}", Array: "[]"}[n.Shape]
	if n.Shape == Leaf && n.Field.Kind == String {
		empty = `""`
	}
	was := n.Null
	wasEmpty := n.Empty
	t.Unset(n)
	n.Text = ""
	switch {
	case !was && !wasEmpty && empty != "":
		n.Empty = true
		return "sent as " + empty
	case !was && n.Nullable():
		n.Null = true
		return "sent as null"
	case n.Field.Required:
		n.Text = n.initial
		return "required"
	}
	return "not sent"
}

// ToggleJSON goes between the fields of a value and its JSON as one text. It returns
// why that is not possible.
func (t *Tree) ToggleJSON(n *Node) (why string) {
	if !n.AsJSON {
		e := encoder{isEditor: true}
		raw := e.value(n)
		t.Unset(n)
		t.clear(n)
		n.AsJSON, n.Text, n.Open = true, "", false
		if raw != nil {
			n.Text = jsonrpc.Indented(raw)
		}
		return ""
	}
	raw := json.RawMessage(n.Text)
	if n.Text == "" {
		t.Unset(n)
		return ""
	}
	if !json.Valid(raw) {
		return where(n.Text, json.Unmarshal(raw, new(any)))
	}
	if n.Shape == Leaf && n.Field.Kind == JSON {
		return "the schema does not describe its members"
	}
	t.load(n, raw)
	if n.AsJSON {
		return "the value does not have the type of the schema: " + n.Field.Type
	}
	return ""
}

// Adopt copies the user's values from a tree of an earlier schema, if there are nodes for them. renamed maps
// members to their new names.
func (t *Tree) Adopt(old *Tree, renamed map[string]string) {
	if old.root.Shape == Object {
		for _, c := range old.root.Children {
			if name, ok := renamed[c.Name]; ok {
				c.Name = name
			}
		}
	}
	t.adopt(t.root, old.root)
}

func (t *Tree) adopt(n, old *Node) {
	if !old.IsTouched() {
		if n.Shape == Object && old.Shape == Object && old.Open && n != t.root {
			t.Unfold(n)
		}
		return
	}
	if n.Shape == Union && old.Shape == Union {
		if i := slices.Index(n.Options, labelAt(old.Options, old.Selected)); i >= 0 {
			t.Select(n, i)
		}
		if len(n.Children) == 1 && len(old.Children) == 1 {
			t.adopt(n.Children[0], old.Children[0])
		}
		return
	}
	if n.Shape != old.Shape || old.AsJSON {
		if old.AsJSON || n.Shape == Union {
			e := encoder{}
			if raw := e.value(old); raw != nil && len(e.wrong) == 0 {
				t.files = !old.AsJSON
				t.load(n, raw)
				t.files = false
			}
		}
		return
	}
	n.Null, n.Empty, n.order, n.omitted = old.Null && n.Nullable(), old.Empty, old.order, old.omitted && n.Field.Required
	switch n.Shape {
	case Leaf:
		if n.Field.Kind == Enum {
			if _, ok := n.Field.option(old.Text); !ok {
				return
			}
		}
		n.Text, n.raw, n.rawText = old.Text, old.raw, old.rawText
		if n.Field.Kind != old.Field.Kind {
			n.raw = nil
		}
		if old.Field.chooses() && !n.Field.chooses() {
			n.Text = variables.Literal(n.Text)
		}
	case Object:
		t.Unfold(n)
		n.Open = old.Open
		for _, c := range old.Children {
			if existing := n.child(c.Name); existing != nil && !c.Entry {
				t.adopt(existing, c)
			} else if raw, ok := n.entrySchema(c.Name); ok && c.Entry {
				t.adopt(t.addEntry(n, c.Name, raw), c)
			}
		}
	case Array:
		t.Unfold(n)
		n.Open = old.Open
		for i, c := range old.Children {
			if i >= len(n.Children) && t.addItem(n) == nil {
				break
			}
			t.adopt(n.Children[i], c)
		}
	}
}

func labelAt(labels []string, i int) string {
	if i < 0 || i >= len(labels) {
		return ""
	}
	return labels[i]
}
