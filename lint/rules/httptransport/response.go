package httptransport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
)

// responseRules check status, type and session of responses.
var responseRules = []lint.Rule{
	{ID: "H010", HTTP: func(c *lint.Context) {
		x := c.X
		if !isPostResponse(c) || len(x.Requests) == 0 || x.Err != "" {
			return
		}
		empty := x.Received == 0 && x.FramesReceived == 0 && !isStream(x)
		if x.Status == http.StatusAccepted || x.Status == http.StatusNoContent || x.Status/100 == 2 && empty {
			c.ReportExchange("status", x.Status)
		}
	}},
	{ID: "H011", When: lint.InHTTP, Line: acceptedWithBody, HTTP: func(c *lint.Context) {
		x := c.X
		if !isPostResponse(c) || !isAcceptedPost(x) || x.FramesReceived > 0 { // acceptedWithBody has checked it
			return
		}
		body := ""
		if x.Received > 0 {
			body = " and a body"
		}
		if x.Status != http.StatusAccepted || body != "" {
			c.ReportExchange("what", postedKind(x), "status", x.Status, "body", body)
		} else if media := x.MediaType(); media != "" && media != mcphttp.JSONType && media != mcphttp.StreamType {
			c.For("type").ReportInfoForIn(lint.Server, x.Row, lint.Whole, "what", postedKind(x), "status", x.Status, "body", " with Content-Type "+lint.Escaped([]byte(media)))
		}
	}},
	{ID: "H012", When: lint.InHTTP, Line: wrongContentType},
	{ID: "H013", Message: notedRefusal, HTTP: lostSession, Closed: lostAtEnd},
	{ID: "H014", HTTP: func(c *lint.Context) {
		if id, given := newSession(c); given && !isSessionID(id) {
			c.ReportExchange()
		}
	}},
	{ID: "H015", HTTP: func(c *lint.Context) {
		if id, given := newSession(c); given && isSessionID(id) && isGuessable(id) {
			c.ReportExchange("got", shownSession(id))
		}
	}},
	{ID: "H016", Limit: lint.OncePerSubject, When: lint.InHTTP, Line: eventIDInStateless, Message: onPost(sessionInStatelessRequest), HTTP: func(c *lint.Context) {
		if c.IsStreamableHTTP() && c.X.Reached(transport.ExchangeHeaders) && c.St.Revision.IsStateless() {
			if _, ok := c.X.ResponseField("Mcp-Session-Id"); ok {
				c.About(fmt.Sprint("response ", c.X.ID)).ReportForIn(lint.Server, c.X.Row, lint.Whole, "header", "Mcp-Session-Id")
			}
		}
	}},
	{ID: "H017", Line: func(c *lint.Context) {
		if c.F.Dir == transport.In && c.X != nil && c.X.FramesReceived == 1 {
			wrongGetResponse(c)
		}
	}, HTTP: func(c *lint.Context) {
		if c.X.Reached(transport.ExchangeDone) && c.X.FramesReceived == 0 {
			wrongGetResponse(c)
		}
	}},
	{HTTP: func(c *lint.Context) {
		if c.IsStreamableHTTP() && c.X.Method == http.MethodGet && isStream(c.X) {
			*lint.Own[getStreamSeen](c.St) = true
		}
	}},
	{ID: "H018", HTTP: onGetOrDelete(func(c *lint.Context) { c.ReportExchange("method", c.X.Method) })},
	{ID: "H019", When: lint.ErrorResponse | lint.FromServer, Message: statusOfError},
	{ID: "H046", When: lint.ErrorResponse | lint.FromServer | lint.Stateless | lint.Matched, Message: groundlessMismatch},
	{ID: "H020", HTTP: foreignOriginAccepted},
	{ID: "H021", Limit: lint.OncePerConnection, HTTP: func(c *lint.Context) {
		if !c.IsStreamableHTTP() || !c.X.Reached(transport.ExchangeHeaders) || !isStream(c.X) {
			return
		}
		if v, _ := c.X.ResponseField("X-Accel-Buffering"); !strings.EqualFold(v, "no") {
			c.ReportExchange()
		}
	}},
	{ID: "H045", HTTP: redirect},
}

// isPostResponse reports the end of the response to a POST.
func isPostResponse(c *lint.Context) bool {
	return c.IsStreamableHTTP() && c.X.Method == http.MethodPost && c.X.Reached(transport.ExchangeDone)
}

// isAcceptedPost reports whether the exchange is a successful POST of only notifications or responses.
func isAcceptedPost(x *lint.Exchange) bool {
	return len(x.Requests) == 0 && x.Posted > 0 && x.Status/100 == 2
}

func postedKind(x *lint.Exchange) string {
	if x.PostedResponse {
		return "a response"
	}
	return "a notification"
}

func acceptedWithBody(c *lint.Context) {
	if c.F.Dir == transport.In && c.IsStreamableHTTP() && c.X.Method == http.MethodPost && isAcceptedPost(c.X) && c.X.FramesReceived == 1 {
		c.Report(lint.Whole, "what", postedKind(c.X), "status", c.X.Status, "body", " and a body")
	}
}

// wrongContentType checks a response at its first frame, because an empty response needs no type.
func wrongContentType(c *lint.Context) {
	if c.F.Dir != transport.In || !c.IsStreamableHTTP() || c.X.Method != http.MethodPost || len(c.X.Requests) == 0 || c.X.Status/100 != 2 {
		return
	}
	switch media := c.X.MediaType(); {
	case media == "application/json", media == "text/event-stream",
		c.X.Status == http.StatusAccepted, c.X.Status == http.StatusNoContent:
	case media == "text/html":
		c.For("page").Report(lint.Whole, "got", media, "hint", " That is a web page, not an MCP response.")
	default:
		c.Report(lint.Whole, "got", lint.EscapedOrNone(media), "hint", "")
	}
}

// newSession returns the session id of a response that is the first to have it.
func newSession(c *lint.Context) (id string, given bool) {
	if !c.IsStreamableHTTP() || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 2 {
		return "", false
	}
	id, given = c.X.ResponseField("Mcp-Session-Id")
	return id, given && (id == "" || id != c.St.SessionID)
}

// isSessionID reports whether a session id is not empty and has only characters
// that are allowed.
func isSessionID(id string) bool { return id != "" && !secret.ParseSessionID(id).Invalid }

// isGuessable reports whether a session id is short, or a number that is not very long. Of a redacted id, only
// the length is known.
func isGuessable(text string) bool {
	const minLength, minDigits = 16, 20
	id := secret.ParseSessionID(text)
	if id.Redacted {
		return id.Length > 0 && id.Length < minLength
	}
	digits := strings.Trim(id.Shown, "0123456789") == ""
	return id.Length < minLength || digits && id.Length < minDigits
}

func sessionInStatelessRequest(c *lint.Context) {
	if _, ok := c.X.RequestField("Mcp-Session-Id"); ok {
		c.About(fmt.Sprint("request ", c.X.ID)).ReportExchange("header", "Mcp-Session-Id")
	}
	if isResumed(c.X) {
		c.About(fmt.Sprint("resumed ", c.X.ID)).ReportExchange("header", "Last-Event-ID")
	}
}

func eventIDInStateless(c *lint.Context) {
	if c.F.EventID != "" && c.IsStreamableHTTP() {
		c.About("event id").ReportFor(lint.Server, lint.Whole, "header", "An event id")
	}
}

// getStreamSeen reports that a GET has opened an event stream on this connection.
type getStreamSeen bool

// wrongGetResponse leaves statuses about authorization and sessions to other
// rules, and ignores redirects and the errors of proxies and busy servers.
func wrongGetResponse(c *lint.Context) {
	if !c.IsStreamableHTTP() || c.X.Method != http.MethodGet || isStream(c.X) {
		return
	}
	switch c.X.Status {
	case 0, http.StatusMethodNotAllowed, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
		http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return
	}
	if c.X.Status/100 == 3 || c.X.Status/100 == 5 && bool(*lint.Own[getStreamSeen](c.St)) {
		return // the server supports such a stream, and fails at the moment
	}
	kind := c.X.MediaType()
	if kind == "" {
		kind = "without a type"
	}
	row := c.X.Row
	if c.F != nil {
		row = c.F.Row // frame in the body of the response
	}
	c.ReportIn(row, lint.Whole, "status", c.X.Status, "type", lint.Escaped(kind))
}

// statusOfError compares the status with the status that the error must have.
func statusOfError(c *lint.Context) {
	if !c.IsStreamableHTTP() || c.X.Method != http.MethodPost || c.X.Status == 0 {
		return
	}
	code, ok := lint.ErrorCode(c.M)
	if !ok {
		return
	}
	want := 0
	switch code {
	case revision.CodeHeaderMismatch, revision.CodeUnsupportedVersion:
		want = http.StatusBadRequest
	case revision.CodeMissingCapability:
		if isStream(c.X) {
			return // the need arose when the status had long been sent
		}
		want = http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		if c.FromStatelessServer() {
			want = http.StatusNotFound
		}
	case jsonrpc.CodeInvalidParams:
		if r := c.M.Request; r != nil && r.Params != nil && jsonrpc.Get(r.Params, "_meta", revision.MetaProtocolVersion) == nil {
			want = http.StatusBadRequest
		}
	}
	if want != 0 && c.X.Status != want {
		c.Report(lint.At("error", "code"), "code", code, "got", c.X.Status, "want", want)
	}
}

// foreignOriginAccepted checks requests with Origin, which only browsers and
// security checks send.
func foreignOriginAccepted(c *lint.Context) {
	if c.X == nil || !c.X.HasFrames() || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 2 {
		return
	}
	from, ok := c.X.RequestField("Origin")
	if !ok {
		return
	}
	origin, errFrom := url.Parse(from)
	to, errTo := url.Parse(c.X.URL)
	if errFrom != nil || errTo != nil || origin.Host == "" || strings.EqualFold(origin.Hostname(), to.Hostname()) ||
		lint.IsLoopback(origin.Hostname()) && lint.IsLoopback(to.Hostname()) {
		return
	}
	c.ReportExchange("origin", lint.ShownURL(origin))
}

func redirect(c *lint.Context) {
	if c.X == nil || c.X.Method != http.MethodPost || !c.X.Reached(transport.ExchangeHeaders) || c.X.Status/100 != 3 ||
		!c.X.HasFrames() {
		return
	}
	location, ok := c.X.ResponseField("Location")
	from, err := url.Parse(c.X.URL)
	if !ok || err != nil {
		return
	}
	to, err := from.Parse(location)
	if err != nil {
		c.ReportExchange("got", "an invalid URL", "status", c.X.Status)
		return
	}
	switch c.X.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
	default:
		if mcphttp.Origin(to) == mcphttp.Origin(from) {
			return
		}
	}
	c.ReportExchange("got", lint.ShownURL(to), "status", fmt.Sprint(c.X.Status))
}

// groundlessMismatch reports an error about headers that differ from the body, although the headers
// that each request has are equal to it. It does not compare the headers of tool arguments.
func groundlessMismatch(c *lint.Context) {
	r := c.M.Request
	if !c.M.Envelope.ErrorCode().Is(revision.CodeHeaderMismatch) || r.Method == "tools/call" {
		return
	}
	if c.X == nil {
		c.Report(lint.At("error", "code"), "reason", "messages over stdio have no headers")
		return
	}
	if !c.IsStreamableHTTP() {
		return
	}
	version, _ := c.X.RequestField("Mcp-Protocol-Version")
	method, _ := c.X.RequestField("Mcp-Method")
	if method != r.Method || version == "" || version != jsonrpc.Text(r.Params, "_meta", revision.MetaProtocolVersion) {
		return
	}
	if param, ok := revision.NameParam(r.Method); ok {
		name, _ := c.X.RequestField("Mcp-Name")
		if text, err := revision.DecodeHeaderValue(name); err != nil || isRedacted("Mcp-Name", name) || text != jsonrpc.Text(r.Params, param) {
			return
		}
	}
	c.Report(lint.At("error", "code"), "reason", "the headers of the request are equal to its body")
}
