package schemaform

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/ui/widget/editor"
	"mcptea/ui/widget/form"
)

// Draft is what is filled in for a schema, as a form or as JSON. The zero Draft
// is ready for Take. It is not safe for concurrent use.
type Draft struct {
	Schema schema.Form
	Form   *form.Form
	Editor *editor.Editor
	AsJSON bool
	// Prefill fills in the defaults of optional fields too, as clients do for
	// elicitation (specification, client / elicitation). It is set before Take.
	Prefill bool

	// Renamed are the fields of the form before Take that have another name in the next
	// schema: what is filled in goes to the new ones.
	Renamed map[string]string

	// Whole, when set, looks at the values as the schema as a whole does, which
	// knows more than the fields: what does not fit, nil when all does.
	Whole func(values []byte) *check.Mismatch

	// Beside are members that the form has no field for.
	Beside []byte
	// Warned are the values that were found to be wrong; sending the same again
	// sends them.
	Warned []byte
	Said   string // what is wrong with the values as a whole

	given string // the JSON that the form was written as last
}

// Take makes the form of a schema, again when the schema has changed: what was
// filled in stays, as far as there are fields for it.
func (d *Draft) Take(f schema.Form) {
	var kept map[string]string
	if d.Form != nil {
		kept = d.Form.Changed()
	}
	d.Schema = f
	d.Form = form.New(Fields(&d.Schema, d.Prefill))
	for name, value := range kept {
		if now, ok := d.Renamed[name]; ok {
			name = now
		}
		d.Form.Set(name, value)
	}
	d.Renamed = nil
	if d.Editor == nil {
		d.Editor = editor.New("")
	}
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
		return values, d.judged(values, d.Schema.Check(values))
	}
	typed := d.Form.Values()
	values, wrong = d.Schema.Build(typed)
	for _, w := range wrong {
		if v := typed[w.Field]; v != "" {
			values = with(values, w.Field, asTyped(v))
		}
	}
	for name, v := range jsonrpc.Members(d.Beside) {
		values = with(values, string(name), v)
	}
	seen := map[string]bool{}
	for _, w := range wrong {
		seen[w.Field] = true
	}
	for _, w := range d.Schema.Check(values) {
		if !seen[w.Field] {
			wrong = append(wrong, w)
		}
	}
	// What was typed on several lines goes on one: a line is a frame on stdio.
	values = Compact(values)
	return values, d.judged(values, wrong)
}

// judged adds what the schema as a whole finds wrong, where the fields have
// found nothing.
func (d *Draft) judged(values []byte, wrong []schema.FieldError) []schema.FieldError {
	if d.Whole == nil || len(wrong) > 0 {
		return wrong
	}
	m := d.Whole(values)
	if m == nil {
		return wrong
	}
	field, below, _ := strings.Cut(strings.TrimPrefix(m.About, "/"), "/")
	msg := m.Reason
	if below != "" {
		msg = "/" + below + " " + msg
	}
	return append(wrong, schema.FieldError{Field: field, Msg: msg})
}

// Check shows what is wrong with the values, and which texts go out empty. It
// reports whether they may be
// sent: they are right, or the same was tried before.
func (d *Draft) Check() (values []byte, send bool) {
	values, wrong := d.Values()
	d.Form.ClearProblems()
	d.Said = ""
	d.noteEmpty(wrong)
	if len(wrong) == 0 || d.Warned != nil && bytes.Equal(values, d.Warned) {
		d.Warned = nil
		return values, true
	}
	d.Warned = values
	for _, w := range wrong {
		if _, known := d.Schema.Field(w.Field); known && !d.AsJSON {
			d.Form.SetProblem(w.Field, w.Msg)
			continue
		}
		if d.Said != "" {
			d.Said += "; "
		}
		d.Said += w.Error()
	}
	d.Form.FocusProblem()
	return values, false
}

// Edited takes back what was said of the values when they have changed.
func (d *Draft) Edited(changed bool) {
	if changed {
		d.Warned, d.Said = nil, ""
	}
}

// noteEmpty says of required texts that they go out empty: a schema allows
// that, so it is not held back.
func (d *Draft) noteEmpty(wrong []schema.FieldError) {
	typed := d.Form.Values()
	for i := range d.Schema.Fields {
		if fd := &d.Schema.Fields[i]; fd.Required && fd.Kind == schema.String && typed[fd.Name] == "" {
			d.Form.SetNote(fd.Name, `sent as ""`)
		}
	}
	for _, w := range wrong {
		d.Form.SetNote(w.Field, "")
	}
}

// InLong reports whether enter is a new line in the field with the focus.
func (d *Draft) InLong() bool { return d.Form.InLong() }

// Written is the JSON to go on with in an editor: what is filled in, and what
// the schema requires beside it.
func (d *Draft) Written() string {
	if d.AsJSON {
		return d.Editor.Value()
	}
	values, _ := d.Values()
	values = d.Schema.Complete(values)
	var b bytes.Buffer
	if json.Indent(&b, values, "", "  ") == nil {
		values = b.Bytes()
	}
	d.given = string(values)
	return d.given
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
	if why := d.Fill(values); why != "" {
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
// fields; it says why when that cannot be.
func (d *Draft) Fill(values []byte) (why string) {
	if !json.Valid(values) || bytes.TrimSpace(values)[0] != '{' {
		return "the form needs a JSON object"
	}
	trial := form.New(Fields(&d.Schema, d.Prefill))
	for i := range d.Schema.Fields {
		trial.Set(d.Schema.Fields[i].Name, "")
	}
	var beside []byte
	for name, raw := range jsonrpc.Members(values) {
		fd, known := d.Schema.Field(string(name))
		if !known {
			if beside == nil {
				beside = []byte("{}")
			}
			beside = with(beside, string(name), raw)
			continue
		}
		if !trial.Set(fd.Name, fd.Decode(raw)) {
			return fd.Name + " has a value that the form does not offer"
		}
	}
	focus := d.Form.Focused()
	d.Form, d.Beside = trial, beside
	d.Form.Focus(focus)
	return ""
}

// SetJSON takes values that were written elsewhere: back into the form when
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

func asTyped(s string) []byte {
	if json.Valid([]byte(s)) {
		return []byte(s)
	}
	return quoted(s)
}

// quoted is a string as JSON.
func quoted(s string) []byte { return []byte(jsonrpc.StringID(s)) }

// with adds a member to a JSON object.
func with(object []byte, name string, value []byte) []byte {
	object = bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))
	out := append([]byte{}, object...)
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(append(append(out, quoted(name)...), ':'), value...)
	return append(out, '}')
}
