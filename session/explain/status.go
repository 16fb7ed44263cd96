package explain

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
	"mcptea/client/transport/streamable"
	"mcptea/session/explain/card"
)

// tellingHeaders are those that say more about a refusal.
var tellingHeaders = []string{"WWW-Authenticate", "Proxy-Authenticate", "Location", "Allow", "Retry-After", "Server", "Via"}

// badStatus explains an HTTP status that is not a success.
func badStatus(err *transport.StatusError, expired bool, f Facts) Explanation {
	e := Explanation{Sentence: fmt.Sprintf("%s %s returned %d %s.", err.Method, escape(err.URL), err.Status, http.StatusText(err.Status))}
	for _, name := range tellingHeaders {
		for _, v := range err.Header.Values(name) {
			e.Evidence = append(e.Evidence, Line{"header", name + ": " + cut(v), true})
		}
	}
	if body := strings.TrimSpace(string(err.Body)); body != "" {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	if expired {
		e.Sentence = "The session has expired: " + e.Sentence
		e.Cause = "The server was restarted, or it expires sessions."
		e.Try = "Reconnect."
		if !f.Connected {
			e.Sentence = "The server does not know the session that it created a moment ago: " + strings.TrimPrefix(e.Sentence, "The session has expired: ")
			e.Cause = "Several instances behind the URL do not share their sessions, or the server loses them."
			e.Try = "Configure the load balancer for sticky sessions, or run the server without sessions."
		}
		return e
	}
	return e.because(statusReason(err, f))
}

// statusReason says what a status comes from. The body can tell more than the
// number.
func statusReason(err *transport.StatusError, f Facts) reason {
	if r, ok := bodyReason(err); ok {
		return r
	}
	if err.Status/100 == 3 {
		return redirected(err)
	}
	if err.Status/100 == 5 {
		return failing(err)
	}
	switch err.Status {
	case http.StatusUnauthorized:
		r := reason{what: "authorization required", cause: "The server requires authorization, and the request had no token that it accepts."}
		r.try = "Send another token, in MCPTEA_TOKEN or with -H \"Authorization: Bearer …\"; without one, mcptea requests it from the authorization server."
		if err.Header.Get("WWW-Authenticate") == "" {
			r.what += ", without a challenge"
			r.cause = "The server requires a token or a key; the response has no WWW-Authenticate header that names the authorization server."
		}
		return r
	case http.StatusProxyAuthRequired:
		return reason{
			what: "proxy authentication required", cause: "The request goes through a proxy (HTTP_PROXY, HTTPS_PROXY) that requires authentication.",
			try: "Set user and password in the variable (http://USER:PASSWORD@HOST), or add the server's host to NO_PROXY.",
		}
	case http.StatusForbidden:
		return reason{
			what: "access denied", cause: "The credentials do not permit this request, or the server does not accept its Origin or Host.",
			try: "Check the token's scopes; for a local server, use the host name that it expects (127.0.0.1 or localhost).",
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return noEndpoint(err, f)
	case http.StatusGone:
		return reason{what: "the endpoint has been removed", cause: "There is no longer an endpoint at this URL.", try: "Look up its new URL in the server's documentation."}
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return reason{
			what: "it does not support the media types of Streamable HTTP", cause: "The server does not accept application/json with text/event-stream.",
			try: "Check whether -H overrides Accept or Content-Type.",
		}
	case http.StatusTooManyRequests:
		r := reason{what: "rate limit exceeded", cause: "The server, or a proxy, limits the number of requests.", try: "Wait, then retry."}
		if after := err.Header.Get("Retry-After"); after != "" {
			r.try = "Retry after the given time (Retry-After: " + bare(after) + "; a number is in seconds)."
		}
		return r
	case http.StatusBadRequest:
		return reason{what: itSays(err.Body), cause: "The server did not accept the request; the body may have the reason.", try: "Another --protocol version may help an old server."}
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return reason{
			what: "it accepted the request without a response", cause: "This status is for notifications; the response to a request is JSON or an event stream.",
			try: "Check how the server distinguishes requests from notifications; it may respond on another stream (--transport sse).",
		}
	}
	m := card.OfStatus(err.Status, card.Where{Wire: true, Verb: err.Method}).Likely()
	return reason{what: itSays(err.Body), cause: m.Means + " " + m.Cause, try: m.Check}
}

// itSays quotes a body that is not HTML.
func itSays(body []byte) string {
	text := strings.Join(strings.Fields(string(body)), " ")
	var rpc *client.RPCError
	answer := client.Response{Frame: body, Envelope: jsonrpc.Scan(body)}
	if errors.As(answer.Err(), &rpc) {
		text = rpc.Message
	}
	if text == "" || strings.HasPrefix(text, "<") {
		return ""
	}
	return "it reports " + quote(text, textHead/2)
}

// bodyReason reads what servers and proxies say beside the number.
func bodyReason(err *transport.StatusError) (reason, bool) {
	body := strings.ToLower(string(err.Body))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(body, w) })
	}
	switch {
	case err.Status == http.StatusBadRequest && has("http request to an https server", "http request was sent to https port", "plain http to an ssl-enabled"):
		return reason{what: "the port requires TLS", cause: "The port requires https, and the URL has http.", try: "Write https:// instead of http://."}, true
	case err.Status == http.StatusBadRequest && has("session"):
		return reason{
			what: "the session id is missing", cause: "The server expects a request within a session; a proxy may remove Mcp-Session-Id, or the session belongs to another instance.",
			try: "Check where Mcp-Session-Id is created and checked; --protocol 2025-11-25 begins with initialize, as older servers require.",
		}, true
	case err.Status == http.StatusForbidden && has("origin"):
		return reason{
			what: "it does not accept the Origin of the request", cause: "Servers check the Origin to block attacks from web pages; this one allows another, or its list is empty.",
			try: "Allow it in the server's settings, or send one that it expects: -H \"Origin: http://localhost\".",
		}, true
	case (err.Status == http.StatusForbidden || err.Status == http.StatusMisdirectedRequest) && has("host"):
		return reason{
			what: "it does not accept the host name of the URL", cause: "Servers check the Host against DNS rebinding; this one expects another name.",
			try: "Use the host name that it expects (127.0.0.1 or localhost), or add this one to its allowed hosts.",
		}, true
	}
	return reason{}, false
}

// usualPaths are where servers mostly have their endpoint.
var usualPaths = []string{"/mcp", "/sse", "/"}

// noEndpoint is a path at which there is something else, or nothing.
func noEndpoint(err *transport.StatusError, f Facts) reason {
	own := ""
	if u, bad := url.Parse(err.URL); bad == nil {
		own = u.Path
	}
	others := slices.DeleteFunc(slices.Clone(usualPaths), func(p string) bool { return p == own })
	r := reason{
		what: "there is no MCP endpoint at this path",
		try:  "Common paths: " + strings.Join(others, ", ") + "; check the server's documentation.",
	}
	if err.Status == http.StatusMethodNotAllowed {
		r.what = "this path does not allow " + err.Method
		r.cause = "This path does not allow " + err.Method + ": it may be another page, or an endpoint of the older HTTP+SSE transport."
	}
	switch {
	case f.target.Transport == client.TransportSSE && err.Method == http.MethodGet:
		r.what = "there is no event stream at this path"
		r.cause = "HTTP+SSE begins with an event stream: the server may use Streamable HTTP, or have the stream at another path."
		r.try = "Omit --transport sse. " + r.try
	case f.target.Transport == client.TransportHTTP && err.Method == http.MethodPost:
		r.cause = "A Streamable HTTP endpoint accepts POST; a server with HTTP+SSE only does not."
		r.try = "Omit --transport http, so that mcptea tries HTTP+SSE too. " + r.try
		if strings.HasSuffix(strings.TrimRight(own, "/"), "/sse") {
			r.what = "the path suggests HTTP+SSE, and --transport http was given"
		}
	}
	return r
}

// redirected is a redirect that was not followed.
func redirected(err *transport.StatusError) reason {
	r := reason{
		what: "redirect not followed", cause: "The redirect leads to another origin, or would drop the body; it was not followed, so that credentials stay with the origin of the URL.",
		try: "Use the URL of the Location header; --lenient follows to other origins without credentials.",
	}
	from, bad := url.Parse(err.URL)
	to, bad2 := url.Parse(err.Header.Get("Location"))
	if bad != nil || bad2 != nil || err.Header.Get("Location") == "" {
		return r
	}
	to = from.ResolveReference(to)
	r.what = "it redirects to " + escape(cut(to.String()))
	lower := strings.ToLower(to.Path)
	switch {
	case from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname():
		r.cause = "The server requires TLS; the redirect was not followed because it would drop the body of the request."
		r.try = "Write https:// instead of http://."
	case strings.Contains(lower, "login"), strings.Contains(lower, "signin"), strings.Contains(lower, "sign-in"), strings.Contains(lower, "auth"):
		r.cause = "It is a login page: the endpoint is behind a login for browsers."
		r.try = "Send a token (MCPTEA_TOKEN, -H \"Authorization: Bearer …\"), or use a URL that is not behind the login."
	case from.Host == to.Host && from.Scheme == to.Scheme && (err.Status == http.StatusTemporaryRedirect || err.Status == http.StatusPermanentRedirect):
		r.what = "redirect loop, last to " + escape(cut(to.String()))
		r.cause = fmt.Sprintf("%d redirects were followed: the server or a proxy redirects in a loop.", rpchttp.MaxRedirects)
		r.try = "Check the redirect rules (a slash at the end of the path, http and https), and request the URL with curl -v."
	case from.Host == to.Host && from.Scheme == to.Scheme:
		r.cause = "A status of " + fmt.Sprint(err.Status) + " changes the request to GET, so it was not followed."
		r.try = "Use that URL."
	}
	return r
}

// failing is a server, or one behind it, that does not do its work.
func failing(err *transport.StatusError) reason {
	switch err.Status {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		r := reason{
			what: "a proxy got no response from the server", cause: "The server behind a proxy does not respond.",
			try: "Check that the server is running, and its address in the proxy.",
		}
		if err.Status == http.StatusGatewayTimeout {
			r.try = "Check that the server is running; raise the timeout of the proxy for long requests."
		}
		return r
	case http.StatusServiceUnavailable:
		return reason{
			what: "temporarily unavailable", cause: "The server is starting or overloaded, or no server behind a proxy responds.",
			try: "Check that the server is running, then retry.",
		}
	}
	return reason{what: "internal server error", cause: "The server failed.", try: "Check the server's log."}
}

// wrongContent is a success of a media type that Streamable HTTP does not have.
func wrongContent(err *streamable.ContentError) Explanation {
	kind := "a body without Content-Type"
	if err.ContentType != "" {
		kind = quote(err.ContentType, 60)
	}
	wanted := "JSON or an event stream"
	if err.StreamOnly {
		wanted = "an event stream"
	}
	e := Explanation{
		Sentence: fmt.Sprintf("%s %s returned %d with %s instead of %s.", err.Method, escape(err.URL), err.Status, kind, wanted),
		Cause:    "The URL is not an MCP endpoint.",
		Try:      "Check host, port and path; many servers have the endpoint at /mcp.",
	}
	if err.StreamOnly {
		e.Try = "Omit --transport sse; check the path: many servers have their stream at /sse."
	}
	if len(err.Head) > 0 {
		e.Evidence = []Line{{"body", string(err.Head), true}}
	}
	if strings.HasPrefix(strings.ToLower(err.ContentType), "text/html") {
		e.Sentence = fmt.Sprintf("%s %s returned %d with an HTML page instead of JSON.", err.Method, escape(err.URL), err.Status)
		e.Cause = "It is a web page: a login, a start page, or the page of a proxy."
	}
	return e
}

// isJSON reports whether the newest body is JSON, if nothing else.
func isJSON(bodies []string) bool {
	if len(bodies) == 0 {
		return true
	}
	switch jsonrpc.Scan([]byte(bodies[len(bodies)-1])).Fault {
	case jsonrpc.FaultNotJSON, jsonrpc.FaultNotUTF8:
		return false
	}
	return true
}

// lost explains a request that the server accepted and did not respond to.
func lost(err *streamable.LostError, f Facts, method string) (Explanation, bool) {
	x := f.exchange
	where := fmt.Sprintf("%s %s returned %d %s", x.Method, escape(x.URL), x.Status, http.StatusText(x.Status))
	if x.Status == 0 {
		where = "The server responded"
	}
	if f.Connected {
		method = "the request"
	}
	e := Explanation{
		Cause: "The URL is not an MCP endpoint, or the server loses its responses.",
		Try:   "Check host, port and path; many servers have the endpoint at /mcp.",
	}
	switch {
	case errors.Is(err.Err, streamable.ErrEmpty):
		e.Sentence = fmt.Sprintf("%s with an empty body instead of the response to %s.", where, method)
		e.Cause = "The server treats the request as a notification, or its handler returns without writing."
		e.Try = "Check the server's log."
	case errors.Is(err.Err, streamable.ErrStreamEnded):
		e.Sentence = fmt.Sprintf("%s with an event stream that ended before the response to %s.", where, method)
		e.Cause = "The server closed the stream too early, or a proxy did."
		e.Try = "Check the server's log and the timeouts of proxies."
	case !errors.Is(err.Err, streamable.ErrNoAnswer):
		return e, false
	case len(f.unmatched) > 0:
		e.Sentence = fmt.Sprintf("%s with a response that does not match %s: its id is %s.", where, method, escape(f.unmatched[len(f.unmatched)-1]))
		e.Cause = "The id of a response must equal that of its request: the number 1 is not the string \"1\"."
		e.Try = "Check where the server copies the id."
	case x.ResponseHeader.Get("Content-Encoding") != "":
		e.Sentence = fmt.Sprintf("%s with a compressed body (%s) that was not requested.", where, quote(x.ResponseHeader.Get("Content-Encoding"), 20))
		e.Cause = "The server or a proxy ignores Accept-Encoding."
		e.Try = "Turn off compression for this URL."
	case !isJSON(f.Stray):
		e.Sentence = fmt.Sprintf("%s with a body that is not valid JSON, although its Content-Type is JSON.", where)
		e.Cause = "The server builds JSON without a library, or the URL is not an MCP endpoint."
		e.Try = "Check the body, and host, port and path."
	default:
		e.Sentence = fmt.Sprintf("%s with JSON that is not a response to %s.", where, method)
	}
	if encoding := x.ResponseHeader.Get("Content-Encoding"); encoding != "" {
		e.Evidence = append(e.Evidence, Line{"header", "Content-Encoding: " + cut(encoding), true})
	}
	for _, body := range f.Stray[max(0, len(f.Stray)-1):] {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	return e, true
}
