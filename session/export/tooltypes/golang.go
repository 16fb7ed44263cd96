package tooltypes

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// golang returns the file for Go.
func (p *program) golang() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package tools has the types of the tools of %s. They were made from the JSON Schemas of the server.\npackage tools\n", p.server)
	for i := 0; i < len(p.types); i++ { // types nested in a type are appended to the list
		p.goDeclare(&b, p.types[i])
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return b.String()
	}
	return string(source)
}

func (p *program) goDeclare(b *bytes.Buffer, d *declared) {
	b.WriteString("\n")
	if about := cmp.Or(d.about, d.node.about); about != "" {
		fmt.Fprintf(b, "// %s: %s\n", d.name, about)
	}
	n, _ := d.node.base()
	switch {
	case n.kind == literal && len(goTexts(n)) > 0:
		fmt.Fprintf(b, "type %s string\n\n// The values of %s.\nconst (\n", d.name, d.name)
		for _, v := range goTexts(n) {
			fmt.Fprintf(b, "%s %s = %s\n", p.unique(d.name+identifier(v)), d.name, strconv.Quote(v))
		}
		b.WriteString(")\n")
	case n.kind == record:
		fmt.Fprintf(b, "type %s %s\n", d.name, p.goStruct(n, d.name))
	default:
		fmt.Fprintf(b, "type %s %s\n", d.name, p.goType(n, d.name))
	}
}

// goTexts returns the values of a literal without null, or nil if one of them is not a string.
func goTexts(n *node) (all []string) {
	for _, v := range n.values {
		s, isText := jsonrpc.Unquote(v)
		switch {
		case isText:
			all = append(all, s)
		case string(v) != "null":
			return nil
		}
	}
	return all
}

// goTag matches the names that a tag of encoding/json can have.
var goTag = lazyregexp.New(`^[\pL\pN!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$`)

func (p *program) goStruct(n *node, name string) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	members := newNames()
	for _, f := range n.fields {
		if f.node.about != "" {
			fmt.Fprintf(&b, "// %s\n", f.node.about)
		}
		if !goTag().MatchString(f.name) || f.name == "-" {
			fmt.Fprintf(&b, "// %s cannot be the name of a member for encoding/json.\n", strconv.QuoteToASCII(f.name))
			p.loose++
			continue
		}
		member := members.unique(identifier(f.name))
		t, tag := p.goType(f.node, name+member), f.name
		if _, canBeNull := f.node.base(); (canBeNull || !f.required) && !strings.HasPrefix(t, "[]") && !strings.HasPrefix(t, "map[") && t != "any" {
			t = "*" + t
		}
		if !f.required {
			tag += ",omitempty"
		}
		fmt.Fprintf(&b, "%s %s `json:%s`\n", member, t, strconv.Quote(tag))
	}
	return b.String() + "}"
}

var goTypes = map[kind]string{anything: "any", null: "any", boolean: "bool", integer: "int64", number: "float64", text: "string"}

// goType returns a type without null. A record or a list of values gets the given name, or a free one if that
// is taken.
func (p *program) goType(n *node, name string) string {
	n, _ = n.base()
	switch n.kind {
	case list:
		return "[]" + p.goType(n.parts[0], name+"Item")
	case mapping:
		return "map[string]" + p.goType(n.parts[0], name+"Value")
	case literal:
		if len(goTexts(n)) == 0 {
			return goOfValues(n)
		}
		fallthrough
	case record:
		d := &declared{name: p.unique(name), node: n}
		p.types = append(p.types, d)
		return d.name
	case union:
		p.loose++
		return "any"
	case named:
		return n.ref.name
	}
	return goTypes[n.kind]
}

// goOfValues returns the type of values that are not texts.
func goOfValues(n *node) string {
	t := ""
	for _, v := range n.values {
		one := map[string]string{"boolean": "bool", "number": "float64"}[jsonrpc.TypeOf(v)]
		if one == "" || t != "" && t != one {
			return "any"
		}
		t = one
	}
	return t
}
