package lint

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// envelopeRules judge the envelope: JSON-RPC 2.0 as MCP narrows it.
var envelopeRules = []rule{
	{id: "J001", line: notJSON},
	{id: "J002", line: notUTF8},
	{id: "J003", line: func(c *Context) {
		if c.F.Envelope.Fault == jsonrpc.FaultScalar && !c.F.Part {
			c.Report(Whole, "type", Kind(trimmed(c.F.Bytes)))
		}
	}},
	{id: "J004", message: func(c *Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawNoVersion != 0 {
			c.Report(Whole)
		}
	}},
	{id: "J005", message: func(c *Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawVersion != 0 {
			c.Report(At("jsonrpc"), "got", shownValue(c.M.Top("jsonrpc")))
		}
	}},
	{id: "J006", message: misspelledVersion},
	{id: "J007", message: func(c *Context) {
		method := c.M.Top("method")
		if method != nil && (Kind(method) != "string" || string(method) == `""`) {
			c.Report(At("method"), "got", shownValue(method))
		}
	}},
	{id: "J008", message: func(c *Context) {
		if c.M.IsRequest() && (strings.HasPrefix(c.M.Method, "notifications/") || isBareNotification(c.M.Method)) {
			c.Report(At("id"), "id", string(c.M.ID))
		}
	}},
	{id: "J009", message: func(c *Context) {
		if c.M.IsRequest() && c.M.Envelope.IDType == jsonrpc.IDNull {
			c.Report(At("id"))
		}
	}},
	{id: "J010", message: func(c *Context) {
		if t := c.M.Envelope.IDType; t == jsonrpc.IDFraction || t == jsonrpc.IDOther {
			kind := Kind(c.M.ID)
			if t == jsonrpc.IDFraction {
				kind = "fraction"
			}
			c.Report(At("id"), "got", quoted(c.M.ID), "type", kind)
		}
	}},
	{id: "J012", message: func(c *Context) {
		if c.M.IsError() && c.M.Envelope.IDType == jsonrpc.IDNull {
			want := "an id"
			if c.M.Revision >= "2025-11-25" {
				want = "no id at all"
			}
			c.Report(At("id"), "want", want)
		}
	}},
	{id: "J013", message: withoutID},
	{id: "J014", message: func(c *Context) {
		if c.M.has("result") && c.M.has("error") && !c.M.has("method") {
			c.Report(Whole)
		}
	}},
	{id: "J015", message: func(c *Context) {
		if !c.M.has("result") && !c.M.has("error") && !c.M.has("method") {
			c.Report(Whole)
		}
	}},
	{id: "J016", message: func(c *Context) {
		for _, extra := range [...]string{"result", "error"} {
			if c.M.has("method") && c.M.has(extra) {
				c.Report(At(extra), "extra", extra)
				return
			}
		}
	}},
	{id: "J017", message: func(c *Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawExtraMember == 0 {
			return
		}
		for name := range jsonrpc.Members(c.M.Bytes) {
			if !isEnvelopeMember(string(name)) && !isVersionLike(string(name)) && string(name) != "_meta" {
				c.Report(At(string(name)), "member", string(name))
			}
		}
	}},
	{id: "J018", message: func(c *Context) {
		if params := c.M.Top("params"); params != nil && params[0] != '{' {
			c.Report(At("params"), "got", withArticle(Kind(params)))
		}
	}},
	{id: "J019", message: duplicateMembers},
	{id: "J020", message: func(c *Context) {
		if k := Kind(c.M.Top("result")); k != "" && k != "object" && k != "null" {
			c.Report(At("result"), "got", k)
		}
	}},
	{id: "J021", message: func(c *Context) {
		if k := Kind(c.M.Top("error")); k != "" && k != "object" && k != "null" {
			c.Report(At("error"), "got", k)
		}
	}},
	{id: "J022", message: func(c *Context) {
		if Kind(c.M.Error) != "object" {
			return
		}
		if code := Member(c.M.Error, "code"); !IsInteger(code) {
			got := "missing"
			if code != nil {
				got = shownValue(code)
			}
			c.Report(At("error", "code"), "got", got)
		}
	}},
	{id: "J023", message: func(c *Context) {
		if Kind(c.M.Error) == "object" && Kind(Member(c.M.Error, "message")) != "string" {
			c.Report(At("error", "message"))
		}
	}},
	{id: "J024", message: func(c *Context) {
		for name := range jsonrpc.Members(c.M.Error) {
			if s := string(name); s != "code" && s != "message" && s != "data" {
				c.Report(At("error", s), "member", s)
			}
		}
	}},
	{id: "J025", message: func(c *Context) {
		if Kind(c.M.Top("result")) == "null" && !c.M.has("error") {
			c.Report(At("result"))
		}
	}},
	{id: "J036", message: func(c *Context) {
		const most = "9007199254740991" // 2^53-1
		if c.M.Envelope.IDType != jsonrpc.IDInteger || len(c.M.ID) < len(most) {
			return
		}
		digits := strings.TrimPrefix(string(c.M.ID), "-")
		if len(digits) > len(most) || len(digits) == len(most) && digits > most {
			c.Report(At("id"), "id", digits)
		}
	}},
}

func trimmed(b []byte) []byte { return []byte(strings.TrimSpace(string(b[:min(len(b), 64)]))) }

func has(object []byte, name string) bool { return Member(object, name) != nil }

// notJSON leaves to the rules about stdio what is text, a header, or the first
// line of a message that goes on.
func notJSON(c *Context) {
	e := c.F.Envelope
	if e.Kind != jsonrpc.Invalid || e.Fault != jsonrpc.FaultNotJSON && e.Fault != jsonrpc.FaultTooDeep || c.F.NonMessageEvent() {
		return
	}
	first := trimmed(c.F.Bytes)
	if len(first) <= 1 || c.F.Part || c.isHeader() || c.F.Dir == transport.In && c.isText() {
		return
	}
	from, to := max(0, e.At-20), min(len(c.F.Bytes), e.At+20)
	c.Report(Byte(e.At), "offset", e.At, "snippet", quoted(c.F.Bytes[from:to]))
}

func notUTF8(c *Context) {
	if e := c.F.Envelope; e.Fault == jsonrpc.FaultNotUTF8 {
		c.Report(Byte(e.At), "offset", e.At)
		return
	}
	if at := loneSurrogate(c.F.Bytes); at >= 0 && c.F.Envelope.Kind != jsonrpc.Invalid {
		c.Report(Byte(at), "offset", at)
	}
}

// loneSurrogate finds an escape that is half of a character, -1 when there is
// none.
func loneSurrogate(b []byte) int {
	const none = -1
	for i := 0; i+5 < len(b); i++ {
		next := bytes.IndexByte(b[i:], '\\') // rare, and so the search is fast
		if i += max(next, 0); next < 0 || i+5 >= len(b) {
			return none
		}
		if b[i+1] != 'u' {
			i++ // what is escaped is no backslash
			continue
		}
		high := surrogate(b[i+2 : i+6])
		switch {
		case high == 0:
			i += 5
		case high == 2: // the second half without the first
			return i
		case i+11 < len(b) && b[i+6] == '\\' && b[i+7] == 'u' && surrogate(b[i+8:i+12]) == 2:
			i += 11
		default:
			return i
		}
	}
	return none
}

// surrogate is 1 for the first half of a pair, 2 for the second, 0 else.
func surrogate(hex []byte) int {
	if hex[0] != 'd' && hex[0] != 'D' {
		return 0
	}
	switch hex[1] {
	case '8', '9', 'a', 'b', 'A', 'B':
		return 1
	case 'c', 'd', 'e', 'f', 'C', 'D', 'E', 'F':
		return 2
	}
	return 0
}

func misspelledVersion(c *Context) {
	if c.M.Envelope.Flaws&jsonrpc.FlawNoVersion == 0 {
		return
	}
	for name := range jsonrpc.Members(c.M.Bytes) {
		if isVersionLike(string(name)) {
			c.Report(At(string(name)), "got", string(name))
			return
		}
	}
}

// isVersionLike reports a name that was probably meant as jsonrpc.
func isVersionLike(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	return name != "jsonrpc" && (plain == "jsonrpc" || plain == "jsonrpcversion" || plain == "rpc")
}

func isEnvelopeMember(name string) bool {
	switch name {
	case "jsonrpc", "id", "method", "params", "result", "error":
		return true
	}
	return false
}

// isBareNotification reports a notification that lost its prefix.
func isBareNotification(method string) bool {
	if _, request := revision.Lookup(method); request {
		return false
	}
	_, notification := revision.Lookup("notifications/" + method)
	return notification
}

// withoutID is an answer that names nothing. An error may, where the request
// could not be read.
func withoutID(c *Context) {
	if c.M.Envelope.IDType != jsonrpc.IDAbsent || c.M.has("method") {
		return
	}
	switch {
	case c.M.has("result"):
		c.Report(Whole)
	case c.M.has("error"):
		code := c.M.Envelope.Code
		unreadable := code == jsonrpc.CodeParseError || code == jsonrpc.CodeInvalidRequest
		failed := c.X != nil && c.X.Status >= 400
		if c.M.Revision < "2025-11-25" || !unreadable && !failed {
			c.Report(Whole)
		}
	}
}

func ago(c *Context, r *Request) string { return transport.FormatDuration(c.St.Now.Sub(r.Time)) }
