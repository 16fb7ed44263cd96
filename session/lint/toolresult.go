package lint

import (
	"iter"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// isToolResult reports the result of a call that is the end of the work, and no
// task (2025-11-25 has no resultType to tell).
func isToolResult(c *Case) bool {
	m := c.M
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

// mostSaid is how much of a text is looked at for what it says.
const mostSaid = 300

func said(text string) string { return strings.ToLower(text[:min(len(text), mostSaid)]) }

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

// denied reports a call of a tool that does not exist, as the error says, and
// the list does not say otherwise.
func denied(c *Case) bool {
	if c.M.Request == nil || !deniesTool(Text(c.M.Error, "message"), c.M.Request.Name) {
		return false
	}
	tool, _ := c.listedTool(c.M.Request.Name)
	return tool == nil
}

// failureAsError judges by meaning: a tool that is in the list was called, and the
// server answers with an error that is not about the protocol. Without the list
// only the words can tell.
func failureAsError(c *Case) {
	r := c.M.Request
	if !c.M.IsError() || r == nil || r.Cancelled || denied(c) || c.X != nil && c.X.Status >= 400 {
		return
	}
	const failed = -32002
	code := c.M.Envelope.Code
	text := said(Text(c.M.Error, "message"))
	says := strings.Contains(text, "tool execution failed") || strings.Contains(text, "tool execution error") ||
		strings.Contains(text, "error executing tool") || strings.Contains(text, "tool call failed") || strings.Contains(text, "tool failed")
	tool, known := c.listedTool(r.Name)
	if says || code == failed || known && tool != nil && !isAboutProtocol(code, text) {
		c.Find(At("error", "code"), "code", code)
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

func unknownToolCode(c *Case) {
	if c.M.IsError() && c.M.Envelope.Code != jsonrpc.CodeInvalidParams && denied(c) {
		c.Find(At("error", "code"), "code", c.M.Envelope.Code)
	}
}

// argumentsAsError leaves alone what is a matter of the protocol: the shape of
// params, and what is in them besides the arguments.
func argumentsAsError(c *Case) {
	r := c.M.Request
	if !c.M.IsError() || c.M.Envelope.Code != jsonrpc.CodeInvalidParams || r == nil || r.Name == "" || denied(c) {
		return
	}
	if args := Member(r.Params, "arguments"); args != nil && args[0] != '{' {
		return
	}
	if tool, known := c.listedTool(r.Name); known && tool == nil {
		return
	}
	text := said(Text(c.M.Error, "message")) + said(string(Member(c.M.Error, "data")))
	for _, other := range []string{"_meta", "header", "requeststate", "inputresponses", "task", "protocol", "capabilit", "elicitation", "sampling"} {
		if strings.Contains(text, other) {
			return
		}
	}
	c.Find(At("error", "code"))
}

func unknownToolAsResult(c *Case) {
	if !isToolResult(c) || !hasFailed(c.M.Result) || c.M.Request == nil {
		return
	}
	tool, known := c.listedTool(c.M.Request.Name)
	if tool != nil {
		return
	}
	for text := range textBlocks(c.M.Result) {
		if deniesTool(text, c.M.Request.Name) && (known || c.M.Request.Name != "" && strings.Contains(text, c.M.Request.Name)) {
			c.Find(At("result", "isError"))
		}
		return
	}
}

// hiddenFailure takes only what programs print: a word such as Error begins
// many a chapter as well.
func hiddenFailure(c *Case) {
	if !isToolResult(c) || hasFailed(c.M.Result) {
		return
	}
	blocks, only := 0, ""
	for b := range jsonrpc.Elements(Member(c.M.Result, "content")) {
		if blocks++; blocks > 1 || Text(b, "type") != "text" {
			return
		}
		only = Text(b, "text")
	}
	for _, begins := range []string{
		"error:", "error -", "error occurred", "error while ", "exception:", "exception occurred", "traceback (most recent call last)",
		"traceback:", "failed to ", "failed:",
	} {
		if strings.HasPrefix(said(only), begins) {
			c.Find(At("result", "content", 0, "text"))
			return
		}
	}
}

func contentNotBlocks(c *Case) {
	content := Member(c.M.Result, "content")
	if !isToolResult(c) || content == nil || Kind(content) == "null" {
		return
	}
	if content[0] != '[' {
		c.Find(At("result", "content"), "got", spokenKind(content))
		return
	}
	i := 0
	for b := range jsonrpc.Elements(content) {
		if b[0] != '{' {
			c.Find(At("result", "content", i), "got", "an array of "+Kind(b)+"s")
			return
		}
		i++
	}
}

func isErrorType(c *Case) {
	if !isToolResult(c) {
		return
	}
	flag := Member(c.M.Result, "isError")
	switch {
	case Kind(flag) == "boolean":
	case flag != nil:
		c.Find(At("result", "isError"), "got", spokenKind(flag))
	case has(c.M.Result, "is_error"):
		c.Find(At("result", "is_error"), "got", "spelled is_error")
	case Kind(Member(c.M.Result, "error")) == "boolean":
		c.Find(At("result", "error"), "got", "called error")
	}
}
