package diff

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// SchemaText describes a JSON Schema, or another value, in a few words. It is
// untrusted text.
func SchemaText(schema []byte) string {
	member := func(name string) []byte { v, _ := jsonrpc.Member(schema, name); return v }
	switch {
	case len(schema) > maxRead:
		return phrase.Size(int64(len(schema)))
	case len(schema) == 0 || schema[0] != '{':
		return short(schema)
	}
	var parts []string
	if values := member("enum"); values != nil {
		var all []string
		for v := range jsonrpc.Elements(values) {
			all = append(all, short(v))
		}
		parts = append(parts, strings.Join(all, " | "))
	} else if types := member("type"); types != nil {
		parts = append(parts, typeText(types))
	} else {
		parts = append(parts, "any type")
	}
	if format, ok := jsonrpc.Unquote(member("format")); ok {
		parts = append(parts, format)
	}
	for _, limit := range []struct{ low, high, unit string }{
		{"minLength", "maxLength", " characters"}, {"minimum", "maximum", ""}, {"minItems", "maxItems", " items"},
	} {
		low, high := member(limit.low), member(limit.high)
		switch {
		case low != nil && high != nil:
			parts = append(parts, string(low)+"–"+string(high)+limit.unit)
		case low != nil:
			parts = append(parts, "at least "+string(low)+limit.unit)
		case high != nil:
			parts = append(parts, "at most "+string(high)+limit.unit)
		}
	}
	if v := member("default"); v != nil {
		parts = append(parts, "default "+short(v))
	}
	return strings.Join(parts, ", ")
}

func typeText(types []byte) string {
	if one, ok := jsonrpc.Unquote(types); ok {
		return one
	}
	var all []string
	for e := range jsonrpc.Elements(types) {
		one, _ := jsonrpc.Unquote(e)
		all = append(all, one)
	}
	return strings.Join(all, " or ")
}
