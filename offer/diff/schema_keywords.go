package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// schemaLimits lists the keywords whose value is a smallest or a largest number.
var schemaLimits = []string{
	"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains",
	"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains",
}

// isUpper reports whether a limit is a maximum.
func isUpper(limit string) bool { return strings.Contains(strings.ToLower(limit), "max") }

// limits compares minimums and maximums.
func (c *schemaComparison) limits(path string, old, now []byte) {
	for _, name := range schemaLimits {
		a, b := jsonrpc.Get(old, name), jsonrpc.Get(now, name)
		at := path + "/" + name
		switch {
		case a == nil && b == nil || jsonrpc.Equal(a, b):
		case a == nil:
			c.add(at, narrower, "%s %s was added", name, shortValue(b))
		case b == nil:
			c.add(at, wider, "%s %s was removed", name, shortValue(a))
		default:
			var x, y float64
			if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
				c.opaque(path, name, a, b)
				continue
			}
			if x == y {
				continue
			}
			e := wider
			if (y > x) != isUpper(name) {
				e = narrower
			}
			c.add(at, e, "%s was %s and is %s", name, shortValue(a), shortValue(b))
		}
	}
}

// alternatives compares anyOf, oneOf and allOf.
func (c *schemaComparison) alternatives(path string, old, now []byte) {
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		a, b := elementsOf(jsonrpc.Get(old, name)), elementsOf(jsonrpc.Get(now, name))
		at := path + "/" + name
		if len(a) == 0 && len(b) == 0 {
			continue
		}
		gone, come := missing(a, b), missing(b, a)
		removed, added := narrower, wider
		if name == "allOf" || len(a) == 0 || len(b) == 0 {
			removed, added = wider, narrower // a condition less, a condition more
		}
		if len(gone) == len(come) && len(a) == len(b) {
			for i := range a {
				c.schema(fmt.Sprintf("%s/%d", at, i), a[i], b[i])
			}
			continue
		}
		what := "alternative"
		if name == "allOf" {
			what = "condition"
		}
		for range gone {
			c.add(at, removed, "a schema of %s was removed (%s)", name, what)
		}
		for range come {
			c.add(at, added, "a schema of %s was added (%s)", name, what)
		}
	}
}

// missing returns the values that another list does not have.
func missing(list, other [][]byte) [][]byte {
	has := make(map[uint64]bool, len(other))
	for _, v := range other {
		hash, _ := jsonrpc.Hash(v)
		has[hash] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(v []byte) bool {
		hash, _ := jsonrpc.Hash(v)
		return has[hash]
	})
}

// opaque compares a keyword whose effect is not analyzed.
func (c *schemaComparison) opaque(path, name string, old, now []byte) {
	at := path + "/" + name
	switch {
	case old == nil && now == nil || jsonrpc.Equal(old, now):
	case old == nil:
		c.add(at, narrower, "%s was added", name)
	case now == nil:
		c.add(at, wider, "%s was removed", name)
	default:
		c.add(at, either, "%s changed from %s to %s", name, shortValue(old), shortValue(now))
	}
}

// The treatment of keywords that have no method of their own.
var (
	// comparedKeywords lists the keywords that are compared by their own methods, which keywords calls before
	// rest, or by following references.
	comparedKeywords = slices.Concat(schemaLimits, []string{
		"type", "enum", "const", "required", "properties", "additionalProperties", "items", "prefixItems", "uniqueItems", "anyOf", "oneOf", "allOf",
		"$ref", "$defs", "definitions",
	})
	// opaqueKeywords lists keywords of JSON Schema (2020-12 and earlier) and of OpenAPI 3.0 whose effect is not
	// analyzed.
	opaqueKeywords = []string{
		"multipleOf", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema", "patternProperties", "propertyNames",
		"dependentRequired", "dependentSchemas", "dependencies", "if", "then", "else", "not", "contains", "additionalItems",
		"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
		"discriminator", "disallow", "extends", "divisibleBy",
	}
	// schemaAnnotations accept and reject nothing.
	schemaAnnotations = []string{
		"default", "title", "description", "examples", "example", "deprecated", "readOnly", "writeOnly", "enumNames", "enumDescriptions", "markdownDescription",
		"externalDocs", "xml", "$comment", "$schema", "$id", "id", "$anchor",
	}
)

// isAnnotation reports whether a keyword accepts and rejects nothing.
func isAnnotation(name string) bool {
	return slices.Contains(schemaAnnotations, name) || strings.HasPrefix(name, "x-")
}

// rest compares the keywords that have no method of their own. Unknown keywords are annotations (JSON Schema
// 2020-12, core, 6.5), and their changes are reported as such.
func (c *schemaComparison) rest(path string, old, now []byte) {
	for _, m := range membersOf(old, now) {
		at := path + "/" + jsonrpc.EscapePointer(m.name)
		switch {
		case slices.Contains(comparedKeywords, m.name), m.old != nil && m.now != nil && jsonrpc.Equal(m.old, m.now):
		case m.name == "nullable":
			c.nullable(at, string(m.old) == "true", string(m.now) == "true")
		case slices.Contains(opaqueKeywords, m.name):
			c.opaque(path, m.name, m.old, m.now)
		case m.name == "default", m.name == "$schema":
			c.add(at, neutral, "the %s was %s and is %s", strings.Replace(m.name, "$schema", "dialect", 1), orNone(m.old), orNone(m.now))
		case isAnnotation(m.name):
			c.add(at, neutral, "the %s changed", m.name)
		default:
			c.add(at, neutral, "%s was %s and is %s; it is not a keyword of JSON Schema, and counts as an annotation", m.name, orNone(m.old), orNone(m.now))
		}
	}
}

// nullable compares the keyword of OpenAPI 3.0 that makes a type also accept null.
func (c *schemaComparison) nullable(at string, was, is bool) {
	switch {
	case was && !is:
		c.add(at, narrower, "null is no longer accepted")
	case is && !was:
		c.add(at, wider, "null is accepted now")
	}
}

func orNone(value []byte) string {
	if value == nil {
		return "not set"
	}
	return shortValue(value)
}
