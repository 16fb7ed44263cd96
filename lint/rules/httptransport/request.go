package httptransport

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/lint"
)

// requestRules check the headers of requests.
var requestRules = []lint.Rule{
	{ID: "H001", When: lint.InHTTP, Message: onPost(incompleteAccept)},
	{ID: "H002", When: lint.InHTTP, Message: onPost(func(c *lint.Context) {
		if got, _ := c.X.RequestField("Content-Type"); lint.MediaTypeOf(got) != "application/json" {
			c.ReportExchange("got", lint.EscapedOrNone(got))
		}
	})},
	{
		ID:      "H003",
		Message: afterInitialize(versionMissing),
		HTTP: func(c *lint.Context) {
			if isGetOrDelete(c) && !c.Revision().IsStateless() { // a stateless client should not send such a request at all
				versionMissing(c)
			}
		},
	},
	{ID: "H004", When: lint.InHTTP, Message: afterInitialize(versionDiffers), HTTP: onGetOrDelete(versionDiffers)},
	{ID: "H005", When: lint.InHTTP, Message: onPost(headersDiffer)},
	{ID: "H006", When: lint.Request, Message: onPost(func(c *lint.Context) {
		if _, ok := c.X.RequestField("Mcp-Method"); !ok {
			c.Report(lint.At("method"), "header", "Mcp-Method")
		}
		if param, _, named := paramOf(c.M); named {
			if _, ok := c.X.RequestField("Mcp-Name"); !ok {
				c.Report(lint.At("params", param), "header", "Mcp-Name")
			}
		}
	})},
	{ID: "H007", When: lint.InHTTP, Message: onPost(badEncoding)},
	{ID: "H008", Methods: []string{"tools/call"}, Message: paramHeaders},
	{ID: "H009", When: lint.InHTTP, Message: afterInitialize(missingSession), HTTP: onGetOrDelete(missingSession)},
}

// incompleteAccept parses a list of media types and ignores their weights.
func incompleteAccept(c *lint.Context) {
	got, _ := c.X.RequestField("Accept")
	var json, stream, anything bool
	for part := range strings.SplitSeq(got, ",") {
		switch lint.MediaTypeOf(part) {
		case "application/json", "application/*":
			json = true
		case "text/event-stream", "text/*":
			stream = true
		case "*/*":
			anything = true
		}
	}
	switch {
	case json && stream:
	case anything:
		c.ReportInfo(lint.Whole, "got", lint.Escaped(got))
	default:
		c.ReportExchange("got", lint.EscapedOrNone(got))
	}
}

// onPost applies a check to the messages of POST requests.
func onPost(check func(*lint.Context)) func(*lint.Context) {
	return func(c *lint.Context) {
		if isPost(c) {
			check(c)
		}
	}
}

// afterInitialize applies a check to all requests except initialize.
func afterInitialize(check func(*lint.Context)) func(*lint.Context) {
	return onPost(func(c *lint.Context) {
		if c.M.Method != "initialize" {
			check(c)
		}
	})
}

func onGetOrDelete(check func(*lint.Context)) func(*lint.Context) {
	return func(c *lint.Context) {
		if isGetOrDelete(c) {
			check(c)
		}
	}
}

func versionMissing(c *lint.Context) {
	if _, ok := c.X.RequestField("Mcp-Protocol-Version"); !ok {
		c.ReportExchange()
	}
}

func versionDiffers(c *lint.Context) {
	want := string(c.St.Revision)
	if got, ok := c.X.RequestField("Mcp-Protocol-Version"); ok && got != want {
		c.ReportExchange("got", lint.EscapedOrNone(got), "want", lint.Escaped(want))
	}
}

func missingSession(c *lint.Context) {
	if c.St.SessionID == "" {
		return
	}
	if got, ok := c.X.RequestField("Mcp-Session-Id"); !ok || !secret.ParseSessionID(got).Same(secret.ParseSessionID(c.St.SessionID)) {
		c.ReportExchange("id", shownSession(c.St.SessionID))
	}
}

// headersDiffer compares the headers with the body that they are made from.
func headersDiffer(c *lint.Context) {
	if want := jsonrpc.Text(c.M.Params, "_meta", revision.MetaProtocolVersion); want != "" {
		if got, ok := c.X.RequestField("Mcp-Protocol-Version"); ok && got != want {
			c.Report(lint.At("params", "_meta", revision.MetaProtocolVersion),
				"header", "MCP-Protocol-Version", "got", lint.Escaped(got), "want", lint.Escaped(want))
		}
	}
	if got, ok := c.X.RequestField("Mcp-Method"); ok && got != c.M.Method && !c.M.IsResponse() {
		c.Report(lint.At("method"), "header", "Mcp-Method", "got", lint.Escaped(got), "want", lint.Escaped(c.M.Method))
	}
	param, want, named := paramOf(c.M)
	if got, ok := c.X.RequestField("Mcp-Name"); ok && named && got != want && !isRedacted("Mcp-Name", got) {
		if text, err := revision.DecodeHeaderValue(got); err == nil && text != want {
			c.Report(lint.At("params", param), "header", "Mcp-Name", "got", lint.Escaped(text), "want", lint.Escaped(want))
		}
	}
}

// badEncoding checks the headers that repeat values of the body. An encoded value is correct if it
// equals the value in the body.
func badEncoding(c *lint.Context) {
	if c.M.Method == "" {
		return
	}
	for name, values := range c.X.RequestHeader {
		isName := strings.EqualFold(name, "Mcp-Name")
		isParam := len(name) > len(paramheader.Prefix) && strings.EqualFold(name[:len(paramheader.Prefix)], paramheader.Prefix)
		if !isName && !isParam || len(values) == 0 || isRedacted(name, values[0]) {
			continue
		}
		place := lint.Whole
		if param, want, named := paramOf(c.M); isName && named {
			if place = lint.At("params", param); values[0] == want && isASCII(want) {
				continue
			}
		} else if isParam && isASCII(values[0]) && isArgument(c.M, values[0]) {
			continue
		}
		if _, err := revision.DecodeHeaderValue(values[0]); err != nil {
			c.Report(place, "header", http.CanonicalHeaderKey(name), "reason", err)
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isArgument reports a text that is an argument of the call.
func isArgument(m *lint.Message, text string) bool {
	for _, v := range jsonrpc.Members(m.Get(m.Params, "arguments")) {
		if s, ok := jsonrpc.Unquote(v); ok && s == text {
			return true
		}
	}
	return false
}

// paramHeaders compares the headers of a call with the arguments that the schema
// of the tool repeats in headers. A client that does not know the tool sends none.
func paramHeaders(c *lint.Context) {
	tools := c.St.Tools()
	if !isPost(c) || !c.M.IsRequest() || tools == nil || !tools.Complete {
		return
	}
	schema := jsonrpc.Get(tools.Named(c.M.Text(c.M.Params, "name")), "inputSchema")
	if !bytes.Contains(schema, []byte("x-mcp-header")) && bytes.IndexByte(schema, '\\') < 0 {
		return
	}
	params, err := paramheader.Read(schema)
	if err != nil {
		return // T030 to T033
	}
	for _, p := range params {
		checkParamHeader(c, p)
	}
}

func checkParamHeader(c *lint.Context, p paramheader.Param) {
	name := http.CanonicalHeaderKey(paramheader.Prefix + p.Header)
	got, sent := c.X.RequestField(name)
	text, _ := revision.DecodeHeaderValue(got)
	argument := c.M.Get(c.M.Params, "arguments")
	want, has := p.Value(argument)
	at := []any{"params", "arguments"}
	for _, step := range p.Path {
		at = append(at, step)
	}
	switch kind := jsonrpc.TypeOf(jsonrpc.Get(argument, p.Path[0], p.Path[1:]...)); {
	case kind == "object" || kind == "array": // T006
	case !has && sent:
		c.Report(lint.Whole, "name", lint.Escaped(p.Header), "reason", "is sent although there is no such argument")
	case !has:
	case !sent:
		c.Report(lint.At(at...), "name", lint.Escaped(p.Header), "reason", "is missing")
	case isRedacted(name, got), text == want, isSameNumber(text, kind, want):
	default:
		c.Report(lint.At(at...), "name", lint.Escaped(p.Header), "reason", `is "`+lint.Escaped(text)+`", the argument is "`+lint.Escaped(want)+`"`)
	}
}

// isSameNumber reports two spellings of a number.
func isSameNumber(text, kind, want string) bool {
	a, errA := strconv.ParseFloat(text, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return kind == "number" && errA == nil && errB == nil && a == b
}
