package tools

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema/check"
	"mcptea/lint"
	"mcptea/record/flow"
)

// failureAsError reports an error response to the call of a listed tool that is
// not about the protocol. Without the list, the text decides.
func failureAsError(c *lint.Context) {
	r := c.M.Request
	code, ok := lint.ErrorCode(c.M)
	if !ok || r.State == flow.Cancelled || lint.IsUnknownToolError(c) || c.X != nil && c.X.Status >= 400 {
		return
	}
	tool, known := c.ListedTool(r.Name)
	args := jsonrpc.Get(r.Params, "arguments")
	if args != nil && args[0] != '{' || known && refuses(tool, args) {
		return // the request is wrong (T003), and no tool was called
	}
	const failed = -32002
	text := lint.LowerStart(c.M.Text(c.M.Error, "message"))
	says := strings.Contains(text, "tool execution failed") || strings.Contains(text, "tool execution error") ||
		strings.Contains(text, "error executing tool") || strings.Contains(text, "tool call failed") || strings.Contains(text, "tool failed")
	if known && isOwnCheck(tool, text) {
		return // the server has checked its result against the outputSchema: the call is not refused
	}
	if says || code == failed || known && tool != nil && !isAboutProtocol(code, text) {
		c.Report(lint.At("error", "code"), "code", code)
	}
}

// refuses reports whether the inputSchema of a tool rejects the arguments. The schema is compiled only for
// errors.
func refuses(tool, args []byte) bool {
	if args == nil {
		args = []byte("{}")
	}
	mistake, ok := check.Compile(jsonrpc.Get(tool, "inputSchema"), check.Options{}).Check(args)
	return ok && mistake != nil
}

// isOwnCheck reports whether an error means that the server itself has found that the result of a tool does not
// fit its outputSchema.
func isOwnCheck(tool []byte, text string) bool {
	return lint.Has(tool, "outputSchema") && ownCheck().MatchString(text)
}

var ownCheck = lazyregexp.New(`\boutput (?:validation|schema)\b|\boutputschema\b|\bstructured ?content\b|\btool output\b|\bvalidation errors? for \w*output\b`)

// isAboutProtocol reports an error of tools/call that is about the request, the
// session, the capabilities, the revision, a cancellation or a limit, and not a
// failure of the tool.
func isAboutProtocol(code int64, text string) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams,
		revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion, revision.CodeURLElicitationRequired:
		return true
	}
	if _, lsp := lint.LSPCodes[code]; lsp {
		return true
	}
	const requestTimeout = -32001 // code of the TypeScript SDK
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

// unknownToolCode ignores errors that are about all calls of tools.
func unknownToolCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || c.X != nil && c.X.Status >= 400 && c.X.Status != http.StatusNotFound || !lint.IsUnknownToolError(c) {
		return
	}
	text := lint.LowerStart(c.M.Text(c.M.Error, "message"))
	if code == jsonrpc.CodeInvalidParams || code != jsonrpc.CodeMethodNotFound && !lint.DeniesTool(text, c.M.Request.Name) && isAboutProtocol(code, text) {
		return
	}
	c.Report(lint.At("error", "code"), "code", code)
}

// argumentsAsError ignores errors about params other than the arguments.
func argumentsAsError(c *lint.Context) {
	r := c.M.Request
	if !c.M.Envelope.ErrorCode().Is(jsonrpc.CodeInvalidParams) || r.Name == "" || lint.IsUnknownToolError(c) {
		return
	}
	if args := jsonrpc.Get(r.Params, "arguments"); args != nil && args[0] != '{' {
		return
	}
	text := lint.LowerStart(c.M.Text(c.M.Error, "message")) + lint.LowerStart(string(c.M.Get(c.M.Error, "data")))
	for _, other := range []struct {
		word  string
		there bool // the request has the member that the word names
	}{
		{"_meta", lint.Has(r.Params, "_meta")},
		{"task", lint.Has(r.Params, "task") || takesTasks(c)},
		{"requeststate", lint.Has(r.Params, "requestState")},
		{"inputresponses", lint.Has(r.Params, "inputResponses")},
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
	if tool, known := c.ListedTool(r.Name); known && isOwnCheck(tool, text) {
		return
	}
	c.Report(lint.At("error", "code"))
}

// takesTasks reports a call of a tool that can or must be called as a task.
func takesTasks(c *lint.Context) bool {
	tool, known := c.ListedTool(c.M.Request.Name)
	support := jsonrpc.Text(jsonrpc.Get(tool, "execution"), "taskSupport")
	return !known || support != "" && support != "forbidden"
}

func unknownToolAsToolError(c *lint.Context) {
	if !c.M.IsToolError() {
		return
	}
	first := ""
	for text := range c.M.TextBlocks() {
		first = text
		break
	}
	if _, known := c.ListedTool(c.M.Request.Name); known && lint.CallsUnknownTool(c, first) {
		c.Report(lint.At("result", "isError"))
	}
}

// failurePrefixes lists the starts of the output of failed programs. The word "Error" without more may be a
// heading.
var failurePrefixes = []string{
	"error:", "error -", "error occurred", "error while ", "exception:", "exception occurred", "traceback (most recent call last)",
	"traceback:", "failed to ", "failed:", "missing required ",
}

// exceptionLine is an exception as Python, Java, JavaScript and .NET print it.
var exceptionLine = lazyregexp.New(`^(?:Uncaught |Unhandled exception\. |Exception in thread "[^"]*" )?[A-Za-z_][\w.$]*(?:Error|Exception)(?: \[[A-Z_]+\])?: `)

func isException(text string) bool {
	return (strings.Contains(text, "Error") || strings.Contains(text, "Exception")) && exceptionLine().MatchString(text)
}

// hiddenFailure checks a result with a single text block: its beginning, a stack
// trace, or a JSON object that reports a failure.
func hiddenFailure(c *lint.Context) {
	if c.M.IsToolError() {
		return
	}
	var raw []byte
	blocks := 0
	for _, b := range c.M.Indexed(c.M.Get(c.M.Result, "content")) {
		if blocks++; blocks > 1 || c.M.Text(b, "type") != "text" {
			return
		}
		raw = c.M.Get(b, "text")
	}
	if ReportsFailure(raw) {
		c.Report(lint.At("result", "content", 0, "text"))
	}
}

// ReportsFailure reports whether a text, as a JSON string, begins as programs print failures, or is an object that
// reports one.
func ReportsFailure(raw []byte) bool {
	if !mayReportFailure(raw) {
		return false
	}
	only, _ := jsonrpc.Unquote(raw)
	whole := strings.TrimSpace(only)
	only = strings.TrimLeftFunc(only, isNoBeginning)
	lower := lint.LowerStart(only)
	begins := func(prefix string) bool { return strings.HasPrefix(lower, prefix) }
	return slices.ContainsFunc(failurePrefixes, begins) || isException(only[:min(len(only), lint.MaxStart)]) || isFailureObject(only) || isMarked(whole)
}

// isMarked reports a text of one line that begins with a mark of a failure and has the word error or failed: a list of
// checks may begin with the same mark.
func isMarked(text string) bool {
	rest, ok := strings.CutPrefix(text, "❌")
	if !ok || strings.ContainsAny(text, "\r\n") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(rest[:min(len(rest), lint.MaxStart)]), isNoBeginning)
	return slices.Contains(words, "error") || slices.Contains(words, "failed")
}

// mayReportFailure returns false for most strings that hiddenFailure would not report.
func mayReportFailure(raw []byte) bool {
	if bytes.IndexByte(raw, '\\') >= 0 || bytes.HasPrefix(raw, []byte(`"❌`)) {
		return true
	}
	text := bytes.TrimLeftFunc(raw, isNoBeginning)
	return len(text) > 0 && bytes.IndexByte([]byte("EeFfMmTt{"), text[0]) >= 0 || bytes.Contains(text, []byte("Error")) || bytes.Contains(text, []byte("Exception"))
}

// isNoBeginning reports whether a character may precede the first word of a text.
func isNoBeginning(r rune) bool { return !unicode.IsLetter(r) && r != '{' }

// isFailureObject reports a JSON object whose members report a failure.
func isFailureObject(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return false
	}
	b := []byte(text)
	if !lint.IsJSONObject(b) || jsonrpc.Scan(b).Fault == jsonrpc.FaultNotJSON {
		return false
	}
	for _, verdict := range []string{"valid", "isValid", "is_valid"} {
		if jsonrpc.TypeOf(jsonrpc.Get(b, verdict)) == "boolean" {
			return false // the tool checks whether something is correct, and its error is the answer
		}
	}
	for _, flag := range []string{"success", "ok"} {
		if string(jsonrpc.Get(b, flag)) == "false" {
			return true
		}
	}
	reason := jsonrpc.Get(b, "error")
	return string(jsonrpc.Get(b, "isError")) == "true" ||
		!lint.Has(b, "result") && !lint.Has(b, "data") && (jsonrpc.TypeOf(reason) == "string" && len(reason) > len(`""`) || jsonrpc.TypeOf(reason) == "object" && len(reason) > len(`{}`))
}

func isErrorType(c *lint.Context) {
	flag := c.M.Get(c.M.Result, "isError")
	switch {
	case jsonrpc.TypeOf(flag) == "boolean":
	case flag != nil:
		c.Report(lint.At("result", "isError"), "got", lint.KindOf(flag))
	case c.M.Has(c.M.Result, "is_error"):
		c.Report(lint.At("result", "is_error"), "got", "spelled is_error")
	case jsonrpc.TypeOf(c.M.Get(c.M.Result, "error")) == "boolean":
		c.Report(lint.At("result", "error"), "got", "called error")
	}
}
