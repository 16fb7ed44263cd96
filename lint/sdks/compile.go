package sdks

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema"
)

// maxDepth bounds the levels of a schema that are examined.
const maxDepth = 48

// nested maps keywords whose values contain compiled schemas to whether the value is an object of schemas.
// Definitions are compiled when a reference leads to them.
var nested = map[string]bool{
	"properties": true, "patternProperties": true, "dependencies": true,
	"allOf": false, "anyOf": false, "oneOf": false, "items": false, "additionalItems": false, "additionalProperties": false,
	"contains": false, "propertyNames": false, "not": false, "if": false, "then": false, "else": false,
}

// compile examines the parts of a schema that the SDK compiles before it accepts the list.
func (f *finder) compile(path string, raw []byte) {
	f.refs, f.seen = schema.NewReferences(raw), map[string]bool{}
	f.schema(path, raw, 0)
}

// schema examines a schema and its subschemas.
func (f *finder) schema(path string, raw []byte, depth int) {
	if depth > maxDepth || len(f.faults) == maxFaults || jsonrpc.TypeOf(raw) != "object" {
		return
	}
	for key, value := range jsonrpc.Members(raw) {
		keyword := string(key)
		at := path + "/" + jsonrpc.EscapePointer(keyword)
		if r, ok := f.sdk.keywords[keyword]; ok && !f.keyword(&r, at, raw, value, depth) {
			continue
		}
		named, ok := nested[keyword]
		switch kind := jsonrpc.TypeOf(value); {
		case !ok:
		case kind == "array":
			i := 0
			for element := range jsonrpc.Elements(value) {
				f.schema(at+"/"+strconv.Itoa(i), element, depth+1)
				i++
			}
		case named:
			for name, element := range jsonrpc.Members(value) {
				f.schema(at+"/"+jsonrpc.EscapePointer(string(name)), element, depth+1)
			}
		default:
			f.schema(at, value, depth+1)
		}
	}
}

// keyword checks the value of a keyword. It returns false if the SDK rejects the value.
func (f *finder) keyword(r *requirement, path string, in, value []byte, depth int) bool {
	before := len(f.faults)
	if f.check(r, path, value); len(f.faults) > before {
		return false
	}
	refuse := func(found, wants string) bool {
		f.add(path, found, wants, false)
		return false
	}
	switch r.Keyword {
	case "type": // list of types
		for element := range jsonrpc.Elements(value) {
			if !slices.Contains(r.Values, text(element)) {
				return refuse(shown(element), "the name of a type")
			}
		}
	case "enum":
		for range jsonrpc.Elements(value) {
			return true
		}
		return refuse("an empty array", "an array with a value")
	case "pattern":
		if !isUnicodeRegExp(jsonrpc.Text(in, r.Keyword)) {
			return refuse(shown(value), "a regular expression of ECMAScript with the flag u")
		}
	case "$ref":
		ref := jsonrpc.Text(in, r.Keyword)
		target, ok := f.refs.Follow(ref)
		_, ends := f.refs.Chain(in)
		switch {
		case !ok && (strings.HasPrefix(ref, "#/") || !f.hasID()) && !strings.HasPrefix(ref, "http://json-schema.org/draft-07/schema"):
			return refuse(shown(value), "a reference to a part of the schema")
		case ok && !ends:
			return refuse(shown(value), "a reference with an end: it leads back to itself")
		case ok && !f.seen[ref]:
			f.seen[ref] = true
			f.schema("/outputSchema"+strings.TrimPrefix(ref, "#"), target, depth+1)
		}
	case "nullable":
		if _, ok := jsonrpc.Member(in, "type"); !ok {
			return refuse("nullable without type", "a type")
		}
	}
	return true
}

// hasID reports whether a schema has parts with their own names, which references can point to.
func (f *finder) hasID() bool {
	root, _ := f.refs.Follow("#")
	return bytes.Contains(root, []byte(`"$id"`)) || bytes.Contains(root, []byte(`"$anchor"`))
}

// inlineFlags matches group syntax that Go has and ECMAScript lacks.
var inlineFlags = lazyregexp.New(`\(\?(?:P[<=>]|[a-zA-Z]+[:)]|#)`)

// isUnicodeRegExp reports whether a pattern may be valid in ECMAScript with the flag u (ECMA-262 22.2.1). It
// returns false only for patterns that are certainly invalid.
func isUnicodeRegExp(pattern string) bool {
	if _, err := regexp.Compile(pattern); err != nil {
		var e *syntax.Error
		if errors.As(err, &e) {
			switch e.Code {
			case syntax.ErrMissingParen, syntax.ErrMissingBracket, syntax.ErrUnexpectedParen, syntax.ErrTrailingBackslash, syntax.ErrInvalidCharRange, syntax.ErrMissingRepeatArgument:
				return false
			}
		}
	}
	if inlineFlags().MatchString(pattern) {
		return false
	}
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			known := strings.IndexByte(`^$\.*+?()[]{}|/dDwWsSbBtnvrf0123456789cxuUpPk`, pattern[i]) >= 0 && pattern[i] != 'U'
			if !known && (!class || pattern[i] != '-') {
				return false
			}
		case c == '[' && !class:
			class = true
		case c == ']' && class:
			class = false
		}
	}
	return true
}
