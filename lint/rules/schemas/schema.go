// Package schemas checks schemas, the values that must be valid against them,
// content blocks, elicitation and sampling.
package schemas

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/check"
	"mcptea/lint"
)

// Rules check schemas, structured content, content blocks, forms and
// sampling.
var Rules = []lint.Rule{
	{ID: "S001", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S002", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S003", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},
	{ID: "S004", Methods: lint.ToolLists, Message: lint.EachTool(schemaProblems)},

	{ID: "S005", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.EachTool(wrongDefault)},
	{ID: "S006", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.EachTool(matchesNothing)},

	{ID: "S010", Methods: lint.ToolCalls, Message: structuredMissing},
	{ID: "S011", Methods: lint.ToolCalls, Message: structuredMismatch},
	{ID: "S043", Methods: lint.ToolCalls, Message: structuredOfError},
	{ID: "S012"},
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
	{ID: "S020"},
	{ID: "S021"},
	{ID: "S022", Methods: inputMethods, Message: lint.Each(binaries, notBase64)},
	{ID: "S023", Methods: inputMethods, Message: lint.Each(binaries, wrongMIME)},
	{ID: "S024", Methods: annotatedMethods, Message: annotationTimes},
	{ID: "S025", Methods: iconMethods, Message: badIcons},
	{ID: "S026", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolCalls, Message: textIsResult},

	{ID: "S030", Methods: inputMethods, Message: lint.Each(forms, formShape)},
	{ID: "S031", Methods: inputMethods, Message: lint.Each(forms, formKeywords)},
	{ID: "S032", Methods: inputMethods, Message: lint.Each(forms, formSecrets)},
	{ID: "S038", Limit: lint.PerMessage(1), Methods: inputMethods, Message: lint.Each(forms, formLinks)},
	{ID: "S033", Methods: inputMethods, Message: lint.Each(responsesTo(elicitationCreate), formResponse)},
	{ID: "S034", Methods: inputMethods, Message: lint.Each(responsesTo(elicitationCreate), formMismatch)},
	{ID: "S035", Methods: inputMethods, Message: lint.Each(urlRequests, urlMembers)},
	{ID: "S036", Methods: inputMethods, Message: lint.Each(urlRequests, urlRisks)},
	{ID: "S037", Methods: onComplete, Message: unknownComplete},
	{Methods: []string{elicitationCreate}, After: announced},
	{When: lint.ErrorResponse, After: announcedByError},

	{ID: "S040", Limit: lint.PerMessage(1)},
	{ID: "S041", Methods: inputMethods, Message: lint.Each(lint.RequestsOf(samplingCreateMessage), mixedToolResults)},
	{ID: "S042", Methods: inputMethods, Message: lint.Each(lint.RequestsOf(samplingCreateMessage), unbalancedToolUses)},
	// It follows the rules that use the earlier requests.
	{Methods: inputMethods, When: lint.Result | lint.Matched | lint.Stateless, After: watchInputRequests},
}

// schemaFaults maps the faults of a schema to rules.
var schemaFaults = map[check.Fault]string{check.Invalid: "S001", check.Dialect: "S002", check.Remote: "S003", check.Complex: "S004"}

// schemaProblems reports the faults that belong to the rule that runs.
func schemaProblems(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		schema := jsonrpc.Get(t.Raw, which)
		if schema == nil || which == "inputSchema" && schema[0] != '{' {
			continue // the definition reports it
		}
		for _, p := range c.Schema(schema, false).Problems() {
			if schemaFaults[p.Fault] != c.RuleID() {
				continue
			}
			part := ""
			switch {
			case p.IsReference:
				part = "reference"
			case strings.HasSuffix(p.Path, "/required"):
				part = "required"
			}
			c.For(part).Report(lint.Below(t.At(which), p.Path), "which", which, "name", t.Name(), "reason", p.Reason,
				"got", lint.Escaped(p.Reason), "uri", lint.Escaped(p.Reason))
		}
	}
}

// outputSchemaOf returns the outputSchema of a result's tool, or nil if there is no outputSchema or it is unknown.
func outputSchemaOf(c *lint.Context) []byte {
	if !c.M.IsToolResult() || c.M.Request == nil || c.M.IsToolError() {
		return nil
	}
	schema := jsonrpc.Get(c.Listed(c.St.Tools(), c.M.Request.Name), "outputSchema")
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

// structuredOfError checks the structured content of a tool error. The specification does not require it to
// conform, but clients examine it before isError.
func structuredOfError(c *lint.Context) {
	value := c.M.Get(c.M.Result, "structuredContent")
	if value == nil || !c.M.IsToolResult() || !c.M.IsToolError() || c.M.Request == nil {
		return
	}
	schema := jsonrpc.Get(c.Listed(c.St.Tools(), c.M.Request.Name), "outputSchema")
	if len(schema) == 0 || schema[0] != '{' || value[0] != '{' && c.M.Revision.Before(revision.R20260728) {
		return // S012
	}
	if m, _ := c.Schema(schema, false).Check(value); m != nil {
		path := ""
		if m.About != "" {
			path = "/" + lint.ShownPath(m.About)
		}
		c.Report(lint.Below(lint.At("result", "structuredContent"), m.Path), "path", path, "reason", "it "+m.Reason)
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

// wrongDefault compares each default of a schema with the enum or the type next to it (JSON Schema 2020-12,
// Validation §9.2: it should be valid against the schema).
func wrongDefault(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		lint.Subschemas(jsonrpc.Get(t.Raw, which), func(schema []byte, path []any) bool {
			value := jsonrpc.Get(schema, "default")
			if value == nil {
				return false
			}
			problem := ""
			if enum := jsonrpc.Get(schema, "enum"); jsonrpc.TypeOf(enum) == "array" && !hasElement(enum, value) {
				problem = "one of its enum"
			} else if kind := jsonrpc.Get(schema, "type"); kind != nil && !lint.HasType(kind, value) {
				problem = "of its type"
			}
			if problem != "" {
				c.Report(t.At(append(append([]any{which}, path...), "default")...), "got", lint.ShownValue(value), "name", t.Name(), "problem", problem)
			}
			return false
		})
	}
}

// matchesNothing reports a schema of a tool that contradicts itself.
func matchesNothing(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		if path, why := lint.Contradiction(jsonrpc.Get(t.Raw, which)); why != "" {
			c.Report(t.At(append([]any{which}, path...)...), "which", which, "name", t.Name(), "why", why)
		}
	}
}

func hasElement(array, value []byte) bool {
	wanted := jsonrpc.MeaningOf(value)
	for element := range jsonrpc.Elements(array) {
		if wanted.Is(element) {
			return true
		}
	}
	return false
}
