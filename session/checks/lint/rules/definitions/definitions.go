// Package definitions has the rules of the family D: a net below the others. Each message is
// compared with the definition of the official schema of its protocol version; of what
// differs, and of which no other rule has spoken, they report one finding for each member of
// a definition.
package definitions

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/lint/shape"
)

// Rules are the rules of the family.
var Rules = []lint.Rule{
	rule("D001", shape.WrongType),
	rule("D002", shape.Missing),
	rule("D003", shape.WrongValue),
	rule("D004", shape.Null),
}

func rule(id string, p shape.Problem) lint.Rule {
	return lint.Rule{ID: id, Limit: lint.OncePerSubject, Differs: func(c *lint.Context) {
		if c.Fault.Problem == p {
			report(c)
		}
	}}
}

func report(c *lint.Context) {
	f := c.Fault
	requires := "all protocol versions require"
	if r := c.M.Revision; r != "" {
		requires = "protocol version " + string(r) + " requires"
	}
	or := ""
	if !f.Required && f.Problem == shape.WrongType {
		or = ", or leave `" + f.Member + "` out"
	}
	c.About(c.M.Sender().String()+" "+f.Of+" "+f.Place).Report(lint.AtPointer(f.Path),
		"place", f.Place, "member", lint.Escaped(f.Member), "expected", f.Expected, "or", or,
		"got", shown(f), "requires", requires)
}

// shown is the value by its first token, in words.
func shown(f *shape.Fault) string {
	switch kind := jsonrpc.TypeOf(f.Value); {
	case kind == "object" || kind == "array":
		return lint.KindOf(f.Value)
	case kind == "string" && f.Problem == shape.WrongType:
		return "the string " + lint.ShownValue(f.Value)
	case kind == "string":
		return lint.ShownValue(f.Value)
	case kind == "number":
		return "the number " + lint.Escaped(f.Value)
	}
	return lint.Escaped(f.Value)
}
