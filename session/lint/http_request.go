package lint

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
)

// requestRules judge the heads of requests.
var requestRules = []rule{
	{id: "H001", message: incompleteAccept},
	{id: "H002", message: func(c *Context) {
		if !c.posted() {
			return
		}
		if got, _ := c.X.said("Content-Type"); bareHeader(got) != "application/json" {
			c.reportHead("got", orNone(got))
		}
	}},
	{
		id: "H003",
		message: func(c *Context) {
			if c.posted() && c.M.Method != "initialize" {
				c.versionMissing()
			}
		},
		http: func(c *Context) {
			if c.unasked() && !c.revision().IsStateless() { // there it should not be sent at all
				c.versionMissing()
			}
		},
	},
	{
		id: "H004",
		message: func(c *Context) {
			if c.posted() && c.M.Method != "initialize" {
				c.versionDiffers()
			}
		},
		http: func(c *Context) {
			if c.unasked() {
				c.versionDiffers()
			}
		},
	},
	{id: "H005", message: headersDiffer},
	{id: "H006", message: func(c *Context) {
		if !c.posted() || !c.M.IsRequest() {
			return
		}
		if _, ok := c.X.said("Mcp-Method"); !ok {
			c.Report(At("method"), "header", "Mcp-Method")
		}
		if param, _, named := paramOf(c.M); named {
			if _, ok := c.X.said("Mcp-Name"); !ok {
				c.Report(At("params", param), "header", "Mcp-Name")
			}
		}
	}},
	{id: "H007", message: badEncoding},
	{id: "H008", methods: []string{"tools/call"}, message: paramHeaders},
	{
		id: "H009",
		message: func(c *Context) {
			if c.posted() && c.M.Method != "initialize" {
				c.sessionLeftOut()
			}
		},
		http: func(c *Context) {
			if c.unasked() {
				c.sessionLeftOut()
			}
		},
	},
}

// incompleteAccept reads a list of media types; what they prefer does not
// matter.
func incompleteAccept(c *Context) {
	if !c.posted() {
		return
	}
	got, _ := c.X.said("Accept")
	var json, stream, anything bool
	for part := range strings.SplitSeq(got, ",") {
		switch bareHeader(part) {
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
		c.Note(Whole, "got", escaped(got))
	default:
		c.reportHead("got", orNone(got))
	}
}

func (c *Context) versionMissing() {
	if _, ok := c.X.said("Mcp-Protocol-Version"); !ok {
		c.reportHead()
	}
}

func (c *Context) versionDiffers() {
	want := string(c.St.Revision)
	if got, ok := c.X.said("Mcp-Protocol-Version"); ok && got != want {
		c.reportHead("got", orNone(got), "want", escaped(want))
	}
}

func (c *Context) sessionLeftOut() {
	if c.St.Session == "" {
		return
	}
	if got, ok := c.X.said("Mcp-Session-Id"); !ok || !sameSession(got, c.St.Session) {
		c.reportHead("id", shownSession(c.St.Session))
	}
}

// headersDiffer compares the headers with the body that they are made from.
func headersDiffer(c *Context) {
	if !c.posted() {
		return
	}
	if want := Text(c.M.Params, "_meta", revision.MetaProtocolVersion); want != "" {
		if got, ok := c.X.said("Mcp-Protocol-Version"); ok && got != want {
			c.Report(At("params", "_meta", revision.MetaProtocolVersion),
				"header", "MCP-Protocol-Version", "got", escaped(got), "want", escaped(want))
		}
	}
	if got, ok := c.X.said("Mcp-Method"); ok && got != c.M.Method && !c.M.IsAnswer() {
		c.Report(At("method"), "header", "Mcp-Method", "got", escaped(got), "want", escaped(c.M.Method))
	}
	param, want, named := paramOf(c.M)
	if got, ok := c.X.said("Mcp-Name"); ok && named && got != want {
		if text, wrong := decodeHeader(got); wrong == "" && text != want {
			c.Report(At("params", param), "header", "Mcp-Name", "got", escaped(text), "want", escaped(want))
		}
	}
}

// What stands around an encoded value, exactly so.
const (
	encodedFrom = "=?base64?"
	encodedTo   = "?="
)

// decodeHeader reads the value of a header that may be encoded, and says what is
// wrong with it (2026-07-28, basic / transports, "Value Encoding").
func decodeHeader(value string) (text, wrong string) {
	if len(value) >= len(encodedFrom)+len(encodedTo) && strings.EqualFold(value[:len(encodedFrom)], encodedFrom) && strings.HasSuffix(value, encodedTo) {
		if !strings.HasPrefix(value, encodedFrom) {
			return value, `the mark before it must be "=?base64?", in lower case`
		}
		b, err := base64.StdEncoding.DecodeString(value[len(encodedFrom) : len(value)-len(encodedTo)])
		switch {
		case err != nil:
			return value, "what stands between the marks is not Base64"
		case !utf8.Valid(b):
			return value, "what was encoded is not UTF-8"
		}
		return string(b), ""
	}
	for i := range len(value) {
		if ch := value[i]; (ch < ' ' || ch > '~') && ch != '\t' {
			return value, "it holds characters that must be sent as Base64"
		}
	}
	return value, ""
}

// badEncoding looks at the headers that carry values of the body. One that says
// exactly what the body says is right, whatever it looks like.
func badEncoding(c *Context) {
	if !c.posted() || c.M.Method == "" {
		return
	}
	for name, values := range c.X.RequestHeader {
		isName := strings.EqualFold(name, "Mcp-Name")
		isParam := len(name) > len(paramPrefix) && strings.EqualFold(name[:len(paramPrefix)], paramPrefix)
		if !isName && !isParam || len(values) == 0 || secret.IsName(name) {
			continue
		}
		place := Whole
		if param, want, named := paramOf(c.M); isName && named {
			if place = At("params", param); values[0] == want && isASCII(want) {
				continue
			}
		} else if isParam && isASCII(values[0]) && c.M.isArgument(values[0]) {
			continue
		}
		if _, wrong := decodeHeader(values[0]); wrong != "" {
			c.Report(place, "header", http.CanonicalHeaderKey(name), "reason", wrong)
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
func (m *Message) isArgument(text string) bool {
	for _, v := range jsonrpc.Members(Member(m.Params, "arguments")) {
		if s, ok := jsonrpc.Unquote(v); ok && s == text {
			return true
		}
	}
	return false
}

const paramPrefix = "Mcp-Param-"

// paramHeaders compares the headers of a call with the arguments that the tool
// wants to see in them. A client that does not know the tool sends none.
func paramHeaders(c *Context) {
	tools := c.St.Tools()
	if !c.posted() || !c.M.IsRequest() || tools == nil || !tools.Complete {
		return
	}
	schema := Member(tools.Named(Text(c.M.Params, "name")), "inputSchema")
	c.mirrored(Member(schema, "properties"), Member(c.M.Params, "arguments"), []any{"params", "arguments"})
}

// maxLevels is how deep the annotations of a schema are looked for.
const maxLevels = 8

func (c *Context) mirrored(properties, arguments []byte, path []any) {
	if Kind(properties) != "object" || len(path) > maxLevels {
		return
	}
	for name, property := range jsonrpc.Members(properties) {
		if Kind(property) != "object" {
			continue
		}
		at := append(path[:len(path):len(path)], string(name))
		argument := Member(arguments, string(name))
		header := Text(property, "x-mcp-header")
		switch Text(property, "type") {
		case "string", "integer", "boolean":
			if isToken(header) {
				c.mirror(header, argument, at)
			}
		case "object":
			c.mirrored(Member(property, "properties"), argument, at)
		}
	}
}

// isToken reports a name that a header can have (RFC 9110 §5.6.2).
func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for i := range len(s) {
		ch := s[i]
		if (ch|0x20 < 'a' || ch|0x20 > 'z') && (ch < '0' || ch > '9') && strings.IndexByte(marks, ch) < 0 {
			return false
		}
	}
	return s != ""
}

func (c *Context) mirror(header string, argument []byte, at []any) {
	name := http.CanonicalHeaderKey(paramPrefix + header)
	got, sent := c.X.said(name)
	text, _ := decodeHeader(got)
	want := string(argument)
	switch Kind(argument) {
	case "object", "array":
		return // the schema has something against it
	case "", "null":
		if sent {
			c.Report(Whole, "name", escaped(header), "reason", "is sent although there is no such argument")
		}
		return
	case "string":
		want, _ = jsonrpc.Unquote(argument)
	}
	switch {
	case !sent:
		c.Report(At(at...), "name", escaped(header), "reason", "is missing")
	case secret.IsName(name), text == want, isSameNumber(text, argument):
	default:
		c.Report(At(at...), "name", escaped(header), "reason", `is "`+escaped(text)+`", the argument is "`+escaped(want)+`"`)
	}
}

func isSameNumber(text string, argument []byte) bool {
	if Kind(argument) != "number" {
		return false
	}
	a, errA := strconv.ParseFloat(text, 64)
	b, errB := strconv.ParseFloat(string(argument), 64)
	return errA == nil && errB == nil && a == b
}
