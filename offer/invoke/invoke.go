// Package invoke builds what uses an item that a server offers: the request, and the
// command that does the same in a shell.
//
// It also reads the arguments of tools and prompts as a user writes them
// in words: key=value, key:=JSON, a JSON object, or the name of a file with one.
//
// It also expands the URI templates (RFC 6570) of resources.
package invoke

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/offer"
)

// A Shape describes how the items of one list are used.
type Shape struct {
	Verb   string // action on an item: call, read, get
	Method string
	// Form is the form of the arguments.
	Form func(offer.Item) schema.Form
	// Params returns the params of the request. args is a JSON object of the arguments.
	Params func(it offer.Item, args []byte) ([]byte, error)
	// Ref returns how completion/complete names the item. Ref is nil if its arguments cannot be completed.
	Ref func(offer.Item) map[string]string

	command string // name of the command
}

// Shapes maps the names of the lists to their shapes.
var Shapes = map[string]Shape{
	"tools": {
		Verb: "call", Method: "tools/call", command: "call",
		Form: func(it offer.Item) schema.Form {
			if raw := it.Member("inputSchema"); raw != nil {
				return schema.Parse(raw)
			}
			return schema.Form{Unclear: "the tool has no inputSchema"}
		},
		Params: func(it offer.Item, args []byte) ([]byte, error) { return nameParams(it.Name, args), nil },
	},
	"resources": {
		Verb: "read", Method: "resources/read", command: "read",
		Form:   func(offer.Item) schema.Form { return schema.Form{Closed: true} },
		Params: func(it offer.Item, _ []byte) ([]byte, error) { return uriParams(it.URI), nil },
	},
	"templates": {
		Verb: "read", Method: "resources/read", command: "read",
		Form: templateForm,
		Params: func(it offer.Item, args []byte) ([]byte, error) {
			uri, err := Expand(it.URI, args)
			return uriParams(uri), err
		},
		Ref: func(it offer.Item) map[string]string {
			return map[string]string{"type": "ref/resource", "uri": it.URI}
		},
	},
	"prompts": {
		Verb: "get", Method: "prompts/get", command: "prompt",
		Form:   promptForm,
		Params: func(it offer.Item, args []byte) ([]byte, error) { return nameParams(it.Name, args), nil },
		Ref: func(it offer.Item) map[string]string {
			return map[string]string{"type": "ref/prompt", "name": it.Name}
		},
	},
}

func nameParams(name string, args []byte) []byte {
	p := append([]byte(`{"name":`), jsonrpc.Quote(name)...)
	if len(args) > 0 {
		p = append(append(p, `,"arguments":`...), args...)
	}
	return append(p, '}')
}

func uriParams(uri string) []byte {
	return append(append([]byte(`{"uri":`), jsonrpc.Quote(uri)...), '}')
}

func promptForm(it offer.Item) schema.Form {
	var args []schema.Argument
	for raw := range jsonrpc.Elements(it.Member("arguments")) {
		required, _ := jsonrpc.Member(raw, "required")
		args = append(args, schema.Argument{
			Name: jsonrpc.Text(raw, "name"), Title: jsonrpc.Text(raw, "title"), Description: jsonrpc.Text(raw, "description"),
			Required: string(required) == "true",
		})
	}
	f := schema.FromArguments(args)
	f.Closed = len(args) == 0
	some := 1
	for i := range f.Fields {
		if f.Fields[i].Required {
			// No schema allows an empty text here, so it counts as missing.
			f.Fields[i].MinLen = &some
		}
	}
	return f
}

func templateForm(it offer.Item) schema.Form {
	names, err := TemplateVariables(it.URI)
	if err != nil {
		return schema.Form{Unclear: "this is not a URI template: " + err.Error()}
	}
	var args []schema.Argument
	for _, name := range names {
		args = append(args, schema.Argument{Name: name})
	}
	return schema.FromArguments(args)
}

// Expand puts values into a URI template.
func Expand(uri string, args []byte) (string, error) {
	values := map[string]string{}
	for name, raw := range jsonrpc.Members(args) {
		values[string(name)] = Plain(raw)
	}
	return ExpandTemplate(uri, values)
}

// Plain returns a value as people write it: strings without quotes.
func Plain(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return s
	}
	return string(raw)
}
