package composer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/schema"
)

// candidate is one way to complete the token at the cursor.
type candidate struct {
	text   string // the token: JSON in the body
	label  string
	detail string
	after  string // what a key is followed by: ": " and an empty value
	// form describes the arguments of a tool or prompt; nil for anything else. It is
	// read when it is needed, since there may be thousands of tools.
	form func() schema.Form
}

// describe is the text beside the label.
func (c *candidate) describe() string {
	if c.form == nil {
		return c.detail
	}
	return signature(c.form()) + c.detail
}

func quote(s string) string { return string(jsonrpc.StringID(s)) }

// methodCandidates are the methods that a client may send in the revision in force,
// those first that the server supports.
func (p *Pane) methodCandidates() []candidate {
	var found, undeclared []candidate
	for _, m := range revision.Methods(p.handshake.Revision, revision.Client) {
		c := candidate{text: m.Name, label: m.Name, detail: m.Params}
		if why := unsuitable(m, p.handshake); len(why) > 0 {
			c.detail = why[0]
			undeclared = append(undeclared, c)
			continue
		}
		found = append(found, c)
	}
	return append(found, undeclared...)
}

// bodyCandidates are what can be written at a place of the body.
func (p *Pane) bodyCandidates(text string, at jsonPlace) []candidate {
	path := at.path
	values := stringsIn(text)
	method, prefix := p.method.Value(), ""
	if p.raw {
		method, prefix = values["method"], "params/"
		switch {
		case len(path) == 0 && at.key:
			return keys([]string{"jsonrpc", "id", "method", "params"}, at.siblings)
		case len(path) == 1 && path[0] == "method" && !at.key:
			return quoted(p.methodCandidates())
		case len(path) == 1 && path[0] == "jsonrpc" && !at.key:
			return []candidate{{text: `"2.0"`, label: `"2.0"`}}
		case len(path) == 0 || path[0] != "params":
			return nil
		}
		path = path[1:]
	}
	name := values[prefix+"name"]
	switch {
	case at.key && len(path) == 0:
		return p.paramKeys(method, at.siblings)
	case at.key && path[0] == "arguments":
		return p.argumentKeys(method, name, path[1:], at.siblings)
	case at.key || len(path) == 0:
		return nil
	case path[0] == "arguments":
		return p.argumentValues(method, name, path[1:])
	}
	return p.paramValues(method, path)
}

func quoted(list []candidate) []candidate {
	for i := range list {
		list[i].text = quote(list[i].text)
	}
	return list
}

// keys are names of members that are not there yet.
func keys(names, there []string) []candidate {
	var found []candidate
	for _, name := range names {
		if !slices.Contains(there, name) {
			found = append(found, candidate{text: quote(name), label: name, after: ": "})
		}
	}
	return found
}

func (p *Pane) paramKeys(method string, there []string) []candidate {
	m, _ := revision.Lookup(method)
	var found []candidate
	for _, required := range []bool{true, false} {
		for _, member := range m.ParamMembers(p.handshake.Revision) {
			if member.Required != required || slices.Contains(there, member.Name) || member.Name == "_meta" && !p.noMeta {
				continue
			}
			c := candidate{text: quote(member.Name), label: member.Name, after: ": "}
			if required {
				c.detail = "required"
			}
			found = append(found, c)
		}
	}
	return found
}

// paramValues are the values of a member of the params.
func (p *Pane) paramValues(method string, path []string) []candidate {
	switch where := strings.Join(path, "/"); {
	case where == "name" && method == "tools/call":
		return p.toolNames()
	case where == "name" && method == "prompts/get", where == "ref/name":
		return p.promptNames(where == "name")
	case where == "uri", where == "ref/uri":
		return p.uris(where == "ref/uri")
	case where == "ref/type":
		return []candidate{{text: `"ref/prompt"`, label: "ref/prompt"}, {text: `"ref/resource"`, label: "ref/resource"}}
	case where == "level":
		var found []candidate
		for _, level := range revision.Levels() {
			found = append(found, candidate{text: quote(level), label: level})
		}
		return found
	}
	return nil
}

func (p *Pane) items(kind string) []session.Item { return p.state.Lists[kind].Items }

// names are the candidates of one version of a list: there may be thousands.
type names struct {
	loaded time.Time
	count  int
	list   []candidate
}

func (p *Pane) toolNames() []candidate {
	items := p.items("tools")
	if loaded := p.state.Lists["tools"].Loaded; p.tools.loaded != loaded || p.tools.count != len(items) {
		p.tools = names{loaded, len(items), toolCandidates(items)}
	}
	return p.tools.list
}

func toolCandidates(items []session.Item) []candidate {
	found := make([]candidate, 0, len(items))
	for _, item := range items {
		found = append(found, candidate{
			text: quote(item.Name), label: item.Name, detail: item.Description,
			form: func() schema.Form { return schema.Parse(item.Member("inputSchema")) },
		})
	}
	return found
}

func (p *Pane) promptNames(withArguments bool) []candidate {
	var found []candidate
	for _, item := range p.items("prompts") {
		c := candidate{text: quote(item.Name), label: item.Name, detail: item.Description}
		if withArguments {
			c.form = func() schema.Form { return promptForm(item) }
		}
		found = append(found, c)
	}
	return found
}

func (p *Pane) uris(templates bool) []candidate {
	var found []candidate
	for _, item := range p.items("resources") {
		found = append(found, candidate{text: quote(item.URI), label: item.URI, detail: item.Name})
	}
	for _, item := range p.items("templates") {
		c := candidate{text: quote(item.URI), label: item.URI, detail: item.Name}
		if !templates {
			c.detail = "template  " + c.detail
		}
		found = append(found, c)
	}
	return found
}

// maxSignature is how many arguments a signature names.
const maxSignature = 4

// signature lists the arguments, the optional ones with a question mark.
func signature(f schema.Form) string {
	var names []string
	for _, required := range []bool{true, false} {
		for i := range f.Fields {
			switch fd := &f.Fields[i]; {
			case fd.Required != required:
			case required:
				names = append(names, fd.Name)
			default:
				names = append(names, fd.Name+"?")
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxSignature {
		names = append(names[:maxSignature], "…")
	}
	return strings.Join(names, ", ") + "  "
}

// template has an example of each required argument; nil without arguments.
func template(f schema.Form) []byte {
	if len(f.Fields) == 0 {
		return nil
	}
	return f.Complete([]byte("{}"))
}

func promptForm(item session.Item) schema.Form {
	var list []schema.Argument
	for raw := range jsonrpc.Elements(item.Member("arguments")) {
		var a schema.Argument
		_ = json.Unmarshal(raw, &a) // names that are not strings are left out
		if a.Name != "" {
			list = append(list, a)
		}
	}
	return schema.FromArguments(list)
}

// schemaOf is the schema of a value in the arguments of a tool.
func (p *Pane) schemaOf(name string, path []string) (root, found []byte) {
	i := slices.IndexFunc(p.items("tools"), func(item session.Item) bool { return item.Name == name })
	if i < 0 {
		return nil, nil
	}
	root = p.items("tools")[i].Member("inputSchema")
	refs := schema.NewReferences(root)
	found, _ = refs.Resolve(root)
	for _, step := range path {
		var next []byte
		if step == "[]" {
			next, _ = jsonrpc.Member(found, "items")
		} else {
			next, _ = jsonrpc.Member(found, "properties", step)
		}
		found, _ = refs.Resolve(next)
	}
	return root, found
}

// argumentKeys are the arguments that are not there yet, the required ones first.
func (p *Pane) argumentKeys(method, name string, path, there []string) []candidate {
	var form schema.Form
	switch method {
	case "tools/call":
		root, part := p.schemaOf(name, path)
		if part == nil {
			return nil
		}
		form = schema.Parse(withDefinitions(root, part))
	case "prompts/get":
		if i := slices.IndexFunc(p.items("prompts"), func(item session.Item) bool { return item.Name == name }); i >= 0 && len(path) == 0 {
			form = promptForm(p.items("prompts")[i])
		}
	}
	var found []candidate
	for _, required := range []bool{true, false} {
		for i := range form.Fields {
			fd := &form.Fields[i]
			if fd.Required != required || slices.Contains(there, fd.Name) {
				continue
			}
			c := candidate{text: quote(fd.Name), label: fd.Name, after: ": " + emptyValue(fd), detail: fd.Type}
			if required {
				c.detail += ", required"
			}
			if fd.Description != "" {
				c.detail += "  " + fd.Description
			}
			found = append(found, c)
		}
	}
	return found
}

// withDefinitions returns a part of a schema with the definitions of the whole, to
// which its references lead.
func withDefinitions(root, part []byte) []byte {
	open := bytes.IndexByte(part, '{')
	if bytes.Equal(root, part) || open < 0 {
		return part
	}
	var add []byte
	for _, name := range []string{"$defs", "definitions"} {
		if _, has := jsonrpc.Member(part, name); has {
			continue
		}
		if value, ok := jsonrpc.Member(root, name); ok {
			add = append(append(append(add, quote(name)+":"...), value...), ',')
		}
	}
	if countMembers(part) == 0 || len(add) == 0 {
		return part
	}
	return slices.Concat(part[:open+1], add, part[open+1:])
}

func emptyValue(fd *schema.Field) string {
	switch fd.Type {
	case "string":
		if len(fd.Options) == 0 {
			return `""`
		}
	case "object":
		return "{}"
	case "array":
		return "[]"
	}
	return ""
}

// argumentValues are the values that the schema allows: those of an enum, a boolean, a
// constant, the default.
func (p *Pane) argumentValues(method, name string, path []string) []candidate {
	if method != "tools/call" {
		return nil
	}
	_, part := p.schemaOf(name, path)
	var found []candidate
	add := func(raw []byte, detail string) {
		text := string(raw)
		if text != "" && !slices.ContainsFunc(found, func(c candidate) bool { return c.text == text }) {
			label, ok := jsonrpc.Unquote(raw)
			if !ok {
				label = text
			}
			found = append(found, candidate{text: text, label: label, detail: detail})
		}
	}
	enum, _ := jsonrpc.Member(part, "enum")
	for raw := range jsonrpc.Elements(enum) {
		add(raw, "")
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		list, _ := jsonrpc.Member(part, name)
		for raw := range jsonrpc.Elements(list) {
			value, _ := jsonrpc.Member(raw, "const")
			title, _ := jsonrpc.Member(raw, "title")
			text, _ := jsonrpc.Unquote(title)
			add(value, text)
		}
	}
	if kind, _ := jsonrpc.Member(part, "type"); string(kind) == `"boolean"` {
		add([]byte("true"), "")
		add([]byte("false"), "")
	}
	for _, name := range []string{"const", "default"} {
		value, _ := jsonrpc.Member(part, name)
		add(value, name)
	}
	examples, _ := jsonrpc.Member(part, "examples")
	for raw := range jsonrpc.Elements(examples) {
		add(raw, "example")
	}
	return found
}
