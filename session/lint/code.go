package lint

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// codeRules judge error codes.
var codeRules = []rule{
	{id: "E001", message: func(c *Context) {
		code, ok := errorCode(c.M)
		if ok && c.fromModern() && code <= -32020 && code >= -32099 && code != urlElicitation && !isDefined(code, c.M.Revision) {
			c.Report(codePlace, "got", code)
		}
	}},
	{id: "E002", message: func(c *Context) {
		code, ok := errorCode(c.M)
		switch {
		case !ok || !c.fromModern():
		case code == notFoundBefore26:
			c.Report(codePlace, "got", code, "want", "-32602")
		case code == urlElicitation:
			c.Report(codePlace, "got", code, "want", "a result with the resultType input_required")
		}
	}},
	{id: "E003", message: articleCode},
	{id: "E004", message: func(c *Context) {
		code, ok := errorCode(c.M)
		if ok && code >= -32768 && code <= -32100 && !isStandard(code) {
			c.Report(codePlace, "got", code)
		}
	}},
	{id: "E005", message: func(c *Context) {
		code, ok := errorCode(c.M)
		if name, known := lspCodes[code]; ok && known {
			c.Report(codePlace, "code", code, "name", name)
		}
	}},
	{id: "E006", message: func(c *Context) {
		code, ok := errorCode(c.M)
		if ok && c.fromModern() && code <= -32000 && code >= -32019 && code != notFoundBefore26 {
			c.Report(codePlace, "got", code)
		}
	}},
	{id: "E007", message: draftCode},
	{id: "E008", message: func(c *Context) {
		if code, ok := errorCode(c.M); ok && code >= 0 {
			c.Report(codePlace, "got", code)
		}
	}},
	{id: "E009", message: codeAndText},
	{id: "E010", message: leak},
	{id: "E011", message: urlElicitationError},
}

var codePlace = At("error", "code")

// Codes that revisions before 2026-07-28 had.
const (
	notFoundBefore26 = -32002
	urlElicitation   = -32042
)

// lspCodes are those of the Language Server Protocol.
var lspCodes = map[int64]string{
	-32800: "RequestCancelled", -32801: "ContentModified", -32802: "ServerCancelled", -32803: "RequestFailed",
}

// errorCode is the code of an error, where that is a whole number.
func errorCode(m *Message) (int64, bool) {
	if !m.IsError() {
		return 0, false
	}
	return jsonrpc.Integer(Member(m.Error, "code"))
}

func (c *Context) fromServer() bool { return c.M.Frame.Dir == transport.In }

// fromModern reports a message of a server that is known to do without
// handshake: one that was only asked whether it does knows nothing of the codes.
func (c *Context) fromModern() bool { return c.fromServer() && c.St.Revision.IsStateless() }

// isDefined reports a code to which a revision gives a meaning.
func isDefined(code int64, r revision.Revision) bool {
	return slices.ContainsFunc(revision.Codes(r), func(d revision.Code) bool { return int64(d.Code) == code })
}

// isStandard reports one of the five codes of JSON-RPC.
func isStandard(code int64) bool { return standardName(code) != "" }

func standardName(code int64) string {
	switch code {
	case jsonrpc.CodeParseError:
		return "Parse error"
	case jsonrpc.CodeInvalidRequest:
		return "Invalid request"
	case jsonrpc.CodeMethodNotFound:
		return "Method not found"
	case jsonrpc.CodeInvalidParams:
		return "Invalid params"
	case jsonrpc.CodeInternalError:
		return "Internal error"
	}
	return ""
}

// articles are the texts of a catalogue of codes that was never one of MCP, and
// what MCP has in their place.
var articles = []struct {
	words []string // all of them are in the text
	want  string
}{
	{[]string{"tool", "not found"}, "-32602"},
	{[]string{"prompt", "not found"}, "-32602"},
	{[]string{"resource", "not found"}, "-32002, since 2026-07-28 -32602"},
	{[]string{"resource", "unavailable"}, "-32603"},
	{[]string{"invalid resource uri"}, "-32602"},
	{[]string{"unauthorized"}, "HTTP 401 with WWW-Authenticate"},
	{[]string{"rate limit"}, "HTTP 429, or a tool result with isError"},
	{[]string{"execution failed"}, "a result with isError: true"},
}

func articleCode(c *Context) {
	code, ok := errorCode(c.M)
	if !ok || !c.fromServer() || code != -32001 && (code > -32003 || code < -32008) {
		return
	}
	text := Text(c.M.Error, "message")
	lower := strings.ToLower(text)
	for _, a := range articles {
		if !slices.ContainsFunc(a.words, func(w string) bool { return !strings.Contains(lower, w) }) {
			c.Report(codePlace, "code", code, "text", escaped(text), "want", a.want)
			return
		}
	}
}

// draftCode knows the numbers that drafts of 2026-07-28 had, by what comes with
// them.
func draftCode(c *Context) {
	code, ok := errorCode(c.M)
	if !ok || !c.fromServer() {
		return
	}
	want := 0
	switch data := Member(c.M.Error, "data"); code {
	case -32001:
		text := strings.ToLower(Text(c.M.Error, "message"))
		if strings.Contains(text, "header") && strings.Contains(text, "mismatch") || strings.Contains(text, "headermismatch") {
			want = revision.CodeHeaderMismatch
		}
		if c.X != nil && c.X.Status == http.StatusBadRequest && c.fromModern() {
			want = revision.CodeHeaderMismatch // no other error of that status has the code
		}
	case -32003:
		if has(data, "requiredCapabilities") {
			want = revision.CodeMissingCapability
		}
	case -32004:
		if has(data, "supported") {
			want = revision.CodeUnsupportedVersion
		}
	}
	if want != 0 {
		c.Report(codePlace, "code", code, "want", want)
	}
}

// libraryWords are what libraries put before the text of an error.
var libraryWords = regexp.MustCompile(`^(?:MCP error -?\d+|[\w.]*Error|[\w.]*Exception): `)

// codeNames are the names of the standard codes, and what they are also called.
var codeNames = map[int64][]string{
	jsonrpc.CodeParseError:     {"parse error"},
	jsonrpc.CodeInvalidRequest: {"invalid request"},
	jsonrpc.CodeMethodNotFound: {"method not found", "unknown method", "no such method"},
	jsonrpc.CodeInvalidParams:  {"invalid params", "invalid parameters"},
	jsonrpc.CodeInternalError:  {"internal error", "internal server error"},
}

// codeAndText compares a standard code with a text that begins with the name of
// another one. What else a text says is free.
func codeAndText(c *Context) {
	code, ok := errorCode(c.M)
	if !ok || !isStandard(code) {
		return
	}
	text := Text(c.M.Error, "message")
	for prefix := libraryWords.FindString(text); prefix != ""; prefix = libraryWords.FindString(text) {
		text = text[len(prefix):]
	}
	for other, names := range codeNames {
		begins := func(name string) bool { return isNamed(text, name) }
		if other != code && slices.ContainsFunc(names, begins) {
			c.Report(At("error", "message"), "text", escaped(text), "name", standardName(code))
			return
		}
	}
}

// isNamed reports a text that is a name, or a name and then more. Method names and
// the like may follow it.
func isNamed(text, name string) bool {
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return false
	}
	rest := text[len(name):]
	return rest == "" || strings.IndexByte(":.,;!(", rest[0]) >= 0 || strings.HasPrefix(rest, " ") && strings.Contains(rest, "/")
}

func urlElicitationError(c *Context) {
	code, ok := errorCode(c.M)
	if !ok || code != urlElicitation || !c.fromServer() {
		return
	}
	if reason := elicitationsFault(Member(c.M.Error, "data", "elicitations")); reason != "" {
		c.Report(At("error", "data", "elicitations"), "reason", reason)
		return
	}
	if c.St.ClientCaps != nil && !c.St.ClientOffers("elicitation", "url") {
		c.Report(codePlace, "reason", "the client has not declared elicitation.url")
	}
}

func elicitationsFault(list []byte) string {
	if Kind(list) != "array" {
		return "data.elicitations is missing"
	}
	i := 0
	for e := range jsonrpc.Elements(list) {
		switch {
		case Text(e, "mode") != "url":
			return fmt.Sprintf("data.elicitations[%d] has not the mode url", i)
		case Text(e, "elicitationId") == "":
			return fmt.Sprintf("data.elicitations[%d] has no elicitationId", i)
		}
		i++
	}
	if i == 0 {
		return "data.elicitations is empty"
	}
	return ""
}
