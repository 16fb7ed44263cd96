package compose

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sahilm/fuzzy"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema"
	"mcptea/session/offer"
)

// Candidate is one way to complete the token at the cursor.
type Candidate struct {
	Text   string // the token: JSON in the body
	Label  string
	Detail string
	After  string // what a key is followed by: ": " and an empty value
	// Form describes the arguments of a tool or prompt; nil for anything else. It is
	// read when it is needed, since there may be thousands of tools.
	Form func() schema.Form
}

// Describe is the text beside the label.
func (c *Candidate) Describe() string {
	if c.Form == nil {
		return c.Detail
	}
	return signature(c.Form()) + c.Detail
}

// Completer finds the candidates for a frame, by what the server has listed.
type Completer struct {
	Handshake client.Handshake
	Lists     map[string]offer.List // by the name of the kind
	tools     names
}

func quote(s string) string { return jsonrpc.Quote(s) }

// Methods are the methods that a client may send in the revision in force,
// those first that the server supports.
func (o *Completer) Methods() []Candidate {
	var found, undeclared []Candidate
	for _, m := range revision.Methods(o.Handshake.Revision, revision.Client) {
		c := Candidate{Text: m.Name, Label: m.Name, Detail: m.Params}
		if why := unsuitable(m, o.Handshake); len(why) > 0 {
			c.Detail = why[0]
			undeclared = append(undeclared, c)
			continue
		}
		found = append(found, c)
	}
	return append(found, undeclared...)
}

// Body is what can be written at a place of the params of a method, or with raw in the
// text of a whole frame. noMeta says that the params have to have a _meta.
func (o *Completer) Body(method, text string, at Place, raw, noMeta bool) []Candidate {
	path := at.path
	values := stringsIn(text)
	prefix := ""
	if raw {
		method, prefix = values["method"], "params/"
		switch {
		case len(path) == 0 && at.key:
			return keys([]string{"jsonrpc", "id", "method", "params"}, at.siblings)
		case len(path) == 1 && path[0] == "method" && !at.key:
			return quoted(o.Methods())
		case len(path) == 1 && path[0] == "jsonrpc" && !at.key:
			return []Candidate{{Text: `"2.0"`, Label: `"2.0"`}}
		case len(path) == 0 || path[0] != "params":
			return nil
		}
		path = path[1:]
	}
	name := values[prefix+"name"]
	switch {
	case at.key && len(path) == 0:
		return o.paramKeys(method, at.siblings, noMeta)
	case at.key && path[0] == "arguments":
		return o.argumentKeys(method, name, path[1:], at.siblings)
	case at.key || len(path) == 0:
		return nil
	case path[0] == "arguments":
		return o.argumentValues(method, name, path[1:])
	}
	return o.paramValues(method, path)
}

func quoted(list []Candidate) []Candidate {
	for i := range list {
		list[i].Text = quote(list[i].Text)
	}
	return list
}

// keys are names of members that are not there yet.
func keys(names, there []string) []Candidate {
	var found []Candidate
	for _, name := range names {
		if !slices.Contains(there, name) {
			found = append(found, Candidate{Text: quote(name), Label: name, After: ": "})
		}
	}
	return found
}

func (o *Completer) paramKeys(method string, there []string, noMeta bool) []Candidate {
	m, _ := revision.Lookup(method)
	var found []Candidate
	for _, required := range []bool{true, false} {
		for _, member := range m.ParamMembers(o.Handshake.Revision) {
			if member.Required != required || slices.Contains(there, member.Name) || member.Name == "_meta" && !noMeta {
				continue
			}
			c := Candidate{Text: quote(member.Name), Label: member.Name, After: ": "}
			if required {
				c.Detail = "required"
			}
			found = append(found, c)
		}
	}
	return found
}

// paramValues are the values of a member of the params.
func (o *Completer) paramValues(method string, path []string) []Candidate {
	switch where := strings.Join(path, "/"); {
	case where == "name" && method == "tools/call":
		return o.toolNames()
	case where == "name" && method == "prompts/get", where == "ref/name":
		return o.promptNames(where == "name")
	case where == "uri", where == "ref/uri":
		return o.uris(where == "ref/uri")
	case where == "ref/type":
		return []Candidate{{Text: `"ref/prompt"`, Label: "ref/prompt"}, {Text: `"ref/resource"`, Label: "ref/resource"}}
	case where == "level":
		var found []Candidate
		for _, level := range revision.Levels() {
			found = append(found, Candidate{Text: quote(level), Label: level})
		}
		return found
	}
	return nil
}

func (o *Completer) items(kind string) []offer.Item { return o.Lists[kind].Items }

// names are the candidates of one version of a list: there may be thousands.
type names struct {
	loaded time.Time
	count  int
	list   []Candidate
}

func (o *Completer) toolNames() []Candidate {
	items := o.items("tools")
	if loaded := o.Lists["tools"].Loaded; o.tools.loaded != loaded || o.tools.count != len(items) {
		o.tools = names{loaded, len(items), toolCandidates(items)}
	}
	return o.tools.list
}

func toolCandidates(items []offer.Item) []Candidate {
	found := make([]Candidate, 0, len(items))
	for _, item := range items {
		found = append(found, Candidate{
			Text: quote(item.Name), Label: item.Name, Detail: item.Description,
			Form: func() schema.Form { return schema.Parse(item.Member("inputSchema")) },
		})
	}
	return found
}

func (o *Completer) promptNames(withArguments bool) []Candidate {
	var found []Candidate
	for _, item := range o.items("prompts") {
		c := Candidate{Text: quote(item.Name), Label: item.Name, Detail: item.Description}
		if withArguments {
			c.Form = func() schema.Form { return promptForm(item) }
		}
		found = append(found, c)
	}
	return found
}

func (o *Completer) uris(templates bool) []Candidate {
	var found []Candidate
	for _, item := range o.items("resources") {
		found = append(found, Candidate{Text: quote(item.URI), Label: item.URI, Detail: item.Name})
	}
	for _, item := range o.items("templates") {
		c := Candidate{Text: quote(item.URI), Label: item.URI, Detail: item.Name}
		if !templates {
			c.Detail = "template  " + c.Detail
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

// Template has an example of each required argument; nil without arguments.
func Template(f schema.Form) []byte {
	if len(f.Fields) == 0 {
		return nil
	}
	return f.Complete([]byte("{}"))
}

func promptForm(item offer.Item) schema.Form {
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
func (o *Completer) schemaOf(name string, path []string) (root, found []byte) {
	tool, ok := o.Lists["tools"].Find(name)
	if !ok {
		return nil, nil
	}
	root = tool.Member("inputSchema")
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
func (o *Completer) argumentKeys(method, name string, path, there []string) []Candidate {
	var form schema.Form
	switch method {
	case "tools/call":
		root, part := o.schemaOf(name, path)
		if part == nil {
			return nil
		}
		form = schema.Parse(withDefinitions(root, part))
	case "prompts/get":
		if prompt, ok := o.Lists["prompts"].Find(name); ok && len(path) == 0 {
			form = promptForm(prompt)
		}
	}
	var found []Candidate
	for _, required := range []bool{true, false} {
		for i := range form.Fields {
			fd := &form.Fields[i]
			if fd.Required != required || slices.Contains(there, fd.Name) {
				continue
			}
			c := Candidate{Text: quote(fd.Name), Label: fd.Name, After: ": " + emptyValue(fd), Detail: fd.Type}
			if required {
				c.Detail += ", required"
			}
			if fd.Description != "" {
				c.Detail += "  " + fd.Description
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
	if len(bytes.TrimSpace(part[open+1:])) < 2 || len(add) == 0 {
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
func (o *Completer) argumentValues(method, name string, path []string) []Candidate {
	if method != "tools/call" {
		return nil
	}
	_, part := o.schemaOf(name, path)
	var found []Candidate
	add := func(raw []byte, detail string) {
		text := string(raw)
		if text != "" && !slices.ContainsFunc(found, func(c Candidate) bool { return c.Text == text }) {
			label, ok := jsonrpc.Unquote(raw)
			if !ok {
				label = text
			}
			found = append(found, Candidate{Text: text, Label: label, Detail: detail})
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
	if kind, _ := jsonrpc.Member(part, "type"); jsonrpc.IsText(kind, "boolean") {
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

// Matching selects the candidates that match what was typed, the best first.
func Matching(all []Candidate, typed string) []Candidate {
	switch {
	case typed == "":
		return all
	case len(all) > maxFuzzy:
		return containing(all, typed)
	}
	labels := make([]string, len(all))
	for i, c := range all {
		labels[i] = c.Label
	}
	var found []Candidate
	for _, hit := range fuzzy.Find(typed, labels) {
		found = append(found, all[hit.Index])
	}
	return found
}

// maxFuzzy is how many candidates are matched letter by letter. Of more, those are
// listed that contain what was typed, maxListed at most.
const (
	maxFuzzy  = 1000
	maxListed = 200
)

func containing(all []Candidate, typed string) []Candidate {
	typed = strings.ToLower(typed)
	var first, others []Candidate
	for _, c := range all {
		switch at := strings.Index(strings.ToLower(c.Label), typed); {
		case at == 0 && len(first) < maxListed:
			first = append(first, c)
		case at > 0 && len(others) < maxListed:
			others = append(others, c)
		}
	}
	found := append(first, others...)
	return found[:min(len(found), maxListed)]
}
