package browse

import (
	"bytes"
	"context"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/invoke"
	"mcptea/ui/app"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/markdown"
	"mcptea/ui/result"
)

// An Item is an item that the user has looked at: its form, its calls and their results. It is the detail view
// of the page. Items live as long as the pane, so moving the selection loses nothing.
type Item struct {
	form.Form   // arguments
	p           *Panel
	checkedFor  string // newest command that checked the arguments
	key         string // key of its line
	item        offer.Item
	shape       invoke.Shape
	traits      traits
	description markdown.Text

	results *invoke.Output // validates results, or nil if the tool has no outputSchema
	filter  string         // jq filter for the results
	laidOut []string       // input schema, formatted for reading
	calls   []*call
	at      int // index of the selected call
	values  *candidates
	task    wish          // task settings of the next call
	wanted  int           // [form.Form.Version] of the newest send
	repeat  result.Repeat // state of "many times"

	// Change is the difference from the version that the user has seen, or nil.
	Change *changes.Item

	reading bool              // the schema is being read
	known   bool              // the schema was read at least once
	moved   map[string]string // properties renamed by the newest version, old to new
}

// A definition is the parsed definition of an item.
type definition struct {
	form    schema.Form
	tree    *schema.Tree
	whole   func(args []byte) []*check.Mismatch // validates arguments, or nil if the tool has no inputSchema
	results *invoke.Output                      // validates results, or nil if the tool has no outputSchema
	lines   []string
	traits  traits
	// renamed maps the old names of renamed properties to the new ones.
	renamed map[string]string
}

// rebuild rebuilds the form for a new version of an item. A large definition is read in the background.
func (e *Item) rebuild(it offer.Item) {
	old, shape := e.item, invoke.Shapes[it.Kind]
	e.item, e.shape = it, shape
	if len(it.Raw) <= atOnce {
		e.define(read(shape, old, it))
		return
	}
	if e.Tree == nil {
		e.Take(schema.Form{Closed: true})
		e.traits.execution = []byte("{}")
	}
	e.reading = true
	e.p.app.Go(func(context.Context) func() {
		d := read(shape, old, it)
		return func() {
			if bytes.Equal(e.item.Raw, it.Raw) {
				e.define(d)
			}
		}
	})
}

// read parses an item. old is the previous version, or the zero Item.
func read(s invoke.Shape, old, it offer.Item) definition {
	d := definition{form: s.Form(it)}
	d.tree = d.form.Tree(false)
	if old.Raw != nil {
		d.renamed = changes.RenamedProperties(old.Raw, it.Raw)
	}
	if raw := it.Member("inputSchema"); raw != nil {
		d.whole, d.lines = form.Whole(raw, true), form.SchemaLines(raw)
	}
	var output *schema.Form
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		output, d.results = &f, invoke.OutputOf(raw)
	}
	d.traits = traitsOf(it, output)
	return d
}

// define applies a parsed definition.
func (e *Item) define(d definition) {
	e.Renamed, e.moved = d.renamed, d.renamed
	e.TakeTree(d.form, d.tree)
	e.Whole, e.results, e.laidOut, e.traits, e.reading = d.whole, d.results, d.lines, d.traits, false
	if !e.known && e.Form.Len() == 0 && e.open() {
		e.Editor.SetValue("{}")
		e.AsJSON = true
	}
	e.known = true
}

// open reports whether the tool accepts arguments although its schema names none.
func (e *Item) open() bool {
	if e.item.Kind != "tools" || e.Schema.Closed {
		return false
	}
	_, named := jsonrpc.Member(e.item.Member("inputSchema"), "properties")
	more, said := jsonrpc.Member(e.item.Member("inputSchema"), "additionalProperties")
	return e.Schema.Unclear != "" || !named && said && string(more) != "false"
}

// bare reports whether there are no fields to fill in.
func (e *Item) bare() bool { return !e.AsJSON && e.Form.Len() == 0 }

// Opens returns the label of the key that opens the item.
func (e *Item) Opens() string {
	switch {
	case e.sendsAtOnce():
		return e.shape.Verb
	case e.bare() && !e.reading:
		return "details"
	}
	return "arguments"
}

// sendsAtOnce reports whether opening the item sends its request: it takes no arguments and changes nothing.
func (e *Item) sendsAtOnce() bool {
	return e.item.Kind == "resources" || e.item.Kind == "prompts" && e.bare() && !e.reading
}

// unread returns why an item cannot be used yet, or "".
func (e *Item) unread() string {
	return keys.Reason(e.reading, "The schema is still being read.")
}

// NoArguments returns why there are no arguments to edit, or "".
func (e *Item) NoArguments() string {
	return keys.Reason(e.item.Kind == "resources", "A resource has no arguments.")
}

// Commands implements [app.Pane].
func (e *Item) Commands() []keys.Command {
	if e.p.inResult && e.shown() != nil {
		return e.p.Result
	}
	return e.p.Form
}

// Motion implements [app.Pane].
func (e *Item) Motion(m keys.Motion) bool {
	p, v := e.p, e.onShow().result()
	switch {
	case !p.inResult || e.shown() == nil:
		switch {
		case (m == keys.Next || m == keys.Previous) && p.list.Inside() && !e.AsJSON && e.Form.Len() == 1:
			p.app.Say("This is the only field: " + p.app.Key("result") + " leads to the result, " + p.app.Key("back") + " to the list.")
		case m == keys.Next && e.shown() != nil:
			p.inResult = true
		default:
			return false
		}
	case v != nil && v.Motion(m):
	case m == keys.Previous && !e.bare():
		e.Fill()
	default:
		return false
	}
	return true
}

// Refresh implements [app.Pane].
func (e *Item) Refresh(t app.Tick) (busy bool) {
	if e.AsJSON {
		e.Editor.Problem() // validates the text
		busy = e.Editor.Checking()
	}
	if v := e.onShow().result(); v != nil {
		busy = v.Refresh(t) || busy
	}
	return busy
}

// advance updates the calls and reports whether any is pending.
func (e *Item) advance() (busy bool) {
	for _, c := range e.calls {
		busy = c.advance(e) || busy
	}
	return e.values.refresh() || e.repeat.Runs() || busy
}
