package paramheader

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
)

// Prefix is the prefix of the header names.
const Prefix = "Mcp-Param-"

// annotation is the keyword in a schema.
const annotation = "x-mcp-header"

// Param is an argument that is mirrored in a header.
type Param struct {
	Header string   // without the prefix, in the case of the server
	Path   []string // names of properties, from the root of the arguments
}

// Fault is an invalid annotation, which makes the tool invalid over HTTP.
type Fault struct {
	path    string // path in the schema, such as "properties.region"
	Pointer string // the same as a JSON Pointer (RFC 6901)
	reason  string // a verb phrase for the annotation
	Rule    Rule
	Got     []byte // the raw value that is wrong: the name, or of BadType the type, or nil
}

// Rule is a rule for x-mcp-header annotations.
type Rule uint8

// The rules.
const (
	BadName   Rule = iota + 1 // not a valid name of a header
	TakenName                 // another annotation has the same name
	BadType                   // the type of the property cannot be sent in a header
	BadPlace                  // not on a property that is reachable only through the keyword properties
)

// location is a place in the schema, written in two ways.
type location struct{ path, pointer string }

func (s location) member(name string) location {
	path := name
	if s.path != "" {
		path = s.path + "." + name
	}
	return location{path, s.pointer + "/" + jsonrpc.EscapePointer(name)}
}

func (s location) element(i int) location {
	return location{fmt.Sprintf("%s[%d]", s.path, i), fmt.Sprintf("%s/%d", s.pointer, i)}
}

// Error names the place and the rule.
func (f *Fault) Error() string {
	return fmt.Sprintf("the x-mcp-header at %s %s", f.path, f.reason)
}

// maxDepth bounds how deep a schema is read.
const maxDepth = 64

// Read returns the annotated arguments of a tool in the order of the schema. The error
// is a *[Fault] for the first invalid annotation. References ($ref) are not followed.
func Read(inputSchema []byte) ([]Param, error) {
	r := reader{taken: map[string]string{}}
	r.schema(inputSchema, nil, location{}, 0)
	if r.fault != nil {
		return nil, r.fault
	}
	return r.params, nil
}

type reader struct {
	params []Param
	taken  map[string]string // place at which a header's name was first used, by the name in lower case
	fault  *Fault
}

// schema reads a schema that is reached only through properties.
func (r *reader) schema(schema []byte, path []string, at location, depth int) {
	if r.fault != nil || depth > maxDepth || len(schema) == 0 || schema[0] != '{' {
		return
	}
	if header, ok := jsonrpc.Member(schema, annotation); ok {
		r.annotation(schema, header, path, at)
	}
	for name, value := range jsonrpc.Members(schema) {
		keyword := at.member(string(name))
		if string(name) != "properties" {
			if string(name) != annotation && !isData(string(name)) {
				r.rejectNested(value, keyword, depth+1)
			}
			continue
		}
		for property, sub := range jsonrpc.Members(value) {
			r.schema(sub, append(slices.Clone(path), string(property)), keyword.member(string(property)), depth+1)
		}
	}
}

// isData reports whether the value of a keyword is data and not a schema.
func isData(keyword string) bool {
	switch keyword {
	case "default", "examples", "const", "enum", "description", "title", "required":
		return true
	}
	return false
}

// rejectNested fails for annotations in other places, such as array items or anyOf,
// whose values need not exist.
func (r *reader) rejectNested(value []byte, at location, depth int) {
	if r.fault != nil || depth > maxDepth || len(value) == 0 {
		return
	}
	switch value[0] {
	case '{':
		for name, sub := range jsonrpc.Members(value) {
			if string(name) == annotation {
				r.fail(BadPlace, at, sub, "is not on a property that is reachable only through properties")
				return
			}
			if !isData(string(name)) {
				r.rejectNested(sub, at.member(string(name)), depth+1)
			}
		}
	case '[':
		i := 0
		for sub := range jsonrpc.Elements(value) {
			r.rejectNested(sub, at.element(i), depth+1)
			i++
		}
	}
}

func (r *reader) annotation(schema, header []byte, path []string, at location) {
	name, ok := jsonrpc.Unquote(header)
	where := at
	if where.path == "" {
		where.path = "the root"
	}
	kind, _ := jsonrpc.Member(schema, "type")
	lower := strings.ToLower(name)
	switch {
	case !ok:
		r.fail(BadName, where, header, fmt.Sprintf("is %s, not a string", header))
	case len(path) == 0:
		r.fail(BadPlace, where, header, "is not on a property")
	case name == "":
		r.fail(BadName, where, header, "is empty")
	case !mcphttp.IsToken(name):
		r.fail(BadName, where, header, fmt.Sprintf("is %q, which is not a valid name of an HTTP header", name))
	case !isPrimitive(kind):
		r.fail(BadType, where, kind, fmt.Sprintf("is on a property of type %s; the type must be string, integer or boolean", orNothing(kind)))
	case r.taken[lower] != "":
		r.fail(TakenName, where, header, fmt.Sprintf("is %q, the same as at %s", name, r.taken[lower]))
	default:
		r.taken[lower] = where.path
		r.params = append(r.params, Param{Header: name, Path: path})
	}
}

func (r *reader) fail(rule Rule, at location, got []byte, reason string) {
	if r.fault == nil {
		r.fault = &Fault{path: at.path, Pointer: at.pointer, reason: reason, Rule: rule, Got: bytes.Clone(got)}
	}
}

func orNothing(kind []byte) string {
	if kind == nil {
		return "unknown"
	}
	return string(kind)
}

func isPrimitive(kind []byte) bool {
	return jsonrpc.IsText(kind, "string") || jsonrpc.IsText(kind, "integer") || jsonrpc.IsText(kind, "boolean")
}

// Value returns the value for the header from the arguments of a call, not yet
// encoded for HTTP. ok is false for an argument that is absent or null, and for
// arrays and objects.
func (p Param) Value(arguments []byte) (string, bool) {
	value, ok := jsonrpc.Member(arguments, p.Path[0], p.Path[1:]...)
	if !ok || len(value) == 0 {
		return "", false
	}
	switch value[0] {
	case '"':
		return jsonrpc.Unquote(value)
	case 't', 'f':
		return string(value), true
	case 'n', '{', '[':
		return "", false
	}
	return integer(string(value)), true
}

// integer formats an integer in decimal, as the header requires: 42 for 42.0 and for
// 4.2e1. Other numbers, and integers beyond 2⁵³−1, stay unchanged.
func integer(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	const maxSafe = 1<<53 - 1
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxSafe {
		return text
	}
	return strconv.FormatInt(int64(f), 10)
}
