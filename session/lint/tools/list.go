package tools

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/secret"
	"mcptea/session/lint/rule"
)

func toolsNotArray(c *rule.Context) {
	if !c.M.IsComplete() || jsonrpc.TypeOf(c.M.Result) == "null" {
		return
	}
	tools := jsonrpc.Get(c.M.Result, "tools")
	switch {
	case jsonrpc.TypeOf(c.M.Result) != "object":
		c.Report(rule.At("result"), "got", rule.KindOf(c.M.Result)+" in place of the result")
	case tools == nil:
		c.Report(rule.At("result"), "got", "none")
	case tools[0] != '[':
		c.Report(rule.At("result", "tools"), "got", rule.KindOf(tools))
	}
}

func toolWithoutName(c *rule.Context) {
	for i, tool := range rule.ListedTools(c) {
		if jsonrpc.Text(tool, "name") == "" {
			c.Report(rule.AtTool(i), "index", i+1)
		}
	}
}

func duplicateTool(c *rule.Context) {
	if list := c.St.Tools(); list == nil || !list.Orderly {
		return
	}
	c.Duplicates(func(at rule.Place, name string) {
		if name != "" {
			c.Report(at, "name", rule.Escaped(name))
		}
	})
}

// maxToolName is how long a tool's name should be at most, in characters.
const maxToolName = 128

func toolNameChars(c *rule.Context, i int, tool []byte) {
	name := jsonrpc.Text(tool, "name")
	odd := strings.IndexFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
	switch {
	case odd >= 0:
		fault := "contains " + rule.Quoted(string([]rune(name[odd:])[0]))
		if name[odd] == ' ' {
			fault = "contains a space"
		}
		c.Report(rule.AtTool(i, "name"), "name", rule.Escaped(name), "fault", fault)
	case len(name) > maxToolName:
		c.Report(rule.AtTool(i, "name"), "name", rule.Escaped(name), "fault", "has more than 128 characters")
	}
}

func noInputSchema(c *rule.Context, i int, tool []byte) {
	schema := jsonrpc.Get(tool, "inputSchema")
	switch {
	case schema == nil:
		c.Report(rule.AtTool(i), "name", rule.ToolName(tool))
	case schema[0] != '{':
		c.Report(rule.AtTool(i, "inputSchema"), "name", rule.ToolName(tool))
	}
}

func inputSchemaRoot(c *rule.Context, i int, tool []byte) {
	schema := jsonrpc.Get(tool, "inputSchema")
	if jsonrpc.TypeOf(schema) != "object" || jsonrpc.Text(schema, "type") == "object" {
		return
	}
	at := rule.AtTool(i, "inputSchema")
	if rule.Has(schema, "type") {
		at = rule.Below(at, "/type")
	}
	c.Report(at, "name", rule.ToolName(tool))
}

func noDescription(c *rule.Context, i int, tool []byte) {
	if strings.TrimSpace(jsonrpc.Text(tool, "description")) == "" {
		c.Report(rule.AtTool(i), "name", rule.ToolName(tool))
	}
}

// requiredWithoutProperty checks only schemas that define all properties in one
// place.
func requiredWithoutProperty(c *rule.Context, i int, tool []byte) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		schema := rule.MembersByName(jsonrpc.Get(tool, which))
		if jsonrpc.TypeOf(schema["required"]) != "array" || describesMore(schema) {
			continue
		}
		properties := rule.MembersByName(schema["properties"])
		for k, name := range rule.Indexed(schema["required"]) {
			if s, ok := jsonrpc.Unquote(name); ok && properties[s] == nil {
				c.Report(rule.AtTool(i, which, "required", k), "prop", rule.Escaped(s))
			}
		}
	}
}

// describesMore reports whether properties may be described elsewhere in a schema.
func describesMore(schema map[string][]byte) bool {
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		if schema[keyword] != nil {
			return true
		}
	}
	return jsonrpc.TypeOf(schema["additionalProperties"]) == "object"
}

var hintNames = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

func hintsConflict(c *rule.Context, i int, tool []byte) {
	hints := jsonrpc.Get(tool, "annotations")
	if string(jsonrpc.Get(hints, "readOnlyHint")) == "true" && string(jsonrpc.Get(hints, "destructiveHint")) == "true" {
		c.Report(rule.AtTool(i, "annotations", "destructiveHint"), "reason", "contradict each other: read-only and destructive")
	}
	for _, name := range hintNames {
		if kind := jsonrpc.TypeOf(jsonrpc.Get(hints, name)); kind != "" && kind != "boolean" {
			c.Report(rule.AtTool(i, "annotations", name), "reason", "cannot be read: "+name+" has the type "+kind+" and not boolean")
		}
	}
}

func toolsReordered(c *rule.Context) {
	list := c.St.Tools()
	if list == nil || !list.Complete || !list.Orderly || !list.Unchanged || len(list.PreviousNames) != len(list.Items) {
		return
	}
	var now []string
	for _, item := range list.Items {
		now = append(now, jsonrpc.Text(item, "name"))
	}
	if slices.Equal(now, list.PreviousNames) {
		return
	}
	before := slices.Sorted(slices.Values(list.PreviousNames))
	if slices.Sort(now); slices.Equal(now, before) {
		c.Report(rule.At("result", "tools"))
	}
}

// headersOf are the tools of a page with header annotations.
func headersOf(c *rule.Context) []toolHeaders {
	var found []toolHeaders
	for i, tool := range rule.ToolObjects(c) {
		if bytes.Contains(tool, []byte("x-mcp-header")) {
			h := toolHeaders{index: i, tool: tool}
			var err error
			h.params, err = paramheader.Read(jsonrpc.Get(tool, "inputSchema"))
			errors.As(err, &h.fault)
			found = append(found, h)
		}
	}
	return found
}

type toolHeaders struct {
	index  int
	tool   []byte
	params []paramheader.Param
	fault  *paramheader.Fault
}

// headerRules are the rules for the faults of an annotation.
var headerRules = map[paramheader.Rule]string{
	paramheader.BadName: "T030", paramheader.TakenName: "T031", paramheader.BadType: "T032", paramheader.BadPlace: "T033",
}

// headerFaults reports the faults that belong to the rule that runs.
func headerFaults(c *rule.Context, h toolHeaders) {
	if h.fault == nil || headerRules[h.fault.Rule] != c.RuleID() {
		return
	}
	at := rule.Below(rule.AtTool(h.index, "inputSchema"), h.fault.Pointer)
	got := rule.BareValue(h.fault.Got)
	c.Report(at, "name", rule.ToolName(h.tool), "path", rule.ShownPath(h.fault.Pointer), "got", got)
}

func secretInHeader(c *rule.Context, h toolHeaders) {
	for _, p := range h.params {
		name := p.Path[len(p.Path)-1]
		if !secret.IsField(name) {
			continue
		}
		at := rule.AtTool(h.index, "inputSchema")
		for _, step := range p.Path {
			at = rule.Below(at, rule.At("properties", step).Path())
		}
		c.Report(at, "name", rule.ToolName(h.tool), "path", rule.Escaped(name))
	}
}
