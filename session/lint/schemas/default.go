package schemas

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

// The bounds of the search for defaults in a schema.
const (
	maxSchemaDepth = 32
	maxSubschemas  = 2000
)

// defaultOutsideEnum compares each default of a schema with the enum beside it (JSON
// Schema 2020-12, validation, 9.2: it should be valid against the schema).
func defaultOutsideEnum(c *rule.Context, i int, tool []byte) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		left := maxSubschemas
		subschemas(rule.Member(tool, which), nil, &left, func(schema []byte, path []any) {
			value, enum := rule.Member(schema, "default"), rule.Member(schema, "enum")
			if value == nil || rule.Kind(enum) != "array" || hasElement(enum, value) {
				return
			}
			c.Report(rule.AtTool(i, append(append([]any{which}, path...), "default")...), "got", rule.ShownValue(value), "name", rule.ToolName(tool))
		})
	}
}

func hasElement(array, value []byte) bool {
	for element := range jsonrpc.Elements(array) {
		if rule.SameJSON(element, value) {
			return true
		}
	}
	return false
}

// subschemas visits a schema and those within it, with their places.
func subschemas(schema []byte, path []any, left *int, visit func([]byte, []any)) {
	if *left--; rule.Kind(schema) != "object" || *left < 0 || len(path) > 2*maxSchemaDepth {
		return
	}
	visit(schema, path)
	below := func(value []byte, more ...any) { subschemas(value, append(slices.Clip(path), more...), left, visit) }
	for name, value := range jsonrpc.Members(schema) {
		switch keyword := string(name); keyword {
		case "properties", "patternProperties", "$defs", "definitions":
			for property, inner := range jsonrpc.Members(value) {
				below(inner, keyword, string(property))
			}
		case "items", "additionalProperties":
			below(value, keyword)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			for k, inner := range rule.Indexed(value) {
				below(inner, keyword, k)
			}
		}
	}
}
