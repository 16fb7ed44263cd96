// Package errorcodes checks the codes and texts of error responses.
package errorcodes

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// Rules check error codes.
var Rules = []lint.Rule{
	{ID: "E001", When: lint.ErrorResponse, Message: wrongCode(func(c *lint.Context, code int64) bool {
		return c.FromStatelessServer() && code <= -32020 && code >= -32099 && code != revision.CodeURLElicitationRequired && !isDefined(code, c.M.Revision)
	})},
	{ID: "E002", When: lint.ErrorResponse, Message: func(c *lint.Context) {
		code, ok := lint.ErrorCode(c.M)
		switch {
		case !ok || !c.FromStatelessServer():
		case code == revision.CodeResourceNotFound:
			c.Report(codePlace, "got", code, "want", "-32602")
		case code == revision.CodeURLElicitationRequired:
			c.Report(codePlace, "got", code, "want", "a result with the resultType input_required")
		}
	}},
	{ID: "E003", When: lint.ErrorResponse, Message: misnamedCode},
	{ID: "E004", When: lint.ErrorResponse, Message: wrongCode(func(_ *lint.Context, code int64) bool {
		return code >= -32768 && code <= -32100 && !isStandard(code)
	})},
	{ID: "E005", When: lint.ErrorResponse, Message: func(c *lint.Context) {
		code, ok := lint.ErrorCode(c.M)
		if name, known := lint.LSPCodes[code]; ok && known {
			c.Report(codePlace, "code", code, "name", name)
		}
	}},
	{ID: "E006", When: lint.ErrorResponse, Message: wrongCode(func(c *lint.Context, code int64) bool {
		return c.FromStatelessServer() && code <= -32000 && code >= -32019 && code != revision.CodeResourceNotFound
	})},
	{ID: "E007", When: lint.ErrorResponse, Message: draftCode},
	{ID: "E008", When: lint.ErrorResponse, Message: wrongCode(func(_ *lint.Context, code int64) bool { return code >= 0 })},
	{ID: "E009", When: lint.ErrorResponse, Message: codeAndText},
	{ID: "E010", When: lint.ErrorResponse | lint.FromServer, Message: leak, Body: leakOfBody},
	{ID: "E011", When: lint.ErrorResponse, Message: urlElicitationError},
}

var codePlace = lint.At("error", "code")

// wrongCode reports the codes that meet a condition.
func wrongCode(is func(c *lint.Context, code int64) bool) func(*lint.Context) {
	return func(c *lint.Context) {
		if code, ok := lint.ErrorCode(c.M); ok && is(c, code) && !isOfExtension(c, code) {
			c.Report(codePlace, "got", code)
		}
	}
}

// isOfExtension reports whether a server error code responds to a method of a declared extension, which defines
// its meaning.
func isOfExtension(c *lint.Context, code int64) bool {
	if code > -32000 || code < -32099 {
		return false
	}
	_, _, ofEvents := revision.EventErrorOf(code)
	switch {
	case c.M.Request == nil: // no request has the id
		return ofEvents && c.MayBeOfExtension(revision.EventsPoll)
	case ofEvents && strings.HasPrefix(c.M.Request.Method, "events/"):
		return true // rules of events judge it
	}
	_, known := revision.Lookup(c.M.Request.Method)
	return !known && c.MayBeOfExtension(c.M.Request.Method)
}

// isDefined reports whether a protocol version defines a code.
func isDefined(code int64, r revision.Revision) bool {
	return slices.ContainsFunc(revision.Codes(r), func(d revision.Code) bool { return int64(d.Code) == code })
}

// isStandard reports one of the five codes of JSON-RPC.
func isStandard(code int64) bool { return codeNames[code] != nil }

// misnamedCode compares the text with the names that the specification gives to
// codes. The response to a stateless request of a server that is not known to be
// stateless has the codes of its own version. A server may define codes of its own between -32000 and -32099, but an
// error that the specification defines has the code of the specification.
func misnamedCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || !c.FromServer() || code > -32000 || code < -32099 || isDefined(code, c.M.Revision) || c.M.IsStateless() && !c.St.Revision.IsStateless() {
		return
	}
	text := withoutPrefix(c.M.Text(c.M.Error, "message"))
	for _, defined := range revision.Codes(c.M.Revision) {
		if isNamed(text, defined.Name) {
			report := c.ReportInfo
			if isRequired(int64(defined.Code)) {
				report = c.Report
			}
			report(codePlace, "code", code, "text", lint.Escaped(text), "want", defined.Code)
			return
		}
	}
}

// isRequired reports a code that 2026-07-28 requires for its error; other sentences about codes
// are examples.
func isRequired(code int64) bool {
	return code == revision.CodeHeaderMismatch || code == revision.CodeMissingCapability || code == revision.CodeUnsupportedVersion
}

// draftCode recognizes the codes of drafts of 2026-07-28 by the data of the
// error.
func draftCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || !c.FromServer() {
		return
	}
	want := 0
	switch data := c.M.Get(c.M.Error, "data"); code {
	case -32001:
		text := strings.ToLower(c.M.Text(c.M.Error, "message"))
		if strings.Contains(text, "header") && strings.Contains(text, "mismatch") || strings.Contains(text, "headermismatch") {
			want = revision.CodeHeaderMismatch
		}
		if c.X != nil && c.X.Status == http.StatusBadRequest && c.FromStatelessServer() {
			want = revision.CodeHeaderMismatch // no other error with that status has the code
		}
	case -32003:
		if lint.Has(data, "requiredCapabilities") {
			want = revision.CodeMissingCapability
		}
	case -32004:
		if lint.Has(data, "supported") {
			want = revision.CodeUnsupportedVersion
		}
	}
	if want != 0 {
		c.Report(codePlace, "code", code, "want", want)
	}
}

// libraryPrefix matches what libraries put before the text of an error.
var libraryPrefix = lazyregexp.New(`^(?:MCP error -?\d+|[\w.]*Error|[\w.]*Exception): `)

// codeNames maps codes to the names of the standard codes, and other common names.
var codeNames = map[int64][]string{
	jsonrpc.CodeParseError:     {"Parse error"},
	jsonrpc.CodeInvalidRequest: {"Invalid request"},
	jsonrpc.CodeMethodNotFound: {"Method not found", "unknown method", "no such method"},
	jsonrpc.CodeInvalidParams:  {"Invalid params", "invalid parameters"},
	jsonrpc.CodeInternalError:  {"Internal error", "internal server error"},
}

// codeAndText compares a standard code with a text that starts with the name of another code.
func codeAndText(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || !isStandard(code) {
		return
	}
	text := withoutPrefix(c.M.Text(c.M.Error, "message"))
	for other, names := range codeNames {
		begins := func(name string) bool { return isNamed(text, name) }
		if other != code && slices.ContainsFunc(names, begins) {
			c.Report(lint.At("error", "message"), "text", lint.Escaped(text), "name", codeNames[code][0])
			return
		}
	}
}

// withoutPrefix returns the text of an error without the prefixes of libraries.
func withoutPrefix(text string) string {
	for prefix := libraryPrefix().FindString(text); prefix != ""; prefix = libraryPrefix().FindString(text) {
		text = text[len(prefix):]
	}
	return text
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

func urlElicitationError(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || code != revision.CodeURLElicitationRequired || !c.FromServer() {
		return
	}
	if reason := elicitationsFault(jsonrpc.Get(c.M.Error, "data", "elicitations")); reason != "" {
		c.Report(lint.At("error", "data", "elicitations"), "reason", reason)
		return
	}
	if c.St.ClientCaps != nil && !c.St.ClientOffers("elicitation", "url") {
		c.For("undeclared").Report(codePlace, "reason", "the client has not declared elicitation.url")
	}
}

func elicitationsFault(list []byte) string {
	if jsonrpc.TypeOf(list) != "array" {
		return "data.elicitations is missing"
	}
	for i, e := range lint.Indexed(list) {
		switch {
		case jsonrpc.Text(e, "mode") != "url":
			return fmt.Sprintf("data.elicitations[%d] does not have the mode url", i)
		case jsonrpc.Text(e, "elicitationId") == "":
			return fmt.Sprintf("data.elicitations[%d] has no elicitationId", i)
		}
	}
	if lint.First(list) == nil {
		return "data.elicitations is empty"
	}
	return ""
}
