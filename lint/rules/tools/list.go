package tools

import (
	"errors"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/secret"
	"mcptea/lint"
)

func emptyToolName(c *lint.Context, t lint.Tool) {
	if jsonrpc.IsText(jsonrpc.Get(t.Raw, "name"), "") {
		c.Report(t.At("name"), "index", t.Number())
	}
}

func duplicateTool(c *lint.Context) {
	if list := c.St.Tools(); list == nil || !list.Orderly {
		return
	}
	c.Duplicates(func(at lint.Place, name string) {
		if name != "" {
			c.Report(at, "name", lint.Escaped(name))
		}
	})
}

// maxToolName is the recommended maximum length of a tool's name, in characters.
const maxToolName = 128

func toolNameChars(c *lint.Context, t lint.Tool) {
	name := jsonrpc.Text(t.Raw, "name")
	odd := strings.IndexFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
	switch {
	case odd >= 0:
		fault := "contains " + lint.Quoted(string([]rune(name[odd:])[0]))
		if name[odd] == ' ' {
			fault = "contains a space"
		}
		c.Report(t.At("name"), "name", lint.Escaped(name), "fault", fault)
	case len(name) > maxToolName:
		c.For("long").Report(t.At("name"), "name", lint.Escaped(name), "fault", "has more than 128 characters")
	}
}

func noDescription(c *lint.Context, t lint.Tool) {
	description := jsonrpc.Get(t.Raw, "description")
	if text, ok := jsonrpc.Unquote(description); description == nil || ok && strings.TrimSpace(text) == "" {
		c.Report(t.At(), "name", t.Name())
	}
}

// requiredWithoutProperty checks only schemas that define all properties in one
// place.
func requiredWithoutProperty(c *lint.Context, t lint.Tool) {
	for _, which := range []string{"inputSchema", "outputSchema"} {
		schema := lint.MembersByName(jsonrpc.Get(t.Raw, which))
		if jsonrpc.TypeOf(schema["required"]) != "array" || describesMore(schema) {
			continue
		}
		properties := lint.MembersByName(schema["properties"])
		for k, name := range lint.Indexed(schema["required"]) {
			if s, ok := jsonrpc.Unquote(name); ok && properties[s] == nil {
				c.Report(t.At(which, "required", k), "prop", lint.Escaped(s))
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

func hintsConflict(c *lint.Context, t lint.Tool) {
	hints := jsonrpc.Get(t.Raw, "annotations")
	if string(jsonrpc.Get(hints, "readOnlyHint")) == "true" && string(jsonrpc.Get(hints, "destructiveHint")) == "true" {
		c.Report(t.At("annotations", "destructiveHint"), "reason", "contradict each other: read-only and destructive")
	}
	for _, name := range hintNames {
		if kind := jsonrpc.TypeOf(jsonrpc.Get(hints, name)); kind != "" && kind != "boolean" {
			c.For("type").Report(t.At("annotations", name), "reason", "cannot be read: "+name+" has the type "+kind+" and not boolean")
		}
	}
}

func toolsReordered(c *lint.Context) {
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
	switch slices.Sort(now); {
	case !slices.Equal(now, before):
	case c.M.IsStateless():
		c.Report(lint.At("result", "tools"))
	default:
		c.ReportInfo(lint.At("result", "tools")) // these versions do not require an order
	}
}

// headersOf returns the tools of a page with header annotations.
func headersOf(c *lint.Context) []toolHeaders {
	var found []toolHeaders
	for _, tool := range c.Tools() {
		if c.M.Envelope.MayHave("x-mcp-header") {
			h := toolHeaders{Tool: tool}
			var err error
			h.params, err = paramheader.Read(jsonrpc.Get(tool.Raw, "inputSchema"))
			errors.As(err, &h.fault)
			found = append(found, h)
		}
	}
	return found
}

type toolHeaders struct {
	lint.Tool
	params []paramheader.Param
	fault  *paramheader.Fault
}

// headerRules maps the faults of an annotation to rules.
var headerRules = map[paramheader.Rule]string{
	paramheader.BadName: "T030", paramheader.TakenName: "T031", paramheader.BadType: "T032", paramheader.BadPlace: "T033",
}

// headerFaults reports the faults that belong to the rule that runs.
func headerFaults(c *lint.Context, h toolHeaders) {
	if h.fault == nil || headerRules[h.fault.Rule] != c.RuleID() {
		return
	}
	at := lint.Below(h.At("inputSchema"), h.fault.Pointer)
	got := lint.BareValue(h.fault.Got)
	c.Report(at, "name", h.Name(), "path", lint.ShownPath(h.fault.Pointer), "got", got)
}

func secretInHeader(c *lint.Context, h toolHeaders) {
	for _, p := range h.params {
		name := p.Path[len(p.Path)-1]
		if !secret.IsField(name) {
			continue
		}
		at := h.At("inputSchema")
		for _, step := range p.Path {
			at = lint.Below(at, lint.At("properties", step).Path())
		}
		c.Report(at, "name", h.Name(), "path", lint.Escaped(name))
	}
}
