package browse

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
	"mcptea/ui/widget/editor"
	"mcptea/ui/widget/form"
)

// entry is an item that has been looked at: what is filled in, and its calls.
// It lives as long as the pane, so that nothing is lost by looking elsewhere.
type entry struct {
	item   session.Item
	shape  shape
	schema schema.Form
	form   *form.Form
	editor *editor.Editor
	asJSON bool

	// beside are arguments that the form has no field for.
	beside []byte
	// warned are the arguments that were found to be wrong; sending the same
	// again sends them.
	warned []byte
	said   string // what is wrong with the arguments as a whole

	output *schema.Form // of the structured content; nil when not promised
	calls  []*call
	at     int // the call on show
	values *candidates
}

func newEntry(it session.Item) *entry {
	e := &entry{item: it, shape: shapes[it.Kind]}
	e.take(it)
	if e.form.Len() == 0 && e.open() {
		e.editor.SetValue("{}")
		e.asJSON = true
	}
	return e
}

// take makes the form of an item, again when the list was fetched again: what
// was filled in stays, as far as there are fields for it.
func (e *entry) take(it session.Item) {
	var kept map[string]string
	if e.form != nil {
		kept = e.form.Values()
	}
	e.item, e.schema = it, e.shape.form(it)
	e.form = form.New(fieldsOf(&e.schema))
	for name, value := range kept {
		e.form.Set(name, value)
	}
	if e.editor == nil {
		e.editor = editor.New("")
	}
	e.output = nil
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		e.output = &f
	}
}

// open reports whether arguments are welcome of which the schema names none.
func (e *entry) open() bool {
	if e.item.Kind != "tools" || e.schema.Closed {
		return false
	}
	_, named := jsonrpc.Member(e.item.Member("inputSchema"), "properties")
	more, said := jsonrpc.Member(e.item.Member("inputSchema"), "additionalProperties")
	return e.schema.Unclear != "" || !named && said && string(more) != "false"
}

// bare reports whether there is nothing to fill in.
func (e *entry) bare() bool { return !e.asJSON && e.form.Len() == 0 }

// arguments is what is filled in, as a JSON object. In a form, what could not
// be made into the right type is put in as it was typed.
func (e *entry) arguments() (args []byte, wrong []schema.FieldError) {
	if e.asJSON {
		args = []byte(e.editor.Value())
		if len(bytes.TrimSpace(args)) == 0 {
			args = []byte("{}")
		}
		if json.Valid(args) {
			args = compact(args)
		}
		return args, e.schema.Check(args)
	}
	values := e.form.Values()
	args, wrong = e.schema.Build(values)
	for _, w := range wrong {
		if v := values[w.Field]; v != "" {
			args = with(args, w.Field, asTyped(v))
		}
	}
	for name, v := range jsonrpc.Members(e.beside) {
		args = with(args, string(name), v)
	}
	seen := map[string]bool{}
	for _, w := range wrong {
		seen[w.Field] = true
	}
	for _, w := range e.schema.Check(args) {
		if !seen[w.Field] {
			wrong = append(wrong, w)
		}
	}
	// What was typed on several lines goes on one: a line is a frame on stdio.
	return compact(args), wrong
}

func compact(raw []byte) []byte {
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

// check shows what is wrong with the arguments. It reports whether they may be
// sent: they are right, or the same was tried before.
func (e *entry) check() (args []byte, send bool) {
	args, wrong := e.arguments()
	e.form.ClearProblems()
	e.said = ""
	if len(wrong) == 0 || e.warned != nil && bytes.Equal(args, e.warned) {
		e.warned = nil
		return args, true
	}
	e.warned = args
	for _, w := range wrong {
		if _, known := e.schema.Field(w.Field); known && !e.asJSON {
			e.form.SetProblem(w.Field, w.Msg)
			continue
		}
		if e.said != "" {
			e.said += "; "
		}
		e.said += w.Error()
	}
	e.form.FocusProblem()
	return args, false
}

// toJSON goes from the form to its JSON.
func (e *entry) toJSON() {
	args, _ := e.arguments()
	e.editor.SetValue(string(args))
	e.editor.Format()
	e.asJSON = true
}

// toForm goes from JSON to the form; it says why when that cannot be.
func (e *entry) toForm() string {
	args := []byte(e.editor.Value())
	if len(bytes.TrimSpace(args)) == 0 {
		args = []byte("{}")
	}
	if line, _, msg := e.editor.Problem(); msg != "" {
		return "line " + number(float64(line)) + ": " + msg + "; the form needs JSON"
	}
	if !json.Valid(args) || bytes.TrimSpace(args)[0] != '{' {
		return "the form needs a JSON object"
	}
	trial := form.New(fieldsOf(&e.schema))
	for i := range e.schema.Fields {
		trial.Set(e.schema.Fields[i].Name, "")
	}
	var beside []byte
	for name, raw := range jsonrpc.Members(args) {
		fd, known := e.schema.Field(string(name))
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
	focus := e.form.Focused()
	e.form, e.beside, e.asJSON = trial, beside, false
	e.form.Focus(focus)
	return ""
}

// setJSON takes arguments that were written elsewhere: back into the form when
// they fit there.
func (e *entry) setJSON(s string) {
	was := e.asJSON
	e.editor.SetValue(s)
	e.asJSON = true
	if !was && e.form.Len() > 0 {
		e.toForm()
	}
}
