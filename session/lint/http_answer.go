package lint

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// answerRules judge the heads of answers: the status, the type, the session.
var answerRules = []rule{
	{id: "H010", http: func(c *Context) {
		x := c.X
		if !c.answeredPost() || len(x.Requests) == 0 || x.Err != "" {
			return
		}
		empty := x.Received == 0 && x.Got == 0 && !x.isStream()
		if x.Status == http.StatusAccepted || x.Status == http.StatusNoContent || x.Status/100 == 2 && empty {
			c.reportHead("status", x.Status)
		}
	}},
	{id: "H011", line: acceptedWithBody, http: func(c *Context) {
		x := c.X
		if !c.answeredPost() || !x.wasTold() || x.Got > 0 { // what came was looked at
			return
		}
		body := ""
		if x.Received > 0 {
			body = " and a body"
		}
		if x.Status != http.StatusAccepted || body != "" {
			c.reportHead("what", x.whatItTold(), "status", x.Status, "body", body)
		}
	}},
	{id: "H012", line: foreignType},
	{id: "H013", http: func(c *Context) {
		if !c.streamable() || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status != http.StatusNotFound {
			return
		}
		id, ok := c.X.said("Mcp-Session-Id")
		if ok && c.X.Method != http.MethodDelete { // a session that is to end may have ended
			c.reportHead("id", shownSession(id))
		}
	}},
	{id: "H014", http: func(c *Context) {
		if id, given := c.newSession(); given && !isSessionID(id) {
			c.reportHead()
		}
	}},
	{id: "H015", http: func(c *Context) {
		if id, given := c.newSession(); given && isSessionID(id) && isGuessable(id) {
			c.reportHead("got", shownSession(id))
		}
	}},
	{id: "H016", limit: oncePerSubject, line: eventIDInModern, message: sessionInModernRequest, http: func(c *Context) {
		if c.streamable() && c.X.Reached(transport.ExchangeHeaders) && c.St.Revision.IsStateless() {
			if _, ok := c.X.answered("Mcp-Session-Id"); ok {
				c.About(fmt.Sprint("response ", c.X.ID)).report(Server, c.X.Row, Whole, []any{"header", "Mcp-Session-Id"})
			}
		}
	}},
	{id: "H017", line: func(c *Context) {
		if c.F.Dir == transport.In && c.X != nil && c.X.Got == 1 {
			c.getAnswer()
		}
	}, http: func(c *Context) {
		if c.X.Reached(transport.ExchangeDone) && c.X.Got == 0 {
			c.getAnswer()
		}
	}},
	{http: func(c *Context) {
		if c.streamable() && c.X.Method == http.MethodGet && c.X.isStream() {
			*Own[listened](c.St) = true
		}
	}},
	{id: "H018", http: func(c *Context) {
		if c.unasked() {
			c.reportHead("method", c.X.Method)
		}
	}},
	{id: "H019", message: statusOfError},
	{id: "H020", http: foreignOriginAccepted},
	{id: "H021", limit: oncePerConnection, http: func(c *Context) {
		if !c.streamable() || !c.X.Reached(transport.ExchangeHeaders) || !c.X.isStream() {
			return
		}
		if v, _ := c.X.answered("X-Accel-Buffering"); !strings.EqualFold(v, "no") {
			c.reportHead()
		}
	}},
	{id: "H045", http: redirect},
}

// answeredPost reports a POST that has come to its end.
func (c *Context) answeredPost() bool {
	return c.streamable() && c.X.Method == http.MethodPost && c.X.Reached(transport.ExchangeDone)
}

// wasTold reports that notifications or answers, and nothing else, were
// accepted.
func (x *Exchange) wasTold() bool {
	return len(x.Requests) == 0 && x.Told > 0 && x.Status/100 == 2
}

func (x *Exchange) whatItTold() string {
	if x.Answered {
		return "a response"
	}
	return "a notification"
}

func acceptedWithBody(c *Context) {
	if c.F.Dir == transport.In && c.streamable() && c.X.Method == http.MethodPost && c.X.wasTold() && c.X.Got == 1 {
		c.Report(Whole, "what", c.X.whatItTold(), "status", c.X.Status, "body", " and a body")
	}
}

// foreignType looks at the body, where its type is known: with none, an answer
// without type is one that is empty.
func foreignType(c *Context) {
	if c.F.Dir != transport.In || !c.streamable() || c.X.Method != http.MethodPost || len(c.X.Requests) == 0 || c.X.Status/100 != 2 {
		return
	}
	switch media := c.X.media(); {
	case media == "application/json", media == "text/event-stream",
		c.X.Status == http.StatusAccepted, c.X.Status == http.StatusNoContent:
	case media == "text/html":
		c.Report(Whole, "got", media, "hint", " That is a web page, not an answer of MCP.")
	default:
		c.Report(Whole, "got", orNone(media), "hint", "")
	}
}

// newSession is the session id that an answer gives for the first time.
func (c *Context) newSession() (id string, given bool) {
	if !c.streamable() || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 2 {
		return "", false
	}
	id, given = c.X.answered("Mcp-Session-Id")
	return id, given && (id == "" || id != c.St.Session)
}

// isSessionID reports whether a session id is not empty and has only characters
// that are allowed.
func isSessionID(id string) bool { return id != "" && !sessionID(id).invalid }

// isGuessable reports a session id that is short, or a number that is not very
// long. Of a redacted one only the length is known.
func isGuessable(id string) bool {
	const minLength, minDigits = 16, 20
	seen := sessionID(id)
	if seen.masked {
		return seen.length > 0 && seen.length < minLength
	}
	digits := strings.Trim(seen.visible, "0123456789") == ""
	return seen.length < minLength || digits && seen.length < minDigits
}

func sessionInModernRequest(c *Context) {
	if !c.posted() {
		return
	}
	if _, ok := c.X.said("Mcp-Session-Id"); ok {
		c.About(fmt.Sprint("request ", c.X.ID)).reportHead("header", "Mcp-Session-Id")
	}
	if c.X.isResumed() {
		c.About(fmt.Sprint("resumed ", c.X.ID)).reportHead("header", "Last-Event-ID")
	}
}

func eventIDInModern(c *Context) {
	if c.F.EventID != "" && c.streamable() {
		c.About("event id").ReportFor(Server, Whole, "header", "An event id")
	}
}

// listened says that a GET has opened an event stream on this connection.
type listened bool

// getAnswer leaves to other rules what is about rights and sessions, and to
// nobody what a busy server or a proxy says, and where one is sent on.
func (c *Context) getAnswer() {
	if !c.streamable() || c.X.Method != http.MethodGet || c.X.isStream() {
		return
	}
	switch c.X.Status {
	case 0, http.StatusMethodNotAllowed, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
		http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return
	}
	if c.X.Status/100 == 3 || c.X.Status/100 == 5 && bool(*Own[listened](c.St)) {
		return // it has such a stream, and fails now
	}
	kind := c.X.media()
	if kind == "" {
		kind = "without a type"
	}
	c.reportHead("status", c.X.Status, "type", escaped(kind))
}

// statusOfError compares the status with that which an error must have.
func statusOfError(c *Context) {
	if !c.M.IsError() || c.M.Frame.Dir != transport.In || !c.streamable() || c.X.Method != http.MethodPost || c.X.Status == 0 {
		return
	}
	code, ok := errorCode(c.M)
	if !ok {
		return
	}
	want := 0
	switch code {
	case revision.CodeHeaderMismatch, revision.CodeUnsupportedVersion:
		want = http.StatusBadRequest
	case revision.CodeMissingCapability:
		if c.X.isStream() {
			return // the need arose when the status had long been sent
		}
		want = http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		if c.fromModern() {
			want = http.StatusNotFound
		}
	case jsonrpc.CodeInvalidParams:
		if r := c.M.Request; r != nil && r.Params != nil && Member(r.Params, "_meta", revision.MetaProtocolVersion) == nil {
			want = http.StatusBadRequest
		}
	}
	if want != 0 && c.X.Status != want {
		c.Report(At("error", "code"), "code", code, "got", c.X.Status, "want", want)
	}
}

// foreignOriginAccepted looks for the header that only browsers send, and who
// wants to know what the server makes of it.
func foreignOriginAccepted(c *Context) {
	if c.X == nil || c.X.Purpose == transport.PurposeAuthorization || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 2 {
		return
	}
	from, ok := c.X.said("Origin")
	if !ok {
		return
	}
	origin, errFrom := url.Parse(from)
	to, errTo := url.Parse(c.X.URL)
	if errFrom != nil || errTo != nil || origin.Host == "" || strings.EqualFold(origin.Hostname(), to.Hostname()) ||
		isLoopback(origin.Hostname()) && isLoopback(to.Hostname()) {
		return
	}
	c.reportHead("origin", shownURL(origin))
}

func redirect(c *Context) {
	if c.X == nil || c.X.Method != http.MethodPost || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 3 ||
		c.X.Purpose == transport.PurposeAuthorization {
		return
	}
	location, ok := c.X.answered("Location")
	from, err := url.Parse(c.X.URL)
	if !ok || err != nil {
		return
	}
	to, err := from.Parse(location)
	if err != nil {
		c.reportHead("got", "something that is no URL", "status", c.X.Status)
		return
	}
	switch c.X.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
	default:
		if originOf(to) == originOf(from) {
			return
		}
	}
	c.reportHead("got", shownURL(to), "status", fmt.Sprint(c.X.Status))
}
