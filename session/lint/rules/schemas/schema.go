// Package schemas checks schemas, the values that must be valid against them,
// content blocks, elicitation and sampling.
package schemas

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/schema/check"
)

// Rules check schemas, structured content, content blocks, forms and
// sampling.
var Rules = []lint.Rule{
	{ID: "S001", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S002", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S003", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S004", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},

	{ID: "S005", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.EachTool(defaultOutsideEnum)},

	{ID: "S010", Methods: lint.ToolCalls, Message: structuredMissing},
	{ID: "S011", Methods: lint.ToolCalls, Message: structuredMismatch},
	{ID: "S012", Methods: lint.ToolCalls, Message: func(c *lint.Context) {
		if v := c.M.Get(c.M.Result, "structuredContent"); c.M.IsToolResult() && v != nil && v[0] != '{' {
			c.Report(lint.At("result", "structuredContent"), "got", lint.KindOf(v))
		}
	}},
	{Methods: lint.ToolCalls, Message: watchStructured},
	{ID: "S014", Methods: lint.ToolCalls, Message: func(c *lint.Context) {
		if texts := *lint.Own[structuredTexts](c.St); texts == textsUnrelated || texts == textsDiffer {
			c.Report(lint.At("result", "structuredContent"))
		}
	}},
	{ID: "S015", Methods: lint.ToolCalls, Message: func(c *lint.Context) {
		if *lint.Own[structuredTexts](c.St) == textsDiffer {
			c.Report(lint.At("result", "content"))
		}
	}},

	{Methods: annotatedMethods, Message: watchBlocks},
	{ID: "S020", Methods: inputMethods, When: lint.WithContent, Message: lint.Each(blocks, blockTypes)},
	{ID: "S021", Methods: inputMethods, When: lint.WithContent, Message: lint.Each(blocks, blockMembers)},
	{ID: "S022", Methods: inputMethods, Message: lint.Each(binaries, notBase64)},
	{ID: "S023", Methods: inputMethods, Message: lint.Each(binaries, wrongMIME)},
	{ID: "S024", Methods: annotatedMethods, Message: annotationValues},
	{ID: "S025", Methods: iconMethods, Message: badIcons},

	{ID: "S030", Methods: inputMethods, Message: lint.Each(forms, formShape)},
	{ID: "S031", Methods: inputMethods, Message: lint.Each(forms, formKeywords)},
	{ID: "S032", Methods: inputMethods, Message: lint.Each(forms, formSecrets)},
	{ID: "S033", Methods: inputMethods, Message: lint.Each(responsesTo(elicitationCreate), formResponse)},
	{ID: "S034", Methods: inputMethods, Message: lint.Each(responsesTo(elicitationCreate), formMismatch)},
	{ID: "S035", Methods: inputMethods, Message: lint.Each(urlRequests, urlMembers)},
	{ID: "S036", Methods: inputMethods, Message: lint.Each(urlRequests, urlRisks)},

	{ID: "S040", Methods: inputMethods, Message: lint.Each(lint.RequestsOf(samplingCreateMessage), samplingRole)},
	{ID: "S041", Methods: inputMethods, Message: lint.Each(lint.RequestsOf(samplingCreateMessage), mixedToolResults)},
	{ID: "S042", Methods: inputMethods, Message: lint.Each(lint.RequestsOf(samplingCreateMessage), unbalancedToolUses)},
	// It follows the rules that use the earlier requests.
	{Methods: inputMethods, When: lint.Result | lint.Matched | lint.Stateless, After: watchInputRequests},
}

// schemaFaults are the rules for the faults of a schema.
var schemaFaults = map[check.Fault]string{check.Invalid: "S001", check.Dialect: "S002", check.Remote: "S003", check.Complex: "S004"}

// schemaProblems reports the faults that belong to the rule that runs.
func schemaProblems(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		schema := jsonrpc.Get(t.Raw, which)
		if schema == nil || which == "inputSchema" && schema[0] != '{' {
			continue // T014
		}
		p := c.Schema(schema, false).Problem()
		if p == nil || schemaFaults[p.Fault] != c.RuleID() {
			continue
		}
		c.Report(lint.Below(t.At(which), p.Path), "which", which, "name", t.Name(), "reason", p.Reason,
			"got", lint.Escaped(p.Reason), "uri", lint.Escaped(p.Reason))
	}
}

// outputSchemaOf is the outputSchema of the tool of a result; nil if there is
// none or it is unknown.
func outputSchemaOf(c *lint.Context) []byte {
	if !c.M.IsToolResult() || c.M.Request == nil || c.M.IsToolError() {
		return nil
	}
	tool, _ := c.ListedTool(c.M.Request.Name)
	schema := jsonrpc.Get(tool, "outputSchema")
	if jsonrpc.TypeOf(schema) == "null" {
		return nil
	}
	return schema
}

func structuredMissing(c *lint.Context) {
	if outputSchemaOf(c) != nil && !c.M.Has(c.M.Result, "structuredContent") {
		c.Report(lint.At("result"), "name", lint.Escaped(c.M.Request.Name))
	}
}

func structuredMismatch(c *lint.Context) {
	value := c.M.Get(c.M.Result, "structuredContent")
	if value == nil || value[0] != '{' && c.M.Revision.Before(revision.R20260728) {
		return
	}
	schema := outputSchemaOf(c)
	if schema == nil {
		return
	}
	if m, _ := c.Schema(schema, false).Check(value); m != nil {
		path := ""
		if m.About != "" {
			path = "/" + lint.ShownPath(m.About)
		}
		c.Report(lint.Below(lint.At("result", "structuredContent"), m.Path), "path", path, "reason", "it "+m.Reason)
	}
}

// The bounds of the search for defaults in a schema.
const (
	maxSchemaDepth = 32
	maxSubschemas  = 2000
)

// defaultOutsideEnum compares each default of a schema with the enum beside it (JSON
// Schema 2020-12, validation, 9.2: it should be valid against the schema).
func defaultOutsideEnum(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		left := maxSubschemas
		subschemas(jsonrpc.Get(t.Raw, which), nil, &left, func(schema []byte, path []any) {
			value, enum := jsonrpc.Get(schema, "default"), jsonrpc.Get(schema, "enum")
			if value == nil || jsonrpc.TypeOf(enum) != "array" || hasElement(enum, value) {
				return
			}
			c.Report(t.At(append(append([]any{which}, path...), "default")...), "got", lint.ShownValue(value), "name", t.Name())
		})
	}
}

func hasElement(array, value []byte) bool {
	for element := range jsonrpc.Elements(array) {
		if jsonrpc.Equal(element, value) {
			return true
		}
	}
	return false
}

// subschemas visits a schema and those within it, with their places.
func subschemas(schema []byte, path []any, left *int, visit func([]byte, []any)) {
	if *left--; jsonrpc.TypeOf(schema) != "object" || *left < 0 || len(path) > 2*maxSchemaDepth {
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
			for k, inner := range lint.Indexed(value) {
				below(inner, keyword, k)
			}
		}
	}
}
