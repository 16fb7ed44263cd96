// Package envelope checks the JSON-RPC envelope of messages: their members, ids and methods, and
// which response belongs to which request.
package envelope

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/flow"
)

// Rules check JSON-RPC: the envelope, and how messages belong together.
var Rules = slices.Concat(envelopeRules, correlationRules)

// envelopeRules check the envelope: JSON-RPC 2.0 as MCP restricts it.
var envelopeRules = []lint.Rule{
	{ID: "J001", When: lint.Unusual, Line: notJSON, Last: unfinishedValues},
	{ID: "J041", When: lint.Unusual, Line: func(c *lint.Context) {
		if e := c.F.Envelope; e.ReadFault() == jsonrpc.FaultTooDeep && !c.F.Part {
			c.Report(lint.Byte(e.At), "depth", phrase.Digits(jsonrpc.MaxDepth), "size", phrase.Size(int64(len(c.F.Bytes))))
		}
	}},
	{ID: "J002", Line: notUTF8},
	{ID: "J003", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.F.Envelope.Fault == jsonrpc.FaultScalar && !c.F.Part {
			kind := jsonrpc.TypeOf(trimmed(c.F.Bytes))
			if kind == "string" {
				c.For("text")
			}
			c.Report(lint.Whole, "type", kind)
		}
	}},
	{ID: "J004", When: lint.Unusual, Message: func(c *lint.Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawNoVersion != 0 && !isNoMessage(c) {
			c.Report(lint.Whole)
		}
	}},
	{ID: "J005", When: lint.Unusual, Message: func(c *lint.Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawVersion != 0 {
			c.Report(lint.At("jsonrpc"), "got", lint.ShownValue(c.M.Top("jsonrpc")))
		}
	}},
	{ID: "J006", When: lint.Unusual, Message: misspelledVersion},
	{ID: "J007", When: lint.Unusual, Message: func(c *lint.Context) {
		method := c.M.Top("method")
		if method != nil && (jsonrpc.TypeOf(method) != "string" || jsonrpc.IsText(method, "")) {
			c.Report(lint.At("method"), "got", lint.ShownValue(method))
		}
	}},
	{ID: "J008", When: lint.Request, Message: func(c *lint.Context) {
		if c.M.IsRequest() && (strings.HasPrefix(c.M.Method, "notifications/") || lacksNotificationPrefix(c.M.Method)) {
			c.Report(lint.At("id"), "id", string(c.M.ID.Shown()))
		}
	}},
	{ID: "J009", When: lint.Request | lint.Unusual, Message: func(c *lint.Context) {
		if c.M.Envelope.IDType == jsonrpc.IDNull {
			lint.Own[nullIDs](c.St).sent = true
			c.Report(lint.At("id"))
		}
	}},
	{ID: "J010", When: lint.Unusual, Message: func(c *lint.Context) {
		if t := c.M.Envelope.IDType; t == jsonrpc.IDFraction || t == jsonrpc.IDOther {
			kind := jsonrpc.TypeOf(c.M.ID.Shown())
			if t == jsonrpc.IDFraction {
				kind = "fraction"
			}
			c.Report(lint.At("id"), "got", lint.Quoted(c.M.ID.Shown()), "type", kind)
		}
	}},
	{ID: "J012", When: lint.ErrorResponse | lint.Unusual, Message: func(c *lint.Context) {
		if c.M.IsError() && c.M.Envelope.IDType == jsonrpc.IDNull && !saysRead(c) {
			want := "an id"
			if c.M.Revision >= "2025-11-25" {
				want = "no id at all"
			}
			c.Report(lint.At("id"), "want", want)
		}
	}},
	{ID: "J013", When: lint.Unusual, Message: responseWithoutID},
	{ID: "J014", When: lint.Unusual, Message: func(c *lint.Context) {
		if c.M.HasMember("result") && c.M.HasMember("error") && !c.M.HasMember("method") {
			c.Report(lint.Whole)
		}
	}},
	{ID: "J015", When: lint.Unusual, Message: func(c *lint.Context) {
		if isShapeless(c) {
			c.Report(lint.Whole)
		}
	}},
	{ID: "J016", When: lint.Unusual, Message: func(c *lint.Context) {
		for _, extra := range [...]string{"result", "error"} {
			if c.M.HasMember("method") && c.M.HasMember(extra) {
				c.Report(lint.At(extra), "extra", extra)
				return
			}
		}
	}},
	{ID: "J017", When: lint.Unusual, Message: func(c *lint.Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawExtraMember == 0 || isNoMessage(c) {
			return
		}
		for name := range jsonrpc.Members(c.M.Bytes) {
			if !lint.IsEnvelopeMember(string(name)) && !isVersionLike(string(name)) && string(name) != "_meta" {
				c.Report(lint.At(string(name)), "member", string(name))
			}
		}
	}},
	{ID: "J018", When: lint.Unusual, Message: func(c *lint.Context) {
		if params := c.M.Top("params"); params != nil && params[0] != '{' {
			c.Report(lint.At("params"), "got", lint.WithArticle(jsonrpc.TypeOf(params)))
		}
	}},
	{ID: "J019", When: lint.Repeating, Message: duplicateMembers},
	{ID: "J020", When: lint.Unusual, Message: notObject("result")},
	{ID: "J021", When: lint.Unusual, Message: notObject("error")},
	{ID: "J022", When: lint.Unusual, Message: func(c *lint.Context) {
		if jsonrpc.TypeOf(c.M.Error) != "object" {
			return
		}
		if code := c.M.Get(c.M.Error, "code"); !lint.IsInteger(code) {
			c.Report(lint.At("error", "code"), "got", lint.ShownOrMissing(code))
		}
	}},
	{ID: "J023", When: lint.WithError, Message: func(c *lint.Context) {
		if jsonrpc.TypeOf(c.M.Error) == "object" && jsonrpc.TypeOf(c.M.Get(c.M.Error, "message")) != "string" {
			c.Report(lint.At("error", "message"), "got", lint.ShownOrMissing(c.M.Get(c.M.Error, "message")))
		}
	}},
	{ID: "J024", When: lint.WithError, Message: func(c *lint.Context) {
		for name := range jsonrpc.Members(c.M.Error) {
			if s := string(name); s != "code" && s != "message" && s != "data" {
				c.Report(lint.At("error", s), "member", s)
			}
		}
	}},
	{ID: "J025", When: lint.Unusual, Message: func(c *lint.Context) {
		if jsonrpc.TypeOf(c.M.Top("result")) == "null" && !c.M.HasMember("error") {
			c.Report(lint.At("result"))
		}
	}},
	{ID: "J036", Message: func(c *lint.Context) {
		const maxSafe = "9007199254740991" // 2^53-1
		if c.M.Envelope.IDType != jsonrpc.IDInteger || len(c.M.ID.Shown()) < len(maxSafe) {
			return
		}
		digits := strings.TrimPrefix(string(c.M.ID.Meaning()), "-")
		if len(digits) > len(maxSafe) || len(digits) == len(maxSafe) && digits > maxSafe {
			c.Report(lint.At("id"), "id", digits)
		}
	}},
}

// notObject checks a member of the envelope. A null is for other rules.
func notObject(member string) func(*lint.Context) {
	return func(c *lint.Context) {
		if k := jsonrpc.TypeOf(c.M.Top(member)); k != "" && k != "object" && k != "null" {
			c.Report(lint.At(member), "got", lint.WithArticle(k))
		}
	}
}

func trimmed(b []byte) []byte { return []byte(strings.TrimSpace(string(b[:min(len(b), 64)]))) }

// notJSON leaves plain text, headers of the Language Server Protocol and messages
// over several lines to the rules about stdio.
func notJSON(c *lint.Context) {
	if begun := c.F.Unfinished; begun != nil {
		unfinishedValue(c, begun)
	}
	e := c.F.Envelope
	isAfter := e.Fault == jsonrpc.FaultTrailingBytes && c.St.Link != lint.Stdio
	if e.Kind != jsonrpc.Invalid || e.Fault != jsonrpc.FaultNotJSON && !isAfter || c.F.NonMessageEvent() {
		return
	}
	if c.F.Part || c.F.Begins || c.IsLSPHeader() || c.F.Dir == transport.In && c.IsPlainText() {
		return
	}
	if c.St.Link == lint.Stdio && c.F.Truncated && e.At >= len(c.F.Bytes) {
		return // the process ended while it was writing, perhaps because the client has ended it
	}
	if isAfter {
		c.For("after")
	}
	c.Report(lint.Byte(e.At), "offset", e.At, "snippet", lint.Quoted(around(c.F.Bytes, e.At)))
}

// around returns the text around a place, without cutting characters.
func around(text []byte, at int) []byte {
	const reach = 20 // bytes
	from, to := max(0, at-reach), min(len(text), at+reach)
	for range utf8.UTFMax {
		if from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
		if to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
	}
	return text[from:to]
}

// unfinishedValue reports the first line of a value that has no end.
func unfinishedValue(c *lint.Context, begun *lint.Unfinished) {
	side := lint.Client
	if begun.Dir == transport.In {
		side = lint.Server
	}
	c.ReportForIn(side, begun.Row, lint.Byte(begun.At), "offset", begun.At, "snippet", lint.Quoted(begun.Bracket))
}

func unfinishedValues(c *lint.Context) {
	for _, begun := range c.St.Unfinished() {
		unfinishedValue(c, begun)
	}
}

func notUTF8(c *lint.Context) {
	if e := c.F.Envelope; e.Fault == jsonrpc.FaultNotUTF8 {
		c.Report(lint.Byte(e.At), "problem", fmt.Sprintf("Byte %d of this message is not valid UTF-8. MCP messages must be UTF-8.", e.At))
		return
	}
	if !c.F.Envelope.Special || c.F.Envelope.Kind == jsonrpc.Invalid {
		return
	}
	if at := loneSurrogate(c.F.Bytes); at >= 0 {
		value := valueAt(c.F.Bytes, at)
		c.For("surrogate").Report(lint.AtPointer(value), "problem", fmt.Sprintf(`%s has %s, which is half of a surrogate pair and not a character: it cannot be encoded in UTF-8.`,
			cmp.Or(lint.ShownPath(value), "A string"), c.F.Bytes[at:at+len(`\ud800`)]))
	}
}

// valueAt returns the JSON Pointer of the innermost value of a frame that contains a byte. For a byte in a
// name, it is the pointer of the object. Below [lint.MaxNesting], it is the pointer of an enclosing value.
func valueAt(frame []byte, at int) string {
	var path []any
	holds := func(value []byte) bool {
		s := jsonrpc.SpanOf(frame, value)
		return s.Start <= at && at < s.End
	}
	for value := frame; len(path) < lint.MaxNesting; {
		var inner []byte
		for name, v := range jsonrpc.Members(value) {
			if holds(v) {
				inner, path = v, append(path, string(name))
				break
			}
		}
		for i, v := range lint.Indexed(value) {
			if holds(v) {
				inner, path = v, append(path, i)
				break
			}
		}
		if inner == nil {
			break
		}
		value = inner
	}
	return lint.At(path...).Path()
}

// loneSurrogate returns the offset of an escape that is half of a surrogate pair, or -1.
func loneSurrogate(b []byte) int {
	const none = -1
	for i := 0; i+5 < len(b); i++ {
		next := bytes.IndexByte(b[i:], '\\') // rare, and so the search is fast
		if i += max(next, 0); next < 0 || i+5 >= len(b) {
			return none
		}
		if b[i+1] != 'u' {
			i++ // an escaped backslash begins no escape
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

// surrogate returns 1 for the first half of a pair, 2 for the second, and 0 otherwise.
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

func misspelledVersion(c *lint.Context) {
	if c.M.Envelope.Flaws&jsonrpc.FlawNoVersion == 0 {
		return
	}
	for name := range jsonrpc.Members(c.M.Bytes) {
		if isVersionLike(string(name)) {
			c.Report(lint.At(string(name)), "got", string(name))
			return
		}
	}
}

// isVersionLike reports a name that was probably meant as jsonrpc.
func isVersionLike(name string) bool {
	plain := strings.ToLower(hyphens.Replace(name))
	return name != "jsonrpc" && (plain == "jsonrpc" || plain == "jsonrpcversion" || plain == "rpc")
}

var hyphens = strings.NewReplacer("-", "", "_", "")

// lacksNotificationPrefix reports a notification that lost its prefix.
func lacksNotificationPrefix(method string) bool {
	if _, request := revision.Lookup(method); request {
		return false
	}
	_, notification := revision.Lookup("notifications/" + method)
	return notification
}

// responseWithoutID allows error responses without an id if the request could not
// be read.
func responseWithoutID(c *lint.Context) {
	if c.M.HasMember("method") {
		return
	}
	report := func(id, read string) { c.Report(lint.Whole, "id", id, "read", read) }
	switch id := c.M.Envelope.IDType; {
	case id == jsonrpc.IDNull && c.M.HasMember("result") && !c.M.HasMember("error"):
		report("the id null", "")
	case id == jsonrpc.IDNull && c.M.HasMember("error") && saysRead(c):
		report("the id null", " Its error says that the request was read.")
	case id != jsonrpc.IDAbsent:
	case c.M.HasMember("result"):
		report("no id", "")
	case c.M.HasMember("error"):
		unreadable := c.M.Envelope.ErrorCode().Is(jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest)
		failed := c.X != nil && c.X.Status >= 400
		if c.M.Revision < "2025-11-25" || !unreadable && !failed {
			report("no id", "")
		}
	}
}

// saysRead reports whether the code of an error shows that the server has read the method of the request, and
// therefore its id. Over HTTP, an error status means that the server refused the request earlier. Rule J033
// handles responses to notifications.
func saysRead(c *lint.Context) bool {
	code := c.M.Envelope.ErrorCode()
	number, _ := code.Number()
	_, _, ofEvents := revision.EventErrorOf(number)
	read := code.Is(jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, revision.CodeResourceNotFound) || ofEvents && c.MayBeOfExtension(revision.EventsPoll)
	if !read || !c.FromServer() || lint.Own[nullIDs](c.St).sent || strings.Contains(c.M.Text(c.M.Error, "message"), "notifications/") {
		return false
	}
	if c.X != nil {
		return c.X.Status < http.StatusBadRequest && len(c.X.Requests) > 0
	}
	for r := range c.St.Flows.PendingAfter(flow.None) {
		if r.Dir == transport.Out {
			return true
		}
	}
	return false
}

// nullIDs reports that the client has sent a request with the id null. Its response has the id null, too.
type nullIDs struct{ sent bool }

func elapsed(c *lint.Context, r *flow.Flow) string {
	return phrase.Duration(c.St.Now.Sub(r.Start))
}

// isShapeless reports whether an object is neither a request nor a response nor a notification, which J015
// reports.
func isShapeless(c *lint.Context) bool {
	return !c.M.HasMember("result") && !c.M.HasMember("error") && !c.M.HasMember("method")
}

// isNoMessage reports whether an object has no member of a message, such as a log line. Its missing "jsonrpc"
// and its unknown members are then consequences of J015.
func isNoMessage(c *lint.Context) bool {
	return isShapeless(c) && !c.M.HasMember("jsonrpc") && !c.M.HasMember("id")
}
