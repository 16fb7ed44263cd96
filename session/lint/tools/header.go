package tools

import (
	"bytes"
	"errors"

	"mcptea/client/paramheader"
	"mcptea/client/secret"
	"mcptea/session/lint/rule"
)

// headersOf are the tools of a page with header annotations.
func headersOf(c *rule.Context) []toolHeaders {
	var found []toolHeaders
	for i, tool := range rule.ToolObjects(c) {
		if bytes.Contains(tool, []byte("x-mcp-header")) {
			h := toolHeaders{index: i, tool: tool}
			var err error
			h.params, err = paramheader.Read(rule.Member(tool, "inputSchema"))
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
