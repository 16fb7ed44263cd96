package lint

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

// httpRules judge HTTP and event streams. Those about requests are in
// http_request.go, about answers in http_answer.go, about streams in
// http_stream.go, about the transport of 2024-11-05 in http_sse.go.
var httpRules = slices.Concat(requestRules, answerRules, streamRules, endpointRules)

// headerOf is a header, whatever the spelling of its name; several fields are
// joined as HTTP has it. name is in the canonical form.
func headerOf(h http.Header, name string) (value string, ok bool) {
	values, ok := h[name]
	if !ok {
		for n, v := range h {
			if strings.EqualFold(n, name) {
				values, ok = v, true
				break
			}
		}
	}
	if len(values) == 1 {
		return values[0], ok
	}
	return strings.Join(values, ", "), ok
}

// said is a header of the request, answered one of the answer.
func (x *Exchange) said(name string) (string, bool)     { return headerOf(x.RequestHeader, name) }
func (x *Exchange) answered(name string) (string, bool) { return headerOf(x.ResponseHeader, name) }

// media is the bare type of the answer, in lower case.
func (x *Exchange) media() string {
	v, _ := x.answered("Content-Type")
	return bareHeader(v)
}

// isStream reports an answer that is an event stream.
func (x *Exchange) isStream() bool { return x.Status/100 == 2 && x.media() == "text/event-stream" }

// isResumed reports a stream that goes on where another one ended.
func (x *Exchange) isResumed() bool {
	_, ok := x.said("Last-Event-Id")
	return ok
}

// closedHere reports that this side ended an exchange.
func (x *Exchange) closedHere() bool {
	return x.ClosedBy == transport.ClosedByClient || x.ClosedBy == transport.ClosedByUser
}

// bareHeader is a media type without its parameters.
func bareHeader(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// streamable reports an exchange of Streamable HTTP: what is asked for a token
// is none, and HTTP+SSE has rules of its own.
func (c *Context) streamable() bool {
	return c.X != nil && c.St.Link == HTTP && c.X.Purpose != transport.PurposeAuthorization
}

// posted reports a message, the first of its frame, that went out in a POST.
func (c *Context) posted() bool {
	return c.M.Frame.Dir == transport.Out && c.M.Index <= 0 && c.streamable() && c.X.Method == http.MethodPost
}

// unasked reports a GET or DELETE that goes out.
func (c *Context) unasked() bool {
	return c.streamable() && c.X.Reached(transport.ExchangeSent) &&
		(c.X.Method == http.MethodGet || c.X.Method == http.MethodDelete)
}

// reportHead reports something about the head of a request or an answer.
func (c *Context) reportHead(values ...any) { c.ReportIn(c.X.Row, Whole, values...) }

// shownSession is a session id as reports have it, which are masked.
func shownSession(id string) string {
	if seen := sessionID(id); seen.masked || len(seen.visible) > 8 {
		return escaped(seen.visible[:min(len(seen.visible), 8)]) + "…"
	}
	return escaped(id)
}

// seenID is what a report has of a session id. Of a longer one it has the first
// eight characters, the length, and whether all characters are allowed.
type seenID struct {
	visible string
	masked  bool
	length  int // 0 if unknown: older recordings do not have it
	invalid bool
}

// maskedID is how client/secret redacts a session id.
var maskedID = regexp.MustCompile(`^(.{8})…(?: \((\d+) characters(, some of them not allowed)?\))?$`)

func sessionID(id string) seenID {
	m := maskedID.FindStringSubmatch(id)
	if m == nil {
		return seenID{visible: id, length: len(id), invalid: !isVisibleASCII(id)}
	}
	length, _ := strconv.Atoi(m[2])
	return seenID{visible: m[1], masked: true, length: length, invalid: m[3] != "" || !isVisibleASCII(m[1])}
}

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r > '~' })
}

// sameSession compares session ids as far as they can be seen.
func sameSession(a, b string) bool {
	seenA, seenB := sessionID(a), sessionID(b)
	if a == b || !seenA.masked && !seenB.masked {
		return a == b
	}
	return len(seenA.visible) >= 8 && len(seenB.visible) >= 8 && seenA.visible[:8] == seenB.visible[:8] &&
		(seenA.length == seenB.length || seenA.length == 0 || seenB.length == 0)
}

// isLoopback reports a host of this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// originOf is scheme, host and port, as text that can be compared.
func originOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// paramOf is the param that goes into Mcp-Name, and where it is. There is
// nothing to compare where it is no string.
func paramOf(m *Message) (param, value string, ok bool) {
	param, ok = revision.NameParam(m.Method)
	if !ok {
		return "", "", false
	}
	raw := Member(m.Params, param)
	return param, Text(m.Params, param), Kind(raw) == "string"
}
