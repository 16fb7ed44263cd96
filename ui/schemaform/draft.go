package schemaform

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/session/variables"
	"mcptea/ui/textfield"
	"mcptea/ui/widget/form"
)

// Draft is what is filled in for a schema, as a form or as JSON. The zero Draft
// is ready for Take. It is not safe for concurrent use.
type Draft struct {
	Schema schema.Form
	Tree   *schema.Tree
	Form   *form.Form // of the nodes of Tree that are open
	Editor *textfield.Editor
	AsJSON bool
	// Prefill fills in the defaults of optional fields too, as clients do for
	// elicitation (specification, client / elicitation). It is set before Take.
	Prefill bool

	// Renamed are the members that had another name in the schema before Take: what is
	// filled in goes to the new ones.
	Renamed map[string]string

	// Whole, when set, validates the values by the schema as a whole, which
	// contains more than the fields: what does not fit, nil when all does.
	Whole func(values []byte) *check.Mismatch

	// Filters makes a long list of options a text, with the options as its Suggestions.
	// It is set before Take.
	Filters bool
	// Variables are what {{NAME}} stands for in a text of the user; nil for none.
	Variables variables.Lookup

	// Warned are the values that were found to be wrong, or to have empty texts that the
	// user has not touched; sending the same again sends them.
	Warned []byte
	Said   string // what is wrong with the values as a whole

	empty    []*schema.Node // required texts without a value, when that is all that is wrong
	insisted []byte         // the values that were sent the second time

	lowerOf *schema.Node // whose options lowered are
	lowered []string
	used    map[string][]string // texts that were sent, by the path of the field, newest first
	files   map[string]file     // that were read for the next Check
	given   string              // the JSON that the form was written as last
}

// Take makes the form of a schema, again when the schema has changed: what was
// filled in stays, as far as there are fields for it.
func (d *Draft) Take(f schema.Form) { d.TakeTree(f, f.Tree(d.Prefill)) }

// TakeTree is Take for a tree of the form that was made before, on another goroutine.
// The draft owns the tree from then on.
func (d *Draft) TakeTree(f schema.Form, t *schema.Tree) {
	if d.Tree != nil {
		t.Adopt(d.Tree, d.Renamed)
	}
	d.Schema, d.Tree, d.Renamed = f, t, nil
	d.show()
	if d.Editor == nil {
		d.Editor = textfield.NewEditor("")
	}
}

// show makes the fields of the nodes that are open.
func (d *Draft) show() {
	if list := fields(d.Tree, d.Filters); d.Form == nil {
		d.Form = form.New(list)
		for i := 0; i+1 < len(list) && list[i].Kind == form.Group && list[i+1].Depth > list[i].Depth; i++ {
			d.Form.Next() // a heading takes no text
		}
	} else {
		d.Form.Replace(list)
	}
}

// take takes what is filled in to a field into the tree.
func (d *Draft) take(id string) {
	text := d.Form.Value(id)
	if n := d.Tree.ByKey(id); n != nil {
		d.Tree.SetKey(n, text)
	} else if n := d.node(id); n != nil && (n.Shape == schema.Leaf || n.AsJSON) {
		d.Tree.SetText(n, text)
	}
}

// node is the node of a field; nil for the name of an entry and the rows that add.
func (d *Draft) node(id string) *schema.Node {
	if id == rootID {
		return d.Tree.Root()
	}
	return d.Tree.Node(id)
}

// Values is what is filled in, as a JSON object. In a form, what could not be
// made into the right type is put in as it was typed.
func (d *Draft) Values() (values []byte, wrong []schema.FieldError) {
	if d.AsJSON {
		values = []byte(d.Editor.Value())
		if len(bytes.TrimSpace(values)) == 0 {
			values = []byte("{}")
		}
		if json.Valid(values) {
			values = Compact(values)
		}
		var err error
		if values, err = variables.ExpandJSON(values, d.lookup); err != nil {
			return values, []schema.FieldError{{Msg: err.Error()}}
		}
		return values, d.judged(values, d.Schema.Check(values))
	}
	d.Tree.Resolve = d.resolve
	values, wrong = d.Tree.Values()
	d.Tree.Resolve = nil
	// What was typed on several lines goes on one: a line is a frame on stdio.
	values = Compact(values)
	return values, d.judged(values, wrong)
}

// InLong reports whether enter is a new line in the field with the focus.
func (d *Draft) InLong() bool { return d.Form.InLong() }

// Written is the JSON to go on with in an editor: what is filled in, and what
// the schema requires beside it.
func (d *Draft) Written() string {
	if d.AsJSON {
		return d.Editor.Value()
	}
	given := d.Tree.Filled()
	values := literalExamples(d.Schema.Complete(given), given)
	var b bytes.Buffer
	if json.Indent(&b, values, "", "  ") == nil {
		values = b.Bytes()
	}
	d.given = string(values)
	return d.given
}

// literalExamples returns completed with all members literal that given has not: they
// come from the schema.
func literalExamples(completed, given []byte) []byte {
	out := []byte("{")
	for name, raw := range jsonrpc.Members(completed) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if _, ok := jsonrpc.Member(given, string(name)); !ok {
			raw = variables.LiteralJSON(raw)
		}
		out = append(append(append(out, jsonrpc.StringID(string(name))...), ':'), raw...)
	}
	return append(out, '}')
}

// ToJSON goes from the form to its JSON.
func (d *Draft) ToJSON() {
	d.Editor.SetValue(d.Written())
	d.AsJSON = true
}

// ToForm goes from JSON to the form; it says why when that cannot be. When
// nothing was written, what stood there as an example is not taken for a value.
func (d *Draft) ToForm() (why string) {
	if d.untouched() {
		d.AsJSON = false
		return ""
	}
	values := []byte(d.Editor.Value())
	if len(bytes.TrimSpace(values)) == 0 {
		values = []byte("{}")
	}
	if line, _, msg := d.Editor.Verify(); msg != "" {
		return "line " + strconv.Itoa(line) + ": " + msg + "; the form needs JSON"
	}
	if why := d.load(values, false); why != "" {
		return why
	}
	d.AsJSON = false
	return ""
}

// untouched reports whether the editor holds what the form was written as.
func (d *Draft) untouched() bool {
	return d.given != "" && d.Form.Len() > 0 && strings.TrimSpace(d.Editor.Value()) == d.given
}

// Fill puts the members of a JSON object into the form and empties the other
// fields; it says why when that cannot be. Nothing of them is a variable.
func (d *Draft) Fill(values []byte) (why string) {
	return d.load(variables.LiteralJSON(values), false)
}

// load puts JSON with variables into the form; see [schema.Tree.Load].
func (d *Draft) load(values []byte, files bool) (why string) {
	if !json.Valid(values) || bytes.TrimSpace(values)[0] != '{' {
		return "the form needs a JSON object"
	}
	if why := d.Tree.Load(values, files); why != "" {
		return why
	}
	d.show()
	return ""
}

// Use takes values that Unresolved has returned: into the form when they fit there.
func (d *Draft) Use(values []byte) {
	if !d.AsJSON && d.Form.Len() > 0 && d.load(values, true) == "" {
		return
	}
	d.SetJSON(string(variables.UnfieldJSON(values)))
}

// SetJSON takes values that the user has written elsewhere: back into the form when
// they fit there.
func (d *Draft) SetJSON(s string) {
	was := d.AsJSON
	d.Editor.SetValue(s)
	d.AsJSON = true
	if !was && d.Form.Len() > 0 {
		d.ToForm()
	}
}

// Compact is JSON without blanks between its tokens; what is no JSON stays as
// it is.
func Compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// Changed returns the members of the arguments that the user has filled in, by name,
// with their values in short.
func (d *Draft) Changed() map[string]string {
	out := map[string]string{}
	for _, n := range d.Tree.Members() {
		if !n.IsTouched() {
			continue
		}
		out[n.Name] = n.Text
		if n.Shape != schema.Leaf {
			out[n.Name] = short(n.Value())
		}
	}
	return out
}
