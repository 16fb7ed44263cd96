package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
)

// Values returns the arguments as a JSON object. A text that cannot be converted to its type is included as
// typed, and wrong contains it with the ID of its node.
func (t *Tree) Values() (values json.RawMessage, wrong []FieldError) {
	e := encoder{}
	values = e.value(t.root)
	return values, e.wrong
}

// Value returns the JSON of one node; nil when it is absent.
func (n *Node) Value() json.RawMessage {
	e := encoder{}
	return e.value(n)
}

// Filled returns the arguments without objects and arrays that contain no values, so that an
// example can replace them; see [Form.Complete]. It is for a JSON editor, where a text is never a
// file name.
func (t *Tree) Filled() json.RawMessage {
	e := encoder{isEditor: true}
	values := e.value(t.root)
	obj, _ := parseObject(values)
	for _, c := range t.root.Children {
		if (c.Shape == Object || c.Shape == Array) && !c.IsTouched() {
			obj = obj.without(c.Name)
		}
	}
	return obj.encode()
}

type encoder struct {
	wrong    []FieldError
	isEditor bool // the JSON is for an editor
}

func (e *encoder) fail(n *Node, msg string) { e.wrong = append(e.wrong, FieldError{n.ID, msg}) }

// value encodes a node; nil when it is absent.
func (e *encoder) value(n *Node) json.RawMessage {
	switch {
	case n.Null:
		if !n.Nullable() {
			e.fail(n, "null is not allowed")
		}
		return json.RawMessage("null")
	case n.Shape == Leaf || n.AsJSON:
		return e.leaf(n)
	case !n.IsSet():
		if n.omitted {
			e.fail(n, "required")
		}
		return nil
	}
	switch n.Shape {
	case Object:
		return e.object(n)
	case Array:
		return e.array(n)
	}
	if len(n.Children) == 0 {
		e.fail(n, "required: choose one")
		return nil
	}
	return e.value(n.Children[0])
}

func (e *encoder) leaf(n *Node) json.RawMessage {
	text := n.Text
	switch {
	case text == "":
	case n.tree.Resolve == nil && e.isEditor && n.Field.Kind == String && !n.AsJSON:
		text = variables.Unfield(text)
	case n.tree.Resolve != nil:
		var err error
		if text, err = n.tree.Resolve(n, n.AsJSON || n.Field.Kind == JSON); err != nil {
			e.fail(n, err.Error())
			return asTyped(cmp.Or(text, n.Text))
		}
	}
	if n.raw != nil && text == n.rawText {
		if !n.AsJSON {
			e.check(n, n.raw)
		}
		return n.written(n.raw)
	}
	if n.AsJSON {
		return e.asJSON(n, text)
	}
	fd := &n.Field
	if n.Text == "" {
		switch {
		case fd.Kind == String && (fd.Required && !n.omitted || n.Empty):
			e.check(n, json.RawMessage(`""`))
			return json.RawMessage(`""`)
		case fd.Kind == Multi && n.Empty:
			return json.RawMessage("[]")
		case fd.Required:
			e.fail(n, "required")
		}
		return nil
	}
	raw, err := fd.Encode(text)
	if err != nil {
		e.fail(n, err.Error())
		return asTyped(text)
	}
	e.check(n, raw)
	return n.written(raw)
}

// written returns a value of a leaf as JSON: options, which are not resolved, are literals in
// JSON that will be.
func (n *Node) written(raw json.RawMessage) json.RawMessage {
	if n.tree.Resolve == nil && n.Field.chooses() && !n.AsJSON {
		return variables.LiteralJSON(raw)
	}
	return raw
}

func (e *encoder) asJSON(n *Node, text string) json.RawMessage {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && n.Field.Required:
		e.fail(n, "required")
		return nil
	case text == "":
		return nil
	}
	raw := json.RawMessage(text)
	if err := json.Unmarshal(raw, new(any)); err != nil {
		e.fail(n, where(text, err)+"; expected JSON")
		return quote(text)
	}
	if n.Shape == Leaf {
		e.check(n, raw)
	}
	return raw
}

func (e *encoder) check(n *Node, raw json.RawMessage) {
	if msg := n.Field.check(raw); msg != "" {
		e.fail(n, msg)
	}
}

// asTyped returns a text as JSON when it is some, else as a string.
func asTyped(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(strings.TrimSpace(text))
	}
	return quote(text)
}

func (e *encoder) array(n *Node) json.RawMessage {
	items := make([][]byte, len(n.Children))
	for i, c := range n.Children {
		if items[i] = e.value(c); items[i] == nil {
			items[i] = []byte("null")
		}
	}
	return jsonrpc.EncodeBatch(items...)
}

// object encodes members in the order in which they were loaded, followed by the others in the
// order of the schema.
func (e *encoder) object(n *Node) json.RawMessage {
	var obj object
	seen := map[string]bool{}
	closed := string(n.obj.get("additionalProperties")) == "false"
	for _, c := range n.inOrder() {
		if c.Entry {
			switch _, ok := n.entrySchema(c.Name); {
			case c.Name == "":
				if !slices.Contains(n.order, "") {
					e.fail(c, "the key is empty")
					continue
				}
			case seen[c.Name]:
				e.fail(c, "the key "+c.Name+" is there twice")
				continue
			case closed && !ok:
				e.fail(c, "not in the schema, which allows no other properties")
			}
		}
		if raw := e.value(c); raw != nil {
			obj = append(obj, member{c.Name, raw})
			seen[c.Name] = true
		}
	}
	return obj.encode()
}

func (n *Node) inOrder() []*Node {
	if len(n.order) == 0 {
		return n.Children
	}
	place := make(map[string]int, len(n.order))
	for i, name := range n.order {
		place[name] = i
	}
	out := slices.Clone(n.Children)
	at := func(c *Node) int {
		if i, known := place[c.Name]; known {
			return i
		}
		return len(n.order)
	}
	slices.SortStableFunc(out, func(a, b *Node) int { return at(a) - at(b) })
	return out
}
