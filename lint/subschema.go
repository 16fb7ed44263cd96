package lint

import (
	"errors"
	"fmt"
	"iter"
	"regexp/syntax"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// The bounds of [Subschemas].
const (
	maxSchemaDepth = 32
	maxSubschemas  = 2000
)

// Subschemas calls visit for a JSON Schema and each of its subschemas, with the place. It stops
// when visit returns true.
func Subschemas(schema []byte, visit func(schema []byte, path []any) bool) {
	left := maxSubschemas
	subschemas(schema, nil, &left, visit)
}

func subschemas(schema []byte, path []any, left *int, visit func([]byte, []any) bool) (done bool) {
	if *left--; jsonrpc.TypeOf(schema) != "object" || *left < 0 || len(path) > 2*maxSchemaDepth {
		return false
	}
	if visit(schema, path) {
		return true
	}
	below := func(value []byte, more ...any) bool {
		return subschemas(value, append(slices.Clip(path), more...), left, visit)
	}
	for name, value := range jsonrpc.Members(schema) {
		switch keyword := string(name); keyword {
		case "properties", "patternProperties", "$defs", "definitions":
			for property, inner := range jsonrpc.Members(value) {
				if below(inner, keyword, string(property)) {
					return true
				}
			}
		case "items", "additionalProperties":
			if below(value, keyword) {
				return true
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for k, inner := range Indexed(value) {
				if below(inner, keyword, k) {
					return true
				}
			}
		}
	}
	return false
}

// limits lists pairs of keywords. The value of the first must not be greater than the value of the
// second (JSON Schema 2020-12, Validation §6).
var limits = [][2]string{
	{"minimum", "maximum"},
	{"exclusiveMinimum", "maximum"},
	{"minimum", "exclusiveMaximum"},
	{"exclusiveMinimum", "exclusiveMaximum"},
	{"minLength", "maxLength"},
	{"minItems", "maxItems"},
	{"minProperties", "maxProperties"},
}

// Contradiction returns the place of a keyword in the schema or a subschema that no value of the
// schema's type can match, and the reason, or "".
func Contradiction(schema []byte) (path []any, why string) {
	Subschemas(schema, func(s []byte, at []any) bool {
		keyword := ""
		if keyword, why = contradiction(s); why != "" {
			path = append(slices.Clone(at), keyword)
		}
		return why != ""
	})
	return path, why
}

func contradiction(schema []byte) (keyword, why string) {
	values := map[string][]byte{}
	for name, value := range jsonrpc.Members(schema) {
		switch string(name) {
		case "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "type", "enum", "const":
			values[string(name)] = value
		}
	}
	if pattern, ok := jsonrpc.Unquote(values["pattern"]); ok && isBroken(pattern) {
		return "pattern", "the pattern " + Quoted(pattern) + " is not a regular expression"
	}
	if keyword, why := noValueOfType(values["type"], values["enum"], values["const"]); why != "" {
		return keyword, why
	}
	for _, l := range limits {
		low, isLow := Number(values[l[0]])
		high, isHigh := Number(values[l[1]])
		exclusive := strings.HasPrefix(l[0], "exclusive") || strings.HasPrefix(l[1], "exclusive")
		if isLow && isHigh && (low > high || exclusive && low == high) {
			return l[0], fmt.Sprintf("%s is %s and %s is %s", l[0], Escaped(values[l[0]]), l[1], Escaped(values[l[1]]))
		}
	}
	return "", ""
}

// noValueOfType returns the keyword, "enum" or "const", if it permits no value of the schema's
// type, and the reason. Another rule reports invalid keywords.
func noValueOfType(types, enum, constant []byte) (keyword, why string) {
	if types == nil {
		return "", ""
	}
	keyword, values := "enum", slices.Collect(jsonrpc.Elements(enum))
	if constant != nil {
		keyword, values = "const", [][]byte{constant}
	}
	if len(values) == 0 {
		return "", ""
	}
	for _, v := range values {
		if HasType(types, v) {
			return "", ""
		}
	}
	var names []string
	for name := range alternatives(types) {
		names = append(names, Escaped(name))
	}
	return keyword, fmt.Sprintf("type is %s, but no value of %s has it", strings.Join(names, " or "), keyword)
}

// HasType reports whether a value has a type that the schema names. If the type is unknown, every
// value has it, because another rule reports the schema.
func HasType(types, value []byte) bool {
	for name := range alternatives(types) {
		switch name {
		case "integer":
			if IsInteger(value) {
				return true
			}
		case "array", "boolean", "null", "number", "object", "string":
			if name == jsonrpc.TypeOf(value) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// alternatives yields the names in the type of a schema, which is a name or an array of names.
func alternatives(types []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		if jsonrpc.TypeOf(types) != "array" {
			name, _ := jsonrpc.Unquote(types)
			yield(name)
			return
		}
		for one := range jsonrpc.Elements(types) {
			if name, _ := jsonrpc.Unquote(one); !yield(name) {
				return
			}
		}
	}
}

// isBroken reports whether a text is an invalid regular expression in every dialect. Go's syntax differs from
// ECMA-262, which JSON Schema uses, so only faults such as unbalanced brackets count.
func isBroken(pattern string) bool {
	var fault *syntax.Error
	if _, err := syntax.Parse(pattern, syntax.Perl); !errors.As(err, &fault) {
		return false
	}
	switch fault.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrTrailingBackslash, syntax.ErrMissingRepeatArgument:
		return true
	case syntax.ErrMissingBracket: // ECMA-262 has empty classes
		return !strings.Contains(pattern, "[]") && !strings.Contains(pattern, "[^]")
	}
	return false
}
