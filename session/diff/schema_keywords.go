package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// schemaLimits are the keywords whose value is a smallest or a largest number.
var schemaLimits = []string{
	"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains",
	"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains",
}

// isUpper reports one of them that is a largest number.
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
		gone := slices.DeleteFunc(slices.Clone(a), func(v []byte) bool { return c.has(b, v) })
		come := slices.DeleteFunc(slices.Clone(b), func(v []byte) bool { return c.has(a, v) })
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

func (c *schemaComparison) has(list [][]byte, v []byte) bool {
	return slices.ContainsFunc(list, func(w []byte) bool { return jsonrpc.Equal(v, w) })
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

func (c *schemaComparison) others(path string, old, now []byte) {
	for _, name := range []string{
		"multipleOf", "pattern", "format", "contentEncoding", "contentMediaType", "patternProperties", "propertyNames", "dependentRequired",
		"dependentSchemas", "dependencies", "if", "then", "else", "not", "contains", "unevaluatedProperties", "unevaluatedItems",
	} {
		c.opaque(path, name, jsonrpc.Get(old, name), jsonrpc.Get(now, name))
	}
}

var schemaAnnotations = []string{"default", "title", "description", "examples", "deprecated", "readOnly", "writeOnly", "enumNames", "$comment"}

// isAnnotation reports whether a keyword accepts and rejects nothing.
func isAnnotation(name string) bool {
	return slices.Contains(schemaAnnotations, name) || strings.HasPrefix(name, "x-")
}

// annotations compares what accepts and rejects nothing.
func (c *schemaComparison) annotations(path string, old, now []byte) {
	for _, name := range schemaAnnotations {
		a, b := jsonrpc.Get(old, name), jsonrpc.Get(now, name)
		if a == nil && b == nil || jsonrpc.Equal(a, b) {
			continue
		}
		if name == "default" {
			c.add(path+"/default", neutral, "the default was %s and is %s", orNone(a), orNone(b))
			continue
		}
		c.add(path+"/"+name, neutral, "the %s changed", name)
	}
	for name, b := range jsonrpc.Members(now) {
		if a := jsonrpc.Get(old, string(name)); strings.HasPrefix(string(name), "x-") && !jsonrpc.Equal(a, b) {
			c.add(path+"/"+jsonrpc.EscapePointer(string(name)), neutral, "%s changed", name)
		}
	}
}

func orNone(value []byte) string {
	if value == nil {
		return "not set"
	}
	return shortValue(value)
}
