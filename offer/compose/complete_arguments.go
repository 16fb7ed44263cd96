package compose

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// maxSignature is the number of arguments that a signature names.
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

// Template returns an example of each required argument, or nil if there are no arguments.
func Template(f schema.Form) []byte {
	if len(f.Fields) == 0 {
		return nil
	}
	return f.Complete([]byte("{}"))
}

// schemaOf returns the schema of a value in the arguments of a tool, and the schema that contains it.
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

// argumentKeys returns the missing arguments, required ones first.
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

// withDefinitions returns a part of a schema with the definitions of the whole schema, so that its references
// resolve.
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

// argumentValues returns the values that the schema allows: of an enum, a boolean or a constant, and the
// default.
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
