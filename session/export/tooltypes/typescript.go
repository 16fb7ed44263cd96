package tooltypes

import (
	"cmp"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// typeScript returns the file for TypeScript.
func (p *program) typeScript() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Types of the tools of %s. They were made from the JSON Schemas of the server.\n", p.server)
	for _, d := range p.types {
		b.WriteString("\n")
		tsComment(&b, "", cmp.Or(d.about, d.node.about))
		if d.node.kind == record {
			fmt.Fprintf(&b, "export interface %s %s\n", d.name, tsType(d.node, ""))
		} else {
			fmt.Fprintf(&b, "export type %s = %s;\n", d.name, tsType(d.node, ""))
		}
	}
	b.WriteString("\n/** The arguments and the structured results of each tool, by its name. */\nexport interface Tools {\n")
	for _, t := range p.tools {
		tsComment(&b, "  ", line(t.about))
		result := "undefined"
		if t.result != nil {
			result = t.result.name
		}
		fmt.Fprintf(&b, "  %s: { arguments: %s; result: %s };\n", tsName(t.name), t.arguments.name, result)
	}
	b.WriteString("}\n")
	return b.String()
}

// tsComment writes a comment, if there is a text.
func tsComment(b *strings.Builder, indent, about string) {
	if about != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(about, "*/", "* /"))
	}
}

var tsPlain = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// tsName returns the name of a member.
func tsName(name string) string {
	if tsPlain().MatchString(name) {
		return name
	}
	return tsText(name)
}

// tsText returns a literal of ASCII.
func tsText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r > '~':
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

var tsWords = map[kind]string{anything: "unknown", null: "null", boolean: "boolean", integer: "number", number: "number", text: "string"}

func tsType(n *node, indent string) string {
	switch n.kind {
	case literal:
		all := make([]string, len(n.values))
		for i, v := range n.values {
			switch s, isText := jsonrpc.Unquote(v); {
			case isText:
				all[i] = tsText(s)
			case strings.ContainsAny(string(v[:1]), "{["):
				all[i] = "unknown"
			default:
				all[i] = string(v)
			}
		}
		return strings.Join(all, " | ")
	case list:
		element := tsType(n.parts[0], indent)
		if strings.Contains(element, " | ") && n.parts[0].kind != record {
			element = "(" + element + ")"
		}
		return element + "[]"
	case record:
		if len(n.fields) == 0 {
			return "{}"
		}
		var b strings.Builder
		b.WriteString("{\n")
		for _, f := range n.fields {
			tsComment(&b, indent+"  ", f.node.about)
			optional := "?"
			if f.required {
				optional = ""
			}
			fmt.Fprintf(&b, "%s  %s%s: %s;\n", indent, tsName(f.name), optional, tsType(f.node, indent+"  "))
		}
		return b.String() + indent + "}"
	case mapping:
		return "Record<string, " + tsType(n.parts[0], indent) + ">"
	case union:
		all := make([]string, len(n.parts))
		for i, part := range n.parts {
			all[i] = tsType(part, indent)
		}
		return strings.Join(all, " | ")
	case named:
		return n.ref.name
	}
	return tsWords[n.kind]
}
