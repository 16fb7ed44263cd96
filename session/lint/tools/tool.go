// Package tools checks lists of tools, their calls and the results.
package tools

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/editdistance"
	"mcptea/session/lint/rule"
)

// Rules check tools, calls and their results.
var Rules = []rule.Rule{
	{ID: "T001", Message: toolAsMethod},
	{ID: "T002", Methods: rule.ToolCalls, When: rule.Request | rule.FromClient, Message: callWithoutName},
	{ID: "T003", Methods: rule.ToolCalls, Message: func(c *rule.Context) {
		if args := jsonrpc.Get(c.M.Params, "arguments"); isCall(c) && args != nil && args[0] != '{' {
			c.Report(rule.At("params", "arguments"), "got", rule.KindOf(args))
		}
	}},
	{ID: "T004", Methods: rule.ToolCalls, Message: flatArguments},
	{ID: "T005", Methods: rule.ToolCalls, Message: unknownTool},
	{ID: "T006", Methods: rule.ToolCalls, Message: wrongArguments},

	{ID: "T010", Methods: rule.ToolLists, When: rule.Result, Message: toolsNotArray},
	{ID: "T011", Methods: rule.ToolLists, When: rule.Result, Message: toolWithoutName},
	{ID: "T012", Limit: rule.PerMessage(rule.SomeEntries), Methods: rule.ToolLists, After: duplicateTool},
	{ID: "T013", Methods: rule.ToolLists, Message: rule.EachTool(toolNameChars)},
	{ID: "T014", Methods: rule.ToolLists, Message: rule.EachTool(noInputSchema)},
	{ID: "T015", Methods: rule.ToolLists, Message: rule.EachTool(inputSchemaRoot)},
	{ID: "T016", Methods: rule.ToolLists, Message: rule.EachTool(noDescription)},
	{ID: "T017", Methods: rule.ToolLists, Message: rule.EachTool(requiredWithoutProperty)},
	{ID: "T018", Methods: rule.ToolLists, Message: rule.EachTool(hintsConflict)},
	{ID: "T019", Methods: rule.ToolLists, When: rule.Result, After: toolsReordered},

	{ID: "T020", Methods: rule.ToolCalls, Message: failureAsError},
	{ID: "T021", Methods: rule.ToolCalls, When: rule.ErrorResponse, Message: unknownToolCode},
	{ID: "T022", Methods: rule.ToolCalls, Message: argumentsAsError},
	{ID: "T023", Methods: rule.ToolCalls, When: rule.ToolResult | rule.Matched, Message: unknownToolAsToolError},
	{ID: "T024", Methods: rule.ToolCalls, When: rule.ToolResult, Message: hiddenFailure},
	{ID: "T025", Methods: rule.ToolCalls, Message: func(c *rule.Context) {
		if content := jsonrpc.Get(c.M.Result, "content"); c.M.IsToolResult() && (content == nil || jsonrpc.TypeOf(content) == "null") {
			c.Report(rule.At("result"))
		}
	}},
	{ID: "T026", Methods: rule.ToolCalls, Message: contentNotBlocks},
	{ID: "T027", Methods: rule.ToolCalls, When: rule.ToolResult, Message: isErrorType},

	{ID: "T030", Methods: rule.ToolLists, Message: rule.Each(headersOf, headerFaults)},
	{ID: "T031", Methods: rule.ToolLists, Message: rule.Each(headersOf, headerFaults)},
	{ID: "T032", Methods: rule.ToolLists, Message: rule.Each(headersOf, headerFaults)},
	{ID: "T033", Methods: rule.ToolLists, Message: rule.Each(headersOf, headerFaults)},
	{ID: "T034", Methods: rule.ToolLists, Message: rule.Each(headersOf, secretInHeader)},
}

// isCall reports a call with an object as params.
func isCall(c *rule.Context) bool {
	return c.M.IsRequest() && c.M.Frame.Dir == transport.Out && jsonrpc.TypeOf(c.M.Params) == "object"
}

// toolAsMethod finds a method that is a listed tool, or whose params are those of
// no method.
func toolAsMethod(c *rule.Context) {
	m := c.M
	if m.IsResponse() || m.Frame.Dir != transport.Out || m.Method == "" || strings.ContainsAny(m.Method, "/$") {
		return
	}
	if _, known := revision.Lookup(m.Method); known || strings.HasPrefix(m.Method, "rpc.") {
		return
	}
	if c.St.Tools().Named(m.Method) != nil {
		c.Report(rule.At("method"), "method", rule.Escaped(m.Method))
		return
	}
	if _, meant := revision.Suggest(m.Method); meant || !m.IsRequest() || c.MayBeExtension() || !c.St.ServerOffers("tools") {
		return
	}
	foreign := false
	for name := range jsonrpc.Members(m.Params) {
		if isParam(string(name)) {
			return
		}
		foreign = true
	}
	if foreign {
		c.Report(rule.At("method"), "method", rule.Escaped(m.Method))
	}
}

// isParam reports a name that methods of MCP use for a param.
func isParam(name string) bool {
	switch name {
	case "_meta", "name", "arguments", "cursor", "uri", "level", "ref", "argument", "context", "protocolVersion", "capabilities",
		"clientInfo", "taskId", "task", "inputResponses", "requestState", "messages", "requestedSchema":
		return true
	}
	return false
}

func callWithoutName(c *rule.Context) {
	if c.M.Params != nil && c.M.Params[0] != '{' {
		return
	}
	name := jsonrpc.Get(c.M.Params, "name")
	switch {
	case jsonrpc.TypeOf(name) == "string":
	case name != nil:
		c.Report(rule.At("params", "name"))
	case c.M.Params != nil:
		c.Report(rule.At("params"))
	default:
		c.Report(rule.Whole)
	}
}

// flatArguments finds arguments beside the name: properties of the known tool, or
// members of params that no revision defines.
func flatArguments(c *rule.Context) {
	if !isCall(c) || rule.Has(c.M.Params, "arguments") {
		return
	}
	tool, _ := c.ListedTool(jsonrpc.Text(c.M.Params, "name"))
	properties := jsonrpc.Get(tool, "inputSchema", "properties")
	var flat []string
	for name := range jsonrpc.Members(c.M.Params) {
		s := string(name)
		if isParam(s) || s == "progressToken" || strings.HasPrefix(s, "x-") || strings.HasPrefix(s, "_") {
			continue
		}
		if tool == nil || rule.Has(properties, s) {
			flat = append(flat, s)
		}
	}
	if len(flat) > 0 {
		c.Report(rule.At("params", flat[0]), "members", rule.Escaped(rule.JoinFirst(flat, 5)))
	}
}

func unknownTool(c *rule.Context) {
	name, ok := jsonrpc.Unquote(jsonrpc.Get(c.M.Params, "name"))
	if !ok || !isCall(c) {
		return
	}
	if tool, known := c.ListedTool(name); !known || tool != nil {
		return
	}
	suggestion := ""
	if near := nearestTool(c.St.Tools().Items, name); near != "" {
		suggestion = ` Did you mean "` + rule.Escaped(near) + `"?`
	}
	c.Report(rule.At("params", "name"), "name", rule.Escaped(name), "suggestion", suggestion)
}

// nearestTool finds the tool that a name probably means: one that is written
// alike, or of which it is a part. Empty when there are several.
func nearestTool(tools [][]byte, name string) string {
	simple := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(s))
	}
	want, found := simple(name), ""
	if len(want) < 3 {
		return ""
	}
	for _, tool := range tools {
		other := jsonrpc.Text(tool, "name")
		have := simple(other)
		if have == want {
			return other
		}
		if len(have) >= 3 && (strings.Contains(have, want) || strings.Contains(want, have) || editdistance.Bytes(have, want) <= 1) {
			if found != "" {
				return ""
			}
			found = other
		}
	}
	return found
}

func wrongArguments(c *rule.Context) {
	if !isCall(c) {
		return
	}
	tool, _ := c.ListedTool(jsonrpc.Text(c.M.Params, "name"))
	schema := jsonrpc.Get(tool, "inputSchema")
	args, at := jsonrpc.Get(c.M.Params, "arguments"), rule.At("params", "arguments")
	if args == nil {
		args, at = []byte("{}"), rule.At("params")
	}
	if jsonrpc.TypeOf(schema) != "object" || args[0] != '{' {
		return
	}
	if m, _ := c.Schema(schema, false).Check(args); m != nil {
		path := rule.ShownPath(m.About)
		if path == "" {
			path = "as a whole"
		}
		c.Report(rule.Below(at, m.Path), "path", path, "reason", "it "+m.Reason)
	}
}
