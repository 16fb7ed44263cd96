package browse

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/diff"
	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/ui/markdown"
	"mcptea/ui/schemaform"
)

// entry is an item that has been looked at: what is filled in, and its calls.
// It lives as long as the pane, so that nothing is lost by looking elsewhere.
type entry struct {
	schemaform.Draft // of the arguments
	item             session.Item
	shape            shape
	traits           traits
	description      markdown.Text

	output         *schema.Form // of the structured content; nil when not promised
	calls          []*call
	at             int // the call on show
	values         *candidates
	completing     string   // the field of the newest completion request
	schemaText     []string // the lines of the input schema
	completingFrom int      // the entry that is selected when it is answered, -1 for none
	task           wish     // of the next call

	reading chan definition   // 1 slot: the item is being read; nil when it was
	known   bool              // it was read once
	moved   map[string]string // properties that the newest version of the item renamed
}

// definition is what is read from an item.
type definition struct {
	form   schema.Form
	tree   *schema.Tree
	whole  func(args []byte) *check.Mismatch // nil without an input schema
	output *schema.Form
	traits traits
	// renamed are the properties that have another name than in the version before.
	renamed map[string]string
}

func newEntry(it session.Item) *entry {
	e := &entry{item: it, shape: shapes[it.Kind]}
	e.Filters = true
	e.take(it)
	return e
}

// take makes the form of an item, again when the list was fetched again. A large
// one is read in the background.
func (e *entry) take(it session.Item) {
	old := e.item
	e.item, e.reading, e.schemaText = it, nil, nil
	if len(it.Raw) <= atOnce {
		e.define(read(e.shape, old, it))
		return
	}
	if e.Form == nil {
		e.Take(schema.Form{Closed: true})
		e.traits.execution = []byte("{}")
	}
	done, shape := make(chan definition, 1), e.shape
	e.reading = done
	go func() { done <- read(shape, old, it) }()
}

// read reads an item; old is what the entry was before, or the same.
func read(s shape, old, it session.Item) definition {
	d := definition{form: s.form(it)}
	d.tree = d.form.Tree(false)
	if !bytes.Equal(old.Raw, it.Raw) {
		d.renamed = diff.RenamedProperties(old.Member("inputSchema"), it.Member("inputSchema"))
	}
	if raw := it.Member("inputSchema"); raw != nil {
		d.whole = schemaform.Whole(raw, true)
	}
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		d.output = &f
	}
	d.traits = traitsOf(it, d.output)
	return d
}

// define takes what was read from the item.
func (e *entry) define(d definition) {
	e.Renamed, e.moved = d.renamed, d.renamed
	e.TakeTree(d.form, d.tree)
	e.Whole, e.output, e.traits = d.whole, d.output, d.traits
	if !e.known && e.Form.Len() == 0 && e.open() {
		e.Editor.SetValue("{}")
		e.AsJSON = true
	}
	e.known = true
}

// refreshDefinition takes what was read in the background. It reports whether
// that goes on.
func (e *entry) refreshDefinition() (busy bool) {
	select {
	case d := <-e.reading:
		e.reading = nil
		e.define(d)
	default:
	}
	return e.reading != nil
}

// open reports whether arguments are welcome of which the schema names none.
func (e *entry) open() bool {
	if e.item.Kind != "tools" || e.Schema.Closed {
		return false
	}
	_, named := jsonrpc.Member(e.item.Member("inputSchema"), "properties")
	more, said := jsonrpc.Member(e.item.Member("inputSchema"), "additionalProperties")
	return e.Schema.Unclear != "" || !named && said && string(more) != "false"
}

// bare reports whether there is nothing to fill in.
func (e *entry) bare() bool { return !e.AsJSON && e.Form.Len() == 0 }
