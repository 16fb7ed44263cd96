package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// A Shape is the structure of a node of a tree.
type Shape uint8

// The shapes.
const (
	Leaf   Shape = iota // a text, of the kind that Field.Kind names
	Object              // members: properties, and entries of a map
	Array               // items
	Union               // one of several alternatives
)

// Bounds of a tree. A user may open more nodes than are open at first.
const (
	maxOpenDepth = 6    // depth of required objects that are open at first
	maxNodes     = 4000 // bound for the nodes of a tree
	maxAtFirst   = 20   // items of an array with minItems
)

// Tree holds the values that the user fills in for a schema. Objects, arrays and alternatives get their
// children only when they are opened, so that a schema may refer to itself. It is not safe for concurrent use.
//
// The texts of leaves, and the JSON that is loaded and that Values returns without Resolve, have the syntax of
// package variables; text from the schema is literal there.
type Tree struct {
	// Unclear explains which part of the schema the nodes do not show, or is "".
	Unclear string
	// Resolve, if set, returns the meaning of a text when it is encoded: with its variables replaced, or the
	// content of a file. isJSON reports that the text is JSON. If it returns an error, the text is sent
	// unchanged, and the error is shown.
	Resolve func(n *Node, isJSON bool) (text string, err error)

	root    *Node
	r       *reader
	prefill bool
	files   bool // @PATH in JSON that is loaded is the name of a file
	serial  int  // serial number of items and entries
	count   int
	byID    map[string]*Node
}

// Node is a value of a tree, set or absent.
type Node struct {
	ID     string // unique in the tree; the same while its siblings move
	Name   string // name of a member, or "" for an item
	Field  Field
	Shape  Shape
	Depth  int    // below the arguments, whose members have 0
	Text   string // text of a leaf, as typed; set it with [Tree.SetText]
	Open   bool   // the children are shown
	Null   bool   // the value is null
	Empty  bool   // the value is sent although it is empty: "", {} or []
	AsJSON bool   // the text is JSON, regardless of the schema

	// Entry marks a name that the user chose: the member of a map, or a member that the schema does not name.
	Entry bool
	// Options are the labels of the alternatives of a Union. Selected is the index of the selected one in
	// Children, or -1.
	Options  []string
	Selected int
	Children []*Node

	parent  *Node
	tree    *Tree
	invites *bool    // see invitesEntries; nil until computed
	labels  []string // labels of Field.Options
	obj     object   // the schema, references resolved
	any     bool     // the schema restricts nothing
	alts    []alternative

	initial string          // initial value of Text
	first   int             // Selected, or the number of items, at first
	raw     json.RawMessage // JSON that Text was made from, or nil if the user typed Text
	rawText string
	order   []string // order of the members, as loaded
	omitted bool     // the JSON that was loaded lacks it, although it is required
	built   bool     // the children were made
}

type alternative struct {
	label  string
	obj    object
	any    bool
	asJSON bool
}

// Tree returns a tree for the form without optional values. prefill also fills in the defaults of optional
// values.
func (f *Form) Tree(prefill bool) *Tree {
	t := &Tree{prefill: prefill, byID: map[string]*Node{}}
	t.r = &reader{refs: NewReferences(f.raw)}
	t.root = &Node{tree: t, Shape: Object, Open: true, Depth: -1, Selected: -1, first: -1, Field: Field{Required: true}}
	obj, ok := t.r.resolve(f.raw, 0)
	switch {
	case f.raw == nil:
		for i := range f.Fields {
			n := t.add(t.root, f.Fields[i].Name)
			n.Field = f.Fields[i]
			n.start()
		}
		t.root.obj, t.root.built = object{{"additionalProperties", json.RawMessage("false")}}, true
	case !ok:
		t.root.built = true
	default:
		t.root.obj = obj
		t.r.unclear = missingParts(obj)
		if alts := t.alternatives(t.root); len(alts) > 1 {
			t.root.Shape = Union
			t.setAlternatives(t.root, alts)
			t.Select(t.root, 0)
		} else {
			t.build(t.root)
		}
	}
	t.Unclear = t.r.unclear
	if f.raw == nil || !ok {
		t.Unclear = f.Unclear
	}
	return t
}

// missingParts returns a sentence about a keyword of a schema that no field shows, or "".
func missingParts(obj object) string {
	for _, key := range []string{"if", "dependentSchemas", "dependencies", "not", "unevaluatedProperties"} {
		if obj.has(key) {
			return key + " in the schema is not shown in the form; the values are validated by it"
		}
	}
	return ""
}

// Root returns the node of the arguments as a whole: an Object, or a Union of objects.
func (t *Tree) Root() *Node { return t.root }

// Node returns the node with an ID, or nil.
func (t *Tree) Node(id string) *Node { return t.byID[id] }

// At returns the node of the value at a JSON pointer into the values, or of the
// nearest value around it that is not the arguments as a whole. rest is the part of
// the pointer below that node.
func (t *Tree) At(pointer string) (n *Node, rest string) {
	at, left := t.root, strings.TrimPrefix(pointer, "/")
	for left != "" {
		segment, after, _ := strings.Cut(left, "/")
		next := at.child(jsonrpc.UnescapePointer(segment))
		if next == nil {
			break
		}
		at, left = next, after
		n = at
	}
	if n != nil && n.inner() != n {
		n = n.inner()
	}
	if left != "" {
		left = "/" + left
	}
	return n, left
}

// inner returns the node that shows the value of a node: the innermost selected alternative of nested unions.
func (n *Node) inner() *Node {
	for n.Shape == Union && !n.AsJSON && len(n.Children) == 1 && n.Children[0].Shape != Leaf {
		n = n.Children[0]
	}
	return n
}

// child returns the member or the item of a name.
func (n *Node) child(name string) *Node {
	if n.AsJSON {
		return nil
	}
	switch n.Shape {
	case Union:
		if len(n.Children) == 1 {
			return n.Children[0].child(name)
		}
	case Object:
		for _, c := range n.Children {
			if c.Name == name {
				return c
			}
		}
	case Array:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.Children) {
			return n.Children[i]
		}
	}
	return nil
}

// Parent returns the object, array or union that the node belongs to.
func (n *Node) Parent() *Node { return n.parent }

// Labels returns the labels of the options of the field. The slice must not be changed.
func (n *Node) Labels() []string {
	if len(n.labels) != len(n.Field.Options) {
		n.labels = make([]string, len(n.Field.Options))
		for i, o := range n.Field.Options {
			n.labels[i] = o.Label
		}
	}
	return n.labels
}

// Index returns the place of a node among its siblings.
func (n *Node) Index() int {
	if n.parent != nil {
		for i, c := range n.parent.Children {
			if c == n {
				return i
			}
		}
	}
	return -1
}

// IsItem reports whether the node is an item of an array.
func (n *Node) IsItem() bool { return n.parent != nil && n.parent.Shape == Array }

// Item returns the node that is removed or moved with this one: n or its nearest ancestor that is an item of an
// array or an entry of a map, or nil.
func (n *Node) Item() *Node {
	for ; n != nil; n = n.parent {
		if n.IsItem() || n.Entry {
			return n
		}
	}
	return nil
}

// Nullable reports whether the schema allows null.
func (n *Node) Nullable() bool { return n.Field.nullable || n.any }

// IsSet reports whether the value is sent, or any value in it: it is required or was
// filled in.
func (n *Node) IsSet() bool {
	if n.Field.Required && !n.omitted || n.IsTouched() {
		return true
	}
	return n.Shape == Leaf && n.Text != ""
}

// IsTouched reports whether the user has set the node, or a node in it.
func (n *Node) IsTouched() bool {
	switch {
	case n.Null || n.Empty || n.AsJSON && n.Text != "":
		return true
	case n.Entry:
		return true
	}
	switch n.Shape {
	case Leaf:
		return n.Text != n.initial || n.raw != nil
	case Union:
		return n.Selected != n.first || len(n.Children) > 0 && n.Children[0].IsTouched()
	case Array:
		if (!n.Field.Required || n.omitted) && len(n.Children) > 0 || n.built && len(n.Children) != n.first {
			return true
		}
	}
	for _, c := range n.Children {
		if c.IsTouched() {
			return true
		}
	}
	return false
}

// Leaves calls yield with each leaf, hidden ones included.
func (t *Tree) Leaves(yield func(*Node) bool) { t.root.leaves(yield) }

func (n *Node) leaves(yield func(*Node) bool) bool {
	if n.Shape == Leaf || n.AsJSON {
		return yield(n)
	}
	for _, c := range n.Children {
		if !c.leaves(yield) {
			return false
		}
	}
	return true
}

// IsDefault reports whether a leaf has its initial text.
func (n *Node) IsDefault() bool { return n.Text == n.initial && n.raw == nil }

// Members returns the members of the arguments, of the selected alternative if there
// are several.
func (t *Tree) Members() []*Node { return t.root.inner().Children }
