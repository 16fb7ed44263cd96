package lint

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint/shape"
)

// SchemaPlace describes places in the official schemas. A rule with such places needs no function.
// If a message differs from the schema at one of them, the rule's texts report it.
type SchemaPlace struct {
	// At lists the places. A place is a member of a definition, such as "Tool.name" or
	// "tools/call.params.arguments", an element, such as "PromptMessage.content[]", or a value with
	// any name, such as "Tool.properties{}". One * matches any names. If At is empty, the rule is
	// about all places that no other rule has reported.
	At []string `json:"at"`
	// Problems lists kinds of faults: "type", "null" for an optional member, "missing" and "value".
	// If it is empty, all kinds count.
	Problems []string `json:"problems"`
	Expected string   `json:"expected"` // what the schema must expect there, such as "an object"; if empty, anything
	In       string   `json:"in"`       // params or result to which the place is limited, such as "tools/list.result"
	Fix      string   `json:"fix"`      // fix at this place, instead of the fix of the rule
}

// problems maps the kinds of faults to their names in [SchemaPlace].
var problems = map[shape.Problem]string{shape.WrongType: "type", shape.Null: "null", shape.Missing: "missing", shape.WrongValue: "value"}

// place returns the place of the rule that matches a fault, or nil.
func (e *Entry) place(f *shape.Fault) *SchemaPlace {
	i := slices.IndexFunc(e.Places, func(p SchemaPlace) bool {
		return (p.Problems == nil || slices.Contains(p.Problems, problems[f.Problem])) &&
			(p.Expected == "" || p.Expected == f.Expected) && (p.In == "" || p.In == f.In) &&
			(p.At == nil || slices.ContainsFunc(p.At, func(pattern string) bool { return isLike(f.At, pattern) }))
	})
	if i < 0 {
		return nil
	}
	return &e.Places[i]
}

// isLike reports whether a place matches a pattern. One * in the pattern matches any names.
func isLike(at, pattern string) bool {
	before, after, isPattern := strings.Cut(pattern, "*")
	if !isPattern {
		return at == pattern
	}
	return len(at) >= len(before)+len(after) && strings.HasPrefix(at, before) && strings.HasSuffix(at, after) &&
		!strings.ContainsAny(at[len(before):len(at)-len(after)], "[{")
}

// late is a value for a text. It is computed only if the text contains it.
type late func() any

// String implements [fmt.Stringer].
func (l late) String() string { return fmt.Sprint(l()) }

// reportFault reports a fault, with the values for texts about the schemas.
func (c *Context) reportFault(p *SchemaPlace, f *shape.Fault) {
	c.fix = p.Fix
	at := AtPointer(f.Path)
	or := ""
	if !f.Required && f.Problem == shape.WrongType {
		or = ", or leave `" + f.Member + "` out"
	}
	kind := KindOf(f.Value)
	if strings.HasSuffix(f.At, "[]") {
		kind = "an array with " + kind
	}
	requires, revision := "all protocol versions require", "MCP"
	if r := c.M.Revision; r != "" {
		requires, revision = "protocol version "+string(r)+" requires", string(r)
	}
	c.About(c.M.Sender().String()+" "+f.Of+" "+f.Place).Report(at,
		"place", late(func() any { return c.M.placeOf(f) }), "member", Escaped(f.Member), "expected", f.Expected, "or", or, "requires", requires, "version", revision,
		"got", late(func() any { return shown(f) }), "kind", kind, "path", late(func() any { return DottedPath(f.Path) }),
		"fault", late(func() any { return DottedPath(f.Path) + " " + Wrong(f) }), "wrong", late(func() any { return Wrong(f) }), "index", late(func() any { return numberOf(f.Path) }),
		"name", late(func() any { return c.M.nameAround(f.Path) }))
}

// shown describes a value by its first token.
func shown(f *shape.Fault) string {
	switch kind := jsonrpc.TypeOf(f.Value); {
	case kind == "":
		return "none"
	case kind == "object" || kind == "array":
		return KindOf(f.Value)
	case kind == "string" && f.Problem == shape.WrongType:
		return "the string " + ShownValue(f.Value)
	case kind == "string":
		return ShownValue(f.Value)
	case kind == "number":
		return "the number " + Escaped(f.Value)
	}
	return Escaped(f.Value)
}

// Wrong describes a fault, such as "is missing" or "is a string and not an object".
func Wrong(f *shape.Fault) string {
	switch f.Problem {
	case shape.Missing:
		return "is missing"
	case shape.WrongValue:
		return "is " + shown(f) + " and not " + f.Expected
	default:
		return "is " + KindOf(f.Value) + " and not " + f.Expected
	}
}

// DottedPath returns a JSON Pointer in dotted form, relative to params or the result, such as
// "messages[0].role".
func DottedPath(path string) string {
	parts := jsonrpc.SplitPointer(path)
	if len(parts) > 1 {
		parts = parts[1:]
	}
	text := Escaped(parts[0])
	for _, part := range parts[1:] {
		if isIndex(part) {
			text += "[" + part + "]"
		} else {
			text += "." + Escaped(part)
		}
	}
	return text
}

// numberOf returns the 1-based number of the list element that is at a path or around it, or 1
// outside of a list.
func numberOf(path string) int {
	parts := jsonrpc.SplitPointer(path)
	for _, part := range slices.Backward(parts[max(0, len(parts)-2):]) {
		if isIndex(part) {
			n := 0
			_, _ = fmt.Sscan(part, &n)
			return n + 1
		}
	}
	return 1
}

// placeOf describes the place of a fault. If the object has a name, the description contains it:
// "`inputSchema` of the tool "sum"" instead of "of a tool".
func (m *Message) placeOf(f *shape.Fault) string {
	before, kind, isOne := strings.Cut(f.Place, " of a ")
	if !isOne || !slices.Contains(named, kind) {
		return f.Place
	}
	around := m.Bytes
	parts := jsonrpc.SplitPointer(f.Path)
	for _, part := range parts[:len(parts)-1] {
		around = childOf(around, part)
	}
	name := jsonrpc.Text(around, "name")
	if name == "" {
		return f.Place
	}
	return before + " of the " + kind + ` "` + Escaped(name) + `"`
}

// named lists the definitions of objects whose names users know.
var named = []string{"tool", "prompt", "prompt argument", "resource", "resource template"}

// nameAround returns the name of the innermost named object around a path.
func (m *Message) nameAround(path string) string {
	value, name := m.Bytes, ""
	for _, part := range jsonrpc.SplitPointer(path) {
		if text := jsonrpc.Text(value, "name"); text != "" {
			name = text
		}
		value = childOf(value, part)
	}
	if name == "" {
		return "without a name"
	}
	return Escaped(name)
}

// childOf returns a member or an element of a value, or nil.
func childOf(value []byte, part string) []byte {
	if jsonrpc.TypeOf(value) != "array" {
		return jsonrpc.Get(value, part)
	}
	for i, element := range Indexed(value) {
		if fmt.Sprint(i) == part {
			return element
		}
	}
	return nil
}
