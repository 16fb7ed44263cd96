package lint

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

var (
	callMethods = []string{"tools/call"}
	listMethods = []string{"tools/list"}
)

// toolRules judge tools, calls and their results.
var toolRules = []rule{
	{methods: []string{"tools/list", "notifications/tools/list_changed"}, after: watchTools},

	{id: "T001", message: toolAsMethod},
	{id: "T002", methods: callMethods, message: callWithoutName},
	{id: "T003", methods: callMethods, message: func(c *Context) {
		if args := Member(c.M.Params, "arguments"); isCall(c) && args != nil && args[0] != '{' {
			c.Report(At("params", "arguments"), "got", kindOf(args))
		}
	}},
	{id: "T004", methods: callMethods, message: flatArguments},
	{id: "T005", methods: callMethods, message: unknownTool},
	{id: "T006", methods: callMethods, message: wrongArguments},

	{id: "T010", methods: listMethods, message: toolsNotArray},
	{id: "T011", methods: listMethods, message: toolWithoutName},
	{id: "T012", limit: perMessage(someEntries), methods: listMethods, after: toolTwice},
	{id: "T013", methods: listMethods, message: toolNameChars},
	{id: "T014", methods: listMethods, message: noInputSchema},
	{id: "T015", methods: listMethods, message: inputSchemaRoot},
	{id: "T016", methods: listMethods, message: noDescription},
	{id: "T017", methods: listMethods, message: requiredNowhere},
	{id: "T018", methods: listMethods, message: hintsConflict},
	{id: "T019", methods: listMethods, after: toolsReordered},

	{id: "T020", methods: callMethods, message: failureAsError},
	{id: "T021", methods: callMethods, message: unknownToolCode},
	{id: "T022", methods: callMethods, message: argumentsAsError},
	{id: "T023", methods: callMethods, message: unknownToolAsResult},
	{id: "T024", methods: callMethods, message: hiddenFailure},
	{id: "T025", methods: callMethods, message: func(c *Context) {
		if content := Member(c.M.Result, "content"); isToolResult(c) && (content == nil || Kind(content) == "null") {
			c.Report(At("result"))
		}
	}},
	{id: "T026", methods: callMethods, message: contentNotBlocks},
	{id: "T027", methods: callMethods, message: isErrorType},

	{id: "T030", methods: listMethods, message: headerFaults},
	{id: "T031", methods: listMethods, message: headerFaults},
	{id: "T032", methods: listMethods, message: headerFaults},
	{id: "T033", methods: listMethods, message: headerFaults},
	{id: "T034", methods: listMethods, message: secretInHeader},
}

// isCall reports a call whose params can be looked into.
func isCall(c *Context) bool {
	return c.M.IsRequest() && c.M.Frame.Dir == transport.Out && Kind(c.M.Params) == "object"
}

// toolAsMethod finds a method that is a tool, or that can hardly be anything
// else: its params are those of no method.
func toolAsMethod(c *Context) {
	m := c.M
	if m.IsAnswer() || m.Frame.Dir != transport.Out || m.Method == "" || strings.ContainsAny(m.Method, "/$") {
		return
	}
	if _, known := revision.Lookup(m.Method); known || strings.HasPrefix(m.Method, "rpc.") {
		return
	}
	if c.St.Tools().Named(m.Method) != nil {
		c.Report(At("method"), "method", escaped(m.Method))
		return
	}
	if _, meant := revision.Suggest(m.Method); meant || !m.IsRequest() || c.extension() || !c.St.ServerOffers("tools") {
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
		c.Report(At("method"), "method", escaped(m.Method))
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

func callWithoutName(c *Context) {
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.Out || c.M.Params != nil && c.M.Params[0] != '{' {
		return
	}
	name := Member(c.M.Params, "name")
	switch {
	case Kind(name) == "string":
	case name != nil:
		c.Report(At("params", "name"))
	case c.M.Params != nil:
		c.Report(At("params"))
	default:
		c.Report(Whole)
	}
}

// flatArguments finds arguments that lie beside the name. Where the tool is
// known they must be its own, else anything counts that no revision has there.
func flatArguments(c *Context) {
	if !isCall(c) || has(c.M.Params, "arguments") {
		return
	}
	tool, _ := c.listedTool(Text(c.M.Params, "name"))
	properties := Member(tool, "inputSchema", "properties")
	var flat []string
	for name := range jsonrpc.Members(c.M.Params) {
		s := string(name)
		if isParam(s) || s == "progressToken" || strings.HasPrefix(s, "x-") || strings.HasPrefix(s, "_") {
			continue
		}
		if tool == nil || has(properties, s) {
			flat = append(flat, s)
		}
	}
	if len(flat) > 0 {
		c.Report(At("params", flat[0]), "members", escaped(quoteList(flat, 5)))
	}
}

func unknownTool(c *Context) {
	name, ok := jsonrpc.Unquote(Member(c.M.Params, "name"))
	if !ok || !isCall(c) {
		return
	}
	if tool, known := c.listedTool(name); !known || tool != nil {
		return
	}
	suggestion := ""
	if near := nearestTool(c.St.Tools().Items, name); near != "" {
		suggestion = ` Did you mean "` + escaped(near) + `"?`
	}
	c.Report(At("params", "name"), "name", escaped(name), "suggestion", suggestion)
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
		other := Text(tool, "name")
		have := simple(other)
		if have == want {
			return other
		}
		if len(have) >= 3 && (strings.Contains(have, want) || strings.Contains(want, have) || oneSlip(have, want)) {
			if found != "" {
				return ""
			}
			found = other
		}
	}
	return found
}

// oneSlip reports whether two texts differ by one byte too many, too few or
// wrong.
func oneSlip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i+1:] == b[i:]
}

func wrongArguments(c *Context) {
	if !isCall(c) {
		return
	}
	tool, _ := c.listedTool(Text(c.M.Params, "name"))
	schema := Member(tool, "inputSchema")
	args, at := Member(c.M.Params, "arguments"), At("params", "arguments")
	if args == nil {
		args, at = []byte("{}"), At("params")
	}
	if Kind(schema) != "object" || args[0] != '{' {
		return
	}
	if m, _ := c.schema(schema, false).Check(args); m != nil {
		path := shownPath(m.About)
		if path == "" {
			path = "as a whole"
		}
		c.Report(below(at, m.Path), "path", path, "reason", "it "+m.Reason)
	}
}
