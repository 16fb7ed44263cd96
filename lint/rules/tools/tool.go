// Package tools checks lists of tools, their calls and the results.
package tools

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// Rules check tools, calls and their results.
var Rules = slices.Concat(toolRules, repeatRules)

var toolRules = []lint.Rule{
	{ID: "T001", When: lint.FromClient | lint.NoResponse, Message: toolAsMethod},
	{ID: "T002"},
	{ID: "T003"},
	{ID: "T004", Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, Message: flatArguments},
	{ID: "T005", Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, Message: unknownTool},
	{ID: "T007", Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, Message: staleTool},
	{ID: "T006", Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, Message: wrongArguments},

	{ID: "T011", Methods: lint.ToolLists, Message: lint.EachTool(emptyToolName)},
	{ID: "T012", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, After: duplicateTool},
	{ID: "T013", Methods: lint.ToolLists, Message: lint.EachTool(toolNameChars)},
	{ID: "T015"},
	{ID: "T016", Methods: lint.ToolLists, Message: lint.EachTool(noDescription)},
	{ID: "T017", Methods: lint.ToolLists, Message: lint.EachTool(requiredWithoutProperty)},
	{ID: "T018", Methods: lint.ToolLists, Message: lint.EachTool(hintsConflict)},
	{ID: "T019", Methods: lint.ToolLists, When: lint.Result, After: toolsReordered},

	{ID: "T020", Methods: lint.ToolCalls, When: lint.ErrorResponse | lint.Matched, Message: failureAsError},
	{ID: "T021", Methods: lint.ToolCalls, When: lint.ErrorResponse, Message: unknownToolCode},
	{ID: "T022", Methods: lint.ToolCalls, When: lint.ErrorResponse | lint.Matched, Message: argumentsAsError},
	{ID: "T023", Methods: lint.ToolCalls, When: lint.ToolResult | lint.Matched, Message: unknownToolAsToolError},
	{ID: "T024", Methods: lint.ToolCalls, When: lint.ToolResult, Message: hiddenFailure},
	{ID: "T026", Limit: lint.PerMessage(1)},
	{ID: "T027", Methods: lint.ToolCalls, When: lint.ToolResult, Message: isErrorType},

	{ID: "T036", Methods: lint.ToolCalls, When: lint.ToolResult, Message: resultOverHostLimit},

	{ID: "T030", Methods: lint.ToolLists, Message: lint.Each(headersOf, headerFaults)},
	{ID: "T031", Methods: lint.ToolLists, Message: lint.Each(headersOf, headerFaults)},
	{ID: "T032", Methods: lint.ToolLists, Message: lint.Each(headersOf, headerFaults)},
	{ID: "T033", Methods: lint.ToolLists, Message: lint.Each(headersOf, headerFaults)},
	{ID: "T034", Methods: lint.ToolLists, Message: lint.Each(headersOf, secretInHeader)},
}

// isCall reports a call with an object as params.
func isCall(c *lint.Context) bool {
	return c.M.IsRequest() && c.M.Frame.Dir == transport.Out && jsonrpc.TypeOf(c.M.Params) == "object"
}

// toolAsMethod finds a method that is the name of a listed tool, or whose params fit no method.
func toolAsMethod(c *lint.Context) {
	m := c.M
	if m.IsResponse() || m.Frame.Dir != transport.Out || m.Method == "" || strings.ContainsAny(m.Method, "/$") {
		return
	}
	if _, known := revision.Lookup(m.Method); known || strings.HasPrefix(m.Method, "rpc.") {
		return
	}
	if c.St.Tools().Named(m.Method) != nil {
		c.Report(lint.At("method"), "method", lint.Escaped(m.Method))
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
		c.Report(lint.At("method"), "method", lint.Escaped(m.Method))
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

// flatArguments finds arguments next to the name instead of in arguments: properties of the known tool, or
// members of params that no protocol version defines.
func flatArguments(c *lint.Context) {
	if !isCall(c) || c.M.Has(c.M.Params, "arguments") {
		return
	}
	tool, _ := c.ListedTool(c.M.Text(c.M.Params, "name"))
	properties := jsonrpc.Get(tool, "inputSchema", "properties")
	var flat []string
	for name := range jsonrpc.Members(c.M.Params) {
		s := string(name)
		if isParam(s) || s == "progressToken" || strings.HasPrefix(s, "x-") || strings.HasPrefix(s, "_") {
			continue
		}
		if tool == nil || lint.Has(properties, s) {
			flat = append(flat, s)
		}
	}
	if len(flat) > 0 {
		c.Report(lint.At("params", flat[0]), "members", lint.Escaped(phrase.JoinFirst(flat, 5)))
	}
}

func unknownTool(c *lint.Context) {
	if !isCall(c) || !c.St.Tools().Known() {
		return
	}
	name, ok := jsonrpc.Unquote(c.M.Get(c.M.Params, "name"))
	if !ok {
		return
	}
	if tool, known := c.ListedTool(name); !known || tool != nil {
		return
	}
	suggestion := ""
	if near := nearestTool(c.St.Tools().Items, name); near != "" {
		suggestion = ` Did you mean "` + lint.Escaped(near) + `"?`
	}
	c.Report(lint.At("params", "name"), "name", lint.Escaped(name), "suggestion", suggestion)
}

// staleTool reports a call of a tool that only an earlier list contains. Its finding replaces the finding
// of unknownTool, which is less precise.
func staleTool(c *lint.Context) {
	if !isCall(c) || !c.St.Tools().Known() {
		return
	}
	name, ok := jsonrpc.Unquote(c.M.Get(c.M.Params, "name"))
	if !ok || c.St.Tools().Named(name) != nil {
		return
	}
	if then, now, ok := c.St.Tools().Former(name); ok {
		c.With(then.Row, now.Row).Report(lint.At("params", "name"), "name", lint.Escaped(name), "then", then.ID, "now", now.ID)
	}
}

// nearestTool returns the tool that a name probably means: one with a similar name, or one whose name contains
// it. It returns "" if there are several.
func nearestTool(tools [][]byte, name string) string {
	want, found := lint.FoldedName(name), ""
	if len(want) < 3 {
		return ""
	}
	for _, tool := range tools {
		other := jsonrpc.Text(tool, "name")
		have := lint.FoldedName(other)
		if have == want {
			return other
		}
		if len(have) >= 3 && (strings.Contains(have, want) || strings.Contains(want, have) || phrase.EditDistance(have, want) <= 1) {
			if found != "" {
				return ""
			}
			found = other
		}
	}
	return found
}

func wrongArguments(c *lint.Context) {
	if !isCall(c) {
		return
	}
	tool := c.Listed(c.St.Tools(), c.M.Text(c.M.Params, "name"))
	schema := jsonrpc.Get(tool, "inputSchema")
	args, at := c.M.Get(c.M.Params, "arguments"), lint.At("params", "arguments")
	if args == nil {
		args, at = []byte("{}"), lint.At("params")
	}
	if jsonrpc.TypeOf(schema) != "object" || args[0] != '{' {
		return
	}
	if m, _ := c.Schema(schema, false).Check(args); m != nil {
		if _, why := lint.Contradiction(schema); why != "" {
			return // the fault of the server: S006
		}
		path := lint.ShownPath(m.About)
		if path == "" {
			path = "as a whole"
		}
		c.Report(lint.Below(at, m.Path), "path", path, "reason", "it "+m.Reason)
	}
}
