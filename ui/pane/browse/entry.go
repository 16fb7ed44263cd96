package browse

import (
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/ui/schemaform"
)

// entry is an item that has been looked at: what is filled in, and its calls.
// It lives as long as the pane, so that nothing is lost by looking elsewhere.
type entry struct {
	schemaform.Draft // of the arguments
	item             session.Item
	shape            shape
	traits           traits

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
	e.Whole = nil
	if raw := it.Member("inputSchema"); raw != nil {
		e.Whole = judge(raw)
	}
	e.output = nil
	if raw := it.Member("outputSchema"); raw != nil {
		f := schema.Parse(raw)
		e.output = &f
	}
	e.traits = traitsOf(it, e.output)
}

// judge checks arguments by a tool's schema as a whole. The schema is read when
// it is first wanted. What cannot be judged is taken to fit.
func judge(inputSchema []byte) func([]byte) *check.Mismatch {
	read := sync.OnceValue(func() *check.Schema {
		return check.Compile(inputSchema, check.Options{Dialectless: true, Formats: true})
	})
	return func(args []byte) *check.Mismatch {
		m, _ := read().Check(args)
		return m
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
