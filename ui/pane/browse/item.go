package browse

import (
	"bytes"
	"context"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/session/offer"
	"mcptea/session/offer/changes"
	"mcptea/session/offer/invoke"
	"mcptea/ui/app"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/markdown"
	"mcptea/ui/result"
)

// Item is an item that has been looked at: what is filled in, and its calls. It is the
// detail of the page, and lives as long as the pane, so that nothing is lost by looking
// elsewhere.
type Item struct {
	form.Form   // of the arguments
	p           *Panel
	checkedFor  string // the command that has asked for the arguments last
	key         string // of its line
	item        offer.Item
	shape       invoke.Shape
	traits      traits
	description markdown.Text

	output  *schema.Form // of the structured content; nil when not promised
	filter  string       // with jq, of the results
	laidOut []string     // of the arguments, to be read
	calls   []*call
	at      int // the call on show
	values  *candidates
	task    wish          // of the next call
	wanted  int           // [form.Form.Version] when the user had it sent
	repeat  result.Repeat // what was sent several times

	// Change is how it differs from what the user has seen; nil when it does not.
	Change *changes.Item

	reading bool              // the item is being read
	known   bool              // it was read once
	moved   map[string]string // properties that the newest version of the item renamed
}

// definition is what is read from an item.
type definition struct {
	form   schema.Form
	tree   *schema.Tree
	whole  func(args []byte) []*check.Mismatch // nil without an input schema
	output *schema.Form
	lines  []string
	traits traits
	// renamed are the properties that have another name than in the version before.
	renamed map[string]string
}

// take makes the form of an item, again when the list was fetched again. A large one is
// read in the background.
func (e *Item) take(it offer.Item) {
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

// read reads an item; old is what the entry was before, or empty.
func read(s invoke.Shape, old, it offer.Item) definition {
	d := definition{form: s.Form(it)}
	d.tree = d.form.Tree(false)
	if old.Raw != nil {
		d.renamed = changes.RenamedProperties(old.Raw, it.Raw)
	}
	if raw := it.Member("inputSchema"); raw != nil {
		d.whole, d.lines = form.Whole(raw, true), form.SchemaLines(raw)
	}
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		d.output = &f
	}
	d.traits = traitsOf(it, d.output)
	return d
}

// define takes what was read from the item.
func (e *Item) define(d definition) {
	e.Renamed, e.moved = d.renamed, d.renamed
	e.TakeTree(d.form, d.tree)
	e.Whole, e.output, e.laidOut, e.traits, e.reading = d.whole, d.output, d.lines, d.traits, false
	if !e.known && e.Form.Len() == 0 && e.open() {
		e.Editor.SetValue("{}")
		e.AsJSON = true
	}
	e.known = true
}

// open reports whether arguments are welcome of which the schema names none.
func (e *Item) open() bool {
	if e.item.Kind != "tools" || e.Schema.Closed {
		return false
	}
	_, named := jsonrpc.Member(e.item.Member("inputSchema"), "properties")
	more, said := jsonrpc.Member(e.item.Member("inputSchema"), "additionalProperties")
	return e.Schema.Unclear != "" || !named && said && string(more) != "false"
}

// bare reports whether there is nothing to fill in.
func (e *Item) bare() bool { return !e.AsJSON && e.Form.Len() == 0 }

// Opens is what opening the item in its list leads to: it sends what takes no arguments and changes nothing.
func (e *Item) Opens() string {
	switch {
	case e.sendsAtOnce():
		return e.shape.Verb
	case e.bare() && !e.reading:
		return "details"
	}
	return "arguments"
}

// sendsAtOnce reports whether opening the item sends its request.
func (e *Item) sendsAtOnce() bool {
	return e.item.Kind == "resources" || e.item.Kind == "prompts" && e.bare() && !e.reading
}

// unread is why an item cannot be used yet.
func (e *Item) unread() string {
	return keys.Reason(e.reading, "The schema is still being read.")
}

// NoArguments is why there is nothing to fill in.
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
		e.Editor.Problem() // checks what is written
		busy = e.Editor.Checking()
	}
	if v := e.onShow().result(); v != nil {
		busy = v.Refresh(t) || busy
	}
	return busy
}

// advance takes note of what became of the calls, and reports whether one goes on.
func (e *Item) advance() (busy bool) {
	for _, c := range e.calls {
		busy = c.advance(e) || busy
	}
	return e.values.refresh() || e.repeat.Runs() || busy
}
