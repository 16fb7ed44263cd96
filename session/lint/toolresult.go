package lint

import (
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// isToolResult reports the result of a call that is the end of the work, and no
// task (2025-11-25 has no resultType to tell).
func (m *Message) isToolResult() bool {
	if m.toolResult == 0 {
		m.toolResult = no
		if m.IsResult() && m.Complete() && Kind(m.Result) == "object" && Kind(Member(m.Result, "task")) != "object" {
			m.toolResult = yes
		}
	}
	return m.toolResult == yes
}

// hasFailed reports a result that says that the tool has failed.
func hasFailed(result []byte) bool { return string(Member(result, "isError")) == "true" }

// textBlocks walks over the texts of a result.
func textBlocks(result []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for b := range jsonrpc.Elements(Member(result, "content")) {
			if text, ok := jsonrpc.Unquote(Member(b, "text")); ok && Text(b, "type") == "text" && !yield(text) {
				return
			}
		}
	}
}

// maxSaid bounds how much of a text is checked for what it says, in bytes.
const maxSaid = 300

func said(text string) string { return strings.ToLower(text[:min(len(text), maxSaid)]) }

// deniesTool reports a text that says that there is no such tool.
func deniesTool(text, name string) bool {
	s := said(text)
	for _, phrase := range []string{"unknown tool", "no such tool", "no tool named", "tool not found"} {
		if strings.Contains(s, phrase) {
			return true
		}
	}
	const around = " \"'`:"
	_, after, _ := strings.Cut(s, "tool")
	after, ok := strings.CutPrefix(strings.TrimLeft(after, around), strings.ToLower(name))
	if !ok || name == "" {
		return false
	}
	after = strings.TrimLeft(after, around)
	for _, phrase := range []string{"not found", "was not found", "is not ", "does not exist", "doesn't exist"} {
		if strings.HasPrefix(after, phrase) {
			return true
		}
	}
	return false
}

// callsUnknownTool reports a response to the call of a tool that does not exist:
// it is not in the complete list, or, without a list, the text says so.
func callsUnknownTool(c *Context, text string) bool {
	r := c.M.Request
	if r == nil || r.Name == "" {
		return false
	}
	if tool, known := c.listedTool(r.Name); known {
		return tool == nil
	}
	return deniesTool(text, r.Name)
}

func errorForUnknownTool(c *Context) bool { return callsUnknownTool(c, Text(c.M.Error, "message")) }

// failureAsError judges by meaning: a tool that is in the list was called, and the
// server answers with an error that is not about the protocol. Without the list
// only the words can tell.
func failureAsError(c *Context) {
	r := c.M.Request
	if !c.M.IsError() || r == nil || r.Cancelled || errorForUnknownTool(c) || c.X != nil && c.X.Status >= 400 {
		return
	}
	const failed = -32002
	code := c.M.Envelope.Code
	text := said(Text(c.M.Error, "message"))
	says := strings.Contains(text, "tool execution failed") || strings.Contains(text, "tool execution error") ||
		strings.Contains(text, "error executing tool") || strings.Contains(text, "tool call failed") || strings.Contains(text, "tool failed")
	tool, known := c.listedTool(r.Name)
	if says || code == failed || known && tool != nil && !isAboutProtocol(code, text) {
		c.Report(At("error", "code"), "code", code)
	}
}

// isAboutProtocol reports an error of tools/call that has a meaning of its own: the
// request, the session, the capabilities or the revision, a cancellation or a
// limit, and not what the tool did.
func isAboutProtocol(code int64, text string) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams,
		revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion, urlElicitation:
		return true
	}
	if _, lsp := lspCodes[code]; lsp {
		return true
	}
	const requestTimeout = -32001 // of the TypeScript SDK
	if code == requestTimeout && strings.Contains(text, "timed out") {
		return true
	}
	for _, other := range []string{
		"session", "initializ", "capabilit", "not supported", "unsupported", "protocol version", "header", "unauthorized", "forbidden",
		"cancel", "abort", "rate limit", "too many requests", "connection closed", "shutting down",
	} {
		if strings.Contains(text, other) {
			return true
		}
	}
	return false
}

// unknownToolCode leaves alone an error that says that tools cannot be called at
// all, or not now.
func unknownToolCode(c *Context) {
	if !c.M.IsError() || c.X != nil && c.X.Status >= 400 && c.X.Status != http.StatusNotFound || !errorForUnknownTool(c) {
		return
	}
	code, text := c.M.Envelope.Code, said(Text(c.M.Error, "message"))
	if code == jsonrpc.CodeInvalidParams || code != jsonrpc.CodeMethodNotFound && !deniesTool(text, c.M.Request.Name) && isAboutProtocol(code, text) {
		return
	}
	c.Report(At("error", "code"), "code", code)
}

// argumentsAsError leaves alone what is a matter of the protocol: the shape of
// params, and what the request has in them besides the arguments.
func argumentsAsError(c *Context) {
	r := c.M.Request
	if !c.M.IsError() || c.M.Envelope.Code != jsonrpc.CodeInvalidParams || r == nil || r.Name == "" || errorForUnknownTool(c) {
		return
	}
	if args := Member(r.Params, "arguments"); args != nil && args[0] != '{' {
		return
	}
	text := said(Text(c.M.Error, "message")) + said(string(Member(c.M.Error, "data")))
	for _, other := range []struct {
		word  string
		there bool // the request has what the word may be about
	}{
		{"_meta", has(r.Params, "_meta")},
		{"task", has(r.Params, "task") || c.takesTasks()},
		{"requeststate", has(r.Params, "requestState")},
		{"inputresponses", has(r.Params, "inputResponses")},
		{"header", c.X != nil},
		{"protocol version", true},
		{"protocolversion", true},
		{"capabilit", true},
		{"elicitation", !c.St.ClientOffers("elicitation")},
		{"sampling", !c.St.ClientOffers("sampling")},
	} {
		if other.there && strings.Contains(text, other.word) {
			return
		}
	}
	c.Report(At("error", "code"))
}

// takesTasks reports a call of a tool that can or must be called as a task.
func (c *Context) takesTasks() bool {
	tool, known := c.listedTool(c.M.Request.Name)
	support := Text(Member(tool, "execution"), "taskSupport")
	return !known || support != "" && support != "forbidden"
}

func unknownToolAsResult(c *Context) {
	if !c.M.isToolResult() || !hasFailed(c.M.Result) || c.M.Request == nil {
		return
	}
	name, first := c.M.Request.Name, ""
	for text := range textBlocks(c.M.Result) {
		first = text
		break
	}
	if _, known := c.listedTool(name); !known && !strings.Contains(first, name) {
		return
	}
	if callsUnknownTool(c, first) {
		c.Report(At("result", "isError"))
	}
}

// failurePrefixes begin what programs print when they fail. A word such as Error
// alone begins many a chapter as well.
var failurePrefixes = []string{
	"error:", "error -", "error occurred", "error while ", "exception:", "exception occurred", "traceback (most recent call last)",
	"traceback:", "failed to ", "failed:",
}

// exceptionLine is an exception as Python, Java, JavaScript and .NET print it.
var exceptionLine = regexp.MustCompile(`^(?:Uncaught |Unhandled exception\. |Exception in thread "[^"]*" )?[A-Za-z_][\w.$]*(?:Error|Exception)(?: \[[A-Z_]+\])?: `)

func isException(text string) bool {
	return (strings.Contains(text, "Error") || strings.Contains(text, "Exception")) && exceptionLine.MatchString(text)
}

// hiddenFailure looks at a result with one block of text alone: what it begins
// with, a stack trace, or an object that says so in JSON.
func hiddenFailure(c *Context) {
	if !c.M.isToolResult() || hasFailed(c.M.Result) {
		return
	}
	blocks, only := 0, ""
	for b := range jsonrpc.Elements(Member(c.M.Result, "content")) {
		if blocks++; blocks > 1 || Text(b, "type") != "text" {
			return
		}
		only = Text(b, "text")
	}
	only = strings.TrimLeftFunc(only, func(r rune) bool { return !unicode.IsLetter(r) && r != '{' })
	lower := said(only)
	begins := func(prefix string) bool { return strings.HasPrefix(lower, prefix) }
	if slices.ContainsFunc(failurePrefixes, begins) || isException(only[:min(len(only), maxSaid)]) || isFailureObject(only) {
		c.Report(At("result", "content", 0, "text"))
	}
}

// isFailureObject reports a JSON object whose members say that there is nothing
// but a failure in it.
func isFailureObject(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return false
	}
	b := []byte(text)
	if !isJSONObject(b) || jsonrpc.Scan(b).Fault == jsonrpc.FaultNotJSON {
		return false
	}
	for _, flag := range []string{"success", "ok"} {
		if string(Member(b, flag)) == "false" {
			return true
		}
	}
	reason := Member(b, "error")
	return string(Member(b, "isError")) == "true" ||
		!has(b, "result") && !has(b, "data") && (Kind(reason) == "string" && len(reason) > len(`""`) || Kind(reason) == "object" && len(reason) > len(`{}`))
}

func contentNotBlocks(c *Context) {
	content := Member(c.M.Result, "content")
	if !c.M.isToolResult() || content == nil || Kind(content) == "null" {
		return
	}
	if content[0] != '[' {
		c.Report(At("result", "content"), "got", kindOf(content))
		return
	}
	i := 0
	for b := range jsonrpc.Elements(content) {
		if b[0] != '{' {
			c.Report(At("result", "content", i), "got", "an array of "+Kind(b)+"s")
			return
		}
		i++
	}
}

func isErrorType(c *Context) {
	if !c.M.isToolResult() {
		return
	}
	flag := Member(c.M.Result, "isError")
	switch {
	case Kind(flag) == "boolean":
	case flag != nil:
		c.Report(At("result", "isError"), "got", kindOf(flag))
	case has(c.M.Result, "is_error"):
		c.Report(At("result", "is_error"), "got", "spelled is_error")
	case Kind(Member(c.M.Result, "error")) == "boolean":
		c.Report(At("result", "error"), "got", "called error")
	}
}
