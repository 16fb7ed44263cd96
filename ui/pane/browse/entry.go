package browse

import (
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
	"mcptea/ui/schemaform"
)

// entry is an item that has been looked at: what is filled in, and its calls.
// It lives as long as the pane, so that nothing is lost by looking elsewhere.
type entry struct {
	schemaform.Draft // of the arguments
	item             session.Item
	shape            shape

	output *schema.Form // of the structured content; nil when not promised
	calls  []*call
	at     int // the call on show
	values *candidates
	task   wish // of the next call
}

func newEntry(it session.Item) *entry {
	e := &entry{item: it, shape: shapes[it.Kind]}
	e.take(it)
	if e.Form.Len() == 0 && e.open() {
		e.Editor.SetValue("{}")
		e.AsJSON = true
	}
	return e
}

// take makes the form of an item, again when the list was fetched again.
func (e *entry) take(it session.Item) {
	e.item = it
	e.Take(e.shape.form(it))
	e.output = nil
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		e.output = &f
	}
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
