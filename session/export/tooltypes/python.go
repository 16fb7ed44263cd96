package tooltypes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// python returns the file for Python 3.11 and newer.
func (p *program) python() string {
	var types strings.Builder
	for i := 0; i < len(p.types); i++ { // types nested in a type are appended to the list
		p.pyDeclare(&types, p.types[i])
	}
	var b strings.Builder
	// Python reads the encoding of the file from its first two lines (PEP 263), so no text of the server is there.
	fmt.Fprintf(&b, "# -*- coding: utf-8 -*-\n# Types of the tools of an MCP server, made from its JSON Schemas.\n# Server: %s\n", p.server)
	b.WriteString("from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n")
	b.WriteString(types.String())
	return b.String()
}

// pyDeclare writes a type with a name. A type may refer to types that are declared later, because their names
// are strings.
func (p *program) pyDeclare(b *strings.Builder, d *declared) {
	b.WriteString("\n\n")
	if about := cmp.Or(d.about, d.node.about); about != "" {
		fmt.Fprintf(b, "# %s\n", about)
	}
	switch {
	case d.node.kind != record:
		fmt.Fprintf(b, "%s = %s\n", d.name, p.pyType(d.node, d.name, true))
	case slices.ContainsFunc(d.node.fields, func(f field) bool { return !pyPlain().MatchString(f.name) || slices.Contains(pyWords, f.name) }):
		fmt.Fprintf(b, "%s = TypedDict(\"%s\", {\n", d.name, d.name)
		for _, f := range d.node.fields {
			pyComment(b, f)
			fmt.Fprintf(b, "    %s: %s,\n", pyText(f.name), p.pyField(f, d.name, true))
		}
		b.WriteString("})\n")
	default:
		fmt.Fprintf(b, "class %s(TypedDict):\n", d.name)
		for _, f := range d.node.fields {
			pyComment(b, f)
			fmt.Fprintf(b, "    %s: %s\n", f.name, p.pyField(f, d.name, false))
		}
		if len(d.node.fields) == 0 {
			b.WriteString("    pass\n")
		}
	}
}

var (
	pyPlain   = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]*$`) // Python changes names with two underscores in a class
	pyInteger = lazyregexp.New(`^-?\d+$`)
)

var pyWords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally for
	from global if import in is lambda nonlocal not or pass raise return try while with yield`)

func pyComment(b *strings.Builder, f field) {
	if f.node.about != "" {
		fmt.Fprintf(b, "    # %s\n", f.node.about)
	}
}

// pyText returns a literal.
func pyText(s string) string { return strconv.QuoteToASCII(s) }

// pyField returns the type of a field. evaluated reports whether Python evaluates it when it loads the file, so
// that a name must be a string.
func (p *program) pyField(f field, owner string, evaluated bool) string {
	t := p.pyType(f.node, owner+identifier(f.name), evaluated)
	if !f.required {
		return "NotRequired[" + t + "]"
	}
	return t
}

var pyTypes = map[kind]string{anything: "Any", null: "None", boolean: "bool", integer: "int", number: "float", text: "str"}

// pyType returns a type. A record gets the given name, or a free one if that is taken.
func (p *program) pyType(n *node, name string, evaluated bool) string {
	switch n.kind {
	case literal:
		return pyLiteral(n)
	case list:
		return "list[" + p.pyType(n.parts[0], name+"Item", evaluated) + "]"
	case mapping:
		return "dict[str, " + p.pyType(n.parts[0], name+"Value", evaluated) + "]"
	case union:
		all := make([]string, len(n.parts))
		for i, part := range n.parts {
			all[i] = p.pyType(part, name, evaluated)
		}
		return "Union[" + strings.Join(all, ", ") + "]"
	case record:
		d := &declared{name: p.unique(name), node: n}
		p.types = append(p.types, d)
		return pyName(d, evaluated)
	case named:
		return pyName(n.ref, evaluated)
	}
	return pyTypes[n.kind]
}

func pyName(d *declared, evaluated bool) string {
	if evaluated {
		return `"` + d.name + `"`
	}
	return d.name
}

func pyLiteral(n *node) string {
	all := make([]string, len(n.values))
	for i, v := range n.values {
		switch s, isText := jsonrpc.Unquote(v); {
		case isText:
			all[i] = pyText(s)
		case string(v) == "true":
			all[i] = "True"
		case string(v) == "false":
			all[i] = "False"
		case string(v) == "null":
			all[i] = "None"
		case pyInteger().Match(v):
			all[i] = string(v)
		default:
			return "Any" // a Literal contains no fractions and no objects
		}
	}
	return "Literal[" + strings.Join(all, ", ") + "]"
}
