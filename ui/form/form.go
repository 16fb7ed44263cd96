package form

import (
	"bytes"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/schema/variables"
	"mcptea/ui/textfield"
)

// A Form holds the values entered for a schema, in rows or as JSON. The zero Form is ready for Take. It is not
// safe for concurrent use.
type Form struct {
	Schema schema.Form
	Tree   *schema.Tree
	Editor *textfield.Editor // the values as JSON
	AsJSON bool
	// If RowByRow is set, enter moves to the next row. In the last row, the caller handles enter.
	RowByRow bool
	// If Prefill is set, the defaults of optional fields are filled in, too. Clients do that for
	// elicitation (specification, client / elicitation). It is set before Take.
	Prefill bool

	// Renamed maps former names of members to current ones. Take moves the values.
	Renamed map[string]string

	// Whole, if set, validates the values with the whole schema, which requires more than the
	// fields show. It returns a problem for each invalid part, or nil.
	Whole func(values []byte) []*check.Mismatch

	// If Filters is set, a long list of options is a text field, and the options are its
	// Suggestions. It is set before Take.
	Filters bool
	// Variables returns the value of {{NAME}} in a text of the user. It may be nil.
	Variables variables.Lookup

	// Warned holds the values for which Check displayed a warning: they are invalid, or have empty
	// texts that the user has not touched. If the user sends the same values again, they are sent.
	Warned []byte
	Said   string // problem of the values as a whole

	rows    []*row // rows for the open nodes of Tree
	focus   int
	version int
	view    view

	empty    []*schema.Node // required texts without a value, if nothing else is wrong
	insisted []byte         // values that were sent in spite of a warning

	used   map[string][]string // texts that were sent, newest first, by the path of the field
	files  map[string]file     // files that were read for the next Check
	given  string              // JSON that the form last wrote into the editor
	blanks []byte              // object with the initial values of members that have no value
}

// Take builds the form for a schema. If the schema has changed, values stay if the new form has a
// node for them.
func (f *Form) Take(s schema.Form) { f.TakeTree(s, s.Tree(f.Prefill)) }

// TakeTree is like Take, but takes a tree of the schema that another goroutine has made. The form
// then owns the tree.
func (f *Form) TakeTree(s schema.Form, t *schema.Tree) {
	if f.Tree != nil {
		t.Adopt(f.Tree, f.Renamed)
	}
	f.Schema, f.Tree, f.Renamed = s, t, nil
	f.show()
	if f.Editor == nil {
		f.Editor = textfield.NewEditor("")
	}
}

// Len returns the number of rows.
func (f *Form) Len() int { return len(f.rows) }

// Version returns a number that changes with each change of a value or a row.
func (f *Form) Version() int {
	if f.Editor == nil {
		return 0
	}
	return f.version + f.Editor.Version()
}

// Values returns the entered values as a JSON object. If a value cannot be converted to the right
// type, the object contains it as typed.
func (f *Form) Values() (values []byte, wrong []schema.FieldError) {
	if f.AsJSON {
		values = []byte(f.Editor.Value())
		if len(bytes.TrimSpace(values)) == 0 {
			values = []byte("{}")
		}
		values = jsonrpc.Compact(values)
		var err error
		if values, err = variables.ExpandJSON(values, f.lookup); err != nil {
			return values, []schema.FieldError{{Msg: err.Error()}}
		}
		return values, f.judged(values, f.Schema.Check(values))
	}
	f.Tree.Resolve = f.resolve
	values, wrong = f.Tree.Values()
	f.Tree.Resolve = nil
	// The JSON may have been typed on several lines. It must be one line, because a line is a frame
	// on stdio.
	values = jsonrpc.Compact(values)
	return values, f.judged(values, wrong)
}

// Written returns JSON for an editor: the entered values, and the other members that the schema
// requires.
func (f *Form) Written() string {
	if f.AsJSON {
		return f.Editor.Value()
	}
	given := f.Tree.Filled()
	completed := f.Schema.Complete(given)
	f.blanks = blanks(completed, given)
	values := literalBlanks(completed, f.blanks)
	f.given = jsonrpc.Indented(values)
	return f.given
}

// blanks returns the members of completed that given does not have. They come from the schema.
func blanks(completed, given []byte) []byte {
	added := []byte("{")
	has := jsonrpc.MemberIndex(given)
	for name, raw := range jsonrpc.Members(completed) {
		if _, ok := has[string(name)]; !ok {
			added = jsonrpc.AppendMember(added, string(name), raw)
		}
	}
	return append(added, '}')
}

// literalBlanks returns completed with the added members as literal text.
func literalBlanks(completed, added []byte) []byte {
	out := []byte("{")
	isAdded := jsonrpc.MemberIndex(added)
	for name, raw := range jsonrpc.Members(completed) {
		if _, ok := isAdded[string(name)]; ok {
			raw = variables.LiteralJSON(raw)
		}
		out = jsonrpc.AppendMember(out, string(name), raw)
	}
	return append(out, '}')
}

// ToJSON switches from the rows to JSON.
func (f *Form) ToJSON() {
	f.Editor.SetValue(f.Written())
	f.AsJSON, f.Warned = true, nil
}

// ToForm switches from JSON to the rows, or returns why it cannot. If the user has typed nothing,
// initial values do not count as values.
func (f *Form) ToForm() (why string) {
	if f.untouched() {
		f.AsJSON, f.Warned = false, nil // the problem was a problem of the JSON
		return ""
	}
	values := []byte(f.Editor.Value())
	if len(bytes.TrimSpace(values)) == 0 {
		values = []byte("{}")
	}
	if line, _, msg := f.Editor.Verify(); msg != "" {
		return "line " + strconv.Itoa(line) + ": " + msg + "; the form needs JSON"
	}
	if why := f.load(withoutBlanks(values, f.blanks), false); why != "" {
		return why
	}
	f.AsJSON, f.Warned = false, nil
	return ""
}

// withoutBlanks returns JSON without members that are still empty and have no value in blanks.
func withoutBlanks(raw, blanks []byte) []byte {
	if jsonrpc.TypeOf(raw) != "object" || jsonrpc.TypeOf(blanks) != "object" {
		return raw
	}
	out := []byte("{")
	members := jsonrpc.MemberIndex(blanks)
	for name, value := range jsonrpc.Members(raw) {
		blank := members[string(name)]
		if (jsonrpc.TypeOf(blank) == "null" || jsonrpc.IsText(blank, "")) && jsonrpc.Equal(blank, value) {
			continue
		}
		out = jsonrpc.AppendMember(out, string(name), withoutBlanks(value, blank))
	}
	return append(out, '}')
}

// untouched reports whether the editor still contains the text that the form wrote.
func (f *Form) untouched() bool {
	return f.given != "" && f.Len() > 0 && strings.TrimSpace(f.Editor.Value()) == f.given
}

// Fill replaces the values of the form with the members of a JSON object, or returns why it cannot.
// The texts are literal: they contain no variables.
func (f *Form) Fill(values []byte) (why string) {
	return f.load(variables.LiteralJSON(values), false)
}

// load sets the values of the form from JSON with variables; see [schema.Tree.Load].
func (f *Form) load(values []byte, files bool) (why string) {
	if why := f.Tree.Load(values, files); why != "" {
		return why
	}
	f.reshaped()
	return ""
}

// Use sets values that Unresolved has returned, in the rows if possible, otherwise as JSON.
func (f *Form) Use(values []byte) {
	if !f.AsJSON && f.Len() > 0 && f.load(values, true) == "" {
		return
	}
	f.SetJSON(string(variables.UnfieldJSON(values)))
}

// SetJSON sets values that the user has written elsewhere, in the rows if possible, otherwise as
// JSON.
func (f *Form) SetJSON(s string) {
	was := f.AsJSON
	f.Editor.SetValue(s)
	f.AsJSON = true
	if !was && f.Len() > 0 {
		f.ToForm()
	}
}

// Changed returns the arguments that the user has filled in, by name, in a short form.
func (f *Form) Changed() map[string]string {
	out := map[string]string{}
	for _, n := range f.Tree.Members() {
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
