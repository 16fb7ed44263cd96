package compose

import (
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema"
	"mcptea/offer"
)

// Candidate is one way to complete the token at the cursor.
type Candidate struct {
	Text   string // the token: JSON in the body
	Label  string
	Detail string
	After  string // text after a key: ": " and an empty value
	// Form describes the arguments of a tool or prompt; nil for anything else. It is
	// read when it is needed, since there may be thousands of tools.
	Form func() schema.Form
}

// Describe returns the text next to the label.
func (c *Candidate) Describe() string {
	if c.Form == nil {
		return c.Detail
	}
	return signature(c.Form()) + c.Detail
}

// A Completer finds candidates for a frame, based on the server's lists.
type Completer struct {
	Handshake client.Handshake
	Lists     map[string]offer.List // lists by the name of the kind
	tools     names
}

func quote(s string) string { return jsonrpc.Quote(s) }

// Methods returns the methods that a client may send in the current protocol version. Methods that
// the server supports are first.
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

// A Text is the text being written: the params of a method, or a whole frame.
type Text struct {
	JSON   string // possibly incomplete
	Method string // method of the params; ignored for a whole frame
	Raw    bool   // a whole frame
	Meta   bool   // the params contain no _meta yet, so it is offered, too
}

// Body returns the candidates at a place of a text.
func (o *Completer) Body(t Text, at Place) []Candidate {
	path, method := at.Path, t.Method
	values := stringsIn(t.JSON)
	prefix := ""
	if t.Raw {
		method, prefix = values["method"], "params/"
		switch {
		case len(path) == 0 && at.Key:
			return keys([]string{"jsonrpc", "id", "method", "params"}, at.siblings)
		case len(path) == 1 && path[0] == "method" && !at.Key:
			return quoted(o.Methods())
		case len(path) == 1 && path[0] == "jsonrpc" && !at.Key:
			return []Candidate{{Text: `"2.0"`, Label: `"2.0"`}}
		case len(path) == 0 || path[0] != "params":
			return nil
		}
		path = path[1:]
	}
	name := values[prefix+"name"]
	switch {
	case at.Key && len(path) == 0:
		return o.paramKeys(method, at.siblings, t.Meta)
	case at.Key && path[0] == "arguments":
		return o.argumentKeys(method, name, path[1:], at.siblings)
	case at.Key || len(path) == 0:
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

// keys returns candidates for the names of members that are missing.
func keys(names, there []string) []Candidate {
	var found []Candidate
	for _, name := range names {
		if !slices.Contains(there, name) {
			found = append(found, Candidate{Text: quote(name), Label: name, After: ": "})
		}
	}
	return found
}

func (o *Completer) paramKeys(method string, there []string, meta bool) []Candidate {
	m, _ := revision.Lookup(method)
	var found []Candidate
	for _, required := range []bool{true, false} {
		for _, member := range m.ParamMembers(o.Handshake.Revision) {
			if member.Required != required || slices.Contains(there, member.Name) || member.Name == "_meta" && !meta {
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
