package browse

import (
	"strconv"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
	"mcptea/session/template"
)

// kind is what one pane is for.
type kind struct {
	title string   // of the list
	noun  string   // many of them
	lists []string // the session's lists, by name
}

var kinds = map[string]kind{
	"tools":     {"Tools", "tools", []string{"tools"}},
	"resources": {"Resources", "resources", []string{"resources", "templates"}},
	"prompts":   {"Prompts", "prompts", []string{"prompts"}},
}

// shape is how items of one list are used. Values are the arguments as JSON
// members, in the order of the form.
type shape struct {
	verb    string // what enter does
	done    string // word for it in "call 8"
	method  string
	command string // of the program's command line
	form    func(session.Item) schema.Form
	params  func(it session.Item, args []byte) ([]byte, error)
	// ref is how completion/complete names the item; nil when it cannot be
	// asked about its arguments.
	ref func(session.Item) map[string]string
}

var shapes = map[string]shape{
	"tools": {
		verb: "call", done: "call", method: "tools/call", command: "call",
		form: func(it session.Item) schema.Form {
			if raw := it.Member("inputSchema"); raw != nil {
				return schema.Parse(raw)
			}
			return schema.Form{Unclear: "the tool has no inputSchema"}
		},
		params: func(it session.Item, args []byte) ([]byte, error) { return nameParams(it.Name, args), nil },
	},
	"resources": {
		verb: "read", done: "read", method: "resources/read", command: "read",
		form:   func(session.Item) schema.Form { return schema.Form{Closed: true} },
		params: func(it session.Item, _ []byte) ([]byte, error) { return uriParams(it.URI), nil },
	},
	"templates": {
		verb: "read", done: "read", method: "resources/read", command: "read",
		form: templateForm,
		params: func(it session.Item, args []byte) ([]byte, error) {
			uri, err := expand(it.URI, args)
			return uriParams(uri), err
		},
		ref: func(it session.Item) map[string]string {
			return map[string]string{"type": "ref/resource", "uri": it.URI}
		},
	},
	"prompts": {
		verb: "get", done: "get", method: "prompts/get", command: "prompt",
		form:   promptForm,
		params: func(it session.Item, args []byte) ([]byte, error) { return nameParams(it.Name, args), nil },
		ref: func(it session.Item) map[string]string {
			return map[string]string{"type": "ref/prompt", "name": it.Name}
		},
	},
}

func nameParams(name string, args []byte) []byte {
	p := append([]byte(`{"name":`), quoted(name)...)
	if len(args) > 0 {
		p = append(append(p, `,"arguments":`...), args...)
	}
	return append(p, '}')
}

func uriParams(uri string) []byte {
	return append(append([]byte(`{"uri":`), quoted(uri)...), '}')
}

// quoted is a string as JSON.
func quoted(s string) []byte { return []byte(jsonrpc.StringID(s)) }

func promptForm(it session.Item) schema.Form {
	var args []schema.Argument
	for raw := range jsonrpc.Elements(it.Member("arguments")) {
		required, _ := jsonrpc.Member(raw, "required")
		args = append(args, schema.Argument{
			Name: text(raw, "name"), Title: text(raw, "title"), Description: text(raw, "description"),
			Required: string(required) == "true",
		})
	}
	f := schema.FromArguments(args)
	f.Closed = len(args) == 0
	some := 1
	for i := range f.Fields {
		if f.Fields[i].Required {
			// An empty text is as good as none: there is no schema that allows it.
			f.Fields[i].MinLen = &some
		}
	}
	return f
}

func templateForm(it session.Item) schema.Form {
	names, err := template.Variables(it.URI)
	if err != nil {
		return schema.Form{Unclear: "this is no URI template: " + err.Error()}
	}
	var args []schema.Argument
	for _, name := range names {
		args = append(args, schema.Argument{Name: name})
	}
	return schema.FromArguments(args)
}

// expand puts values into a URI template.
func expand(uri string, args []byte) (string, error) {
	values := map[string]string{}
	for name, raw := range jsonrpc.Members(args) {
		values[string(name)] = loose(raw)
	}
	return template.Expand(uri, values)
}

// text is a string member of an object.
func text(object []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(object, name, more...)
	s, _ := jsonrpc.Unquote(v)
	return s
}

// loose is a value as people write it: strings without quotes.
func loose(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return s
	}
	return string(raw)
}

// completes reports whether it makes sense to ask a server for values: it says
// so, or it speaks the revision that had no capability for it.
func completes(h client.Handshake) bool {
	return h.HasCapability("completions") || h.Revision == "2024-11-05"
}

// sizeOf is the size that a resource claims to have.
func sizeOf(it session.Item) (int64, bool) {
	v := it.Member("size")
	if n, ok := jsonrpc.Integer(v); ok {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return int64(f), err == nil
}
