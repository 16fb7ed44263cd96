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
	"mcptea/client/transport/exchange"
	"mcptea/client/transport/streamable"
	"mcptea/session/explain/card"
)

// tellingHeaders are those that say more about a refusal.
var tellingHeaders = []string{"WWW-Authenticate", "Proxy-Authenticate", "Location", "Allow", "Retry-After", "Server", "Via"}

// badStatus is an HTTP answer that is no success.
func badStatus(err *transport.StatusError, expired bool, f Facts) Explanation {
	e := Explanation{Sentence: fmt.Sprintf("%s %s answered %d %s.", err.Method, escape(err.URL), err.Status, http.StatusText(err.Status))}
	for _, name := range tellingHeaders {
		for _, v := range err.Header.Values(name) {
			e.Evidence = append(e.Evidence, Line{"header", name + ": " + cut(v), true})
		}
	}
	if body := strings.TrimSpace(string(err.Body)); body != "" {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	if expired {
		e.Sentence = "The server does not know the session any more: " + e.Sentence
		e.Cause = "It was restarted, or it ends sessions after a while."
		e.Try = "Connect again."
		if !f.Connected {
			e.Sentence = "The server does not know the session that it gave a moment before: " + strings.TrimPrefix(e.Sentence, "The server does not know the session any more: ")
			e.Cause = "Several instances stand behind the URL and do not share their sessions, or the server forgets them."
			e.Try = "Have the balancer send a session to one instance, or run the server without sessions."
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
		r := reason{what: "it wants authorization", cause: "The server wants authorization, and the request had none that it accepts."}
		r.try = "Send another token, in MCPTEA_TOKEN or with -H \"Authorization: Bearer …\"; without one of your own, mcptea asks the authorization server."
		if err.Header.Get("WWW-Authenticate") == "" {
			r.what += ", and does not say which"
			r.cause = "The server wants a token or a key; it lacks the WWW-Authenticate header that would say where to get one."
		}
		return r
	case http.StatusProxyAuthRequired:
		return reason{
			what: "a proxy wants a user and a password", cause: "The request goes through a proxy (HTTP_PROXY, HTTPS_PROXY), which does not let just anybody through.",
			try: "Put them into the variable (http://USER:PASSWORD@HOST), or name the server's host in NO_PROXY.",
		}
	case http.StatusForbidden:
		return reason{
			what: "it does not allow this", cause: "The server knows who asks and does not allow it, or it does not accept the Origin or Host of the request.",
			try: "Check the token's scopes; for a local server, use the host name that it expects (127.0.0.1 or localhost).",
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return noEndpoint(err, f)
	case http.StatusGone:
		return reason{what: "the endpoint has been taken away", cause: "The server had something at this URL, and has it no more.", try: "Look up its new URL in the server's documentation."}
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return reason{
			what: "it does not take JSON with event streams for an answer", cause: "The server does not take the media types of Streamable HTTP (application/json, text/event-stream).",
			try: "Check whether -H overrides Accept or Content-Type.",
		}
	case http.StatusTooManyRequests:
		r := reason{what: "it limits how often it may be asked", cause: "The server, or a proxy, got more requests than it takes.", try: "Wait, and try again."}
		if after := err.Header.Get("Retry-After"); after != "" {
			r.try = "Wait as long as it says (Retry-After: " + bare(after) + "; a number is one of seconds), and try again."
		}
		return r
	case http.StatusBadRequest:
		return reason{what: itSays(err.Body), cause: "The server did not accept the request; the body may say what it missed.", try: "Another --protocol revision may help an old server."}
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return reason{
			what: "it took the request and gave no answer", cause: "Such a status is for notifications; a request must be answered with JSON or an event stream.",
			try: "Look at how the server tells requests from notifications; it may want to answer on another stream (--transport sse).",
		}
	}
	m := card.OfStatus(err.Status, card.Where{Wire: true, Verb: err.Method}).Likely()
	return reason{what: itSays(err.Body), cause: m.Means + " " + m.Cause, try: m.Check}
}

// itSays repeats the words of a body that is none of HTML.
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
	return "it says " + quote(text, textHead/2)
}

// bodyReason reads what servers and proxies say beside the number.
func bodyReason(err *transport.StatusError) (reason, bool) {
	body := strings.ToLower(string(err.Body))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(body, w) })
	}
	switch {
	case err.Status == http.StatusBadRequest && has("http request to an https server", "http request was sent to https port", "plain http to an ssl-enabled"):
		return reason{what: "this port speaks TLS", cause: "The server wants https on this port, and the URL says http.", try: "Write https:// instead of http://."}, true
	case err.Status == http.StatusBadRequest && has("session"):
		return reason{
			what: "it misses a session", cause: "The server gives sessions and takes the request for one that belongs to a session; a proxy may take the Mcp-Session-Id away, or the session is of another instance.",
			try: "Look at what gives and checks Mcp-Session-Id; --protocol 2025-11-25 begins with initialize, as older servers want it.",
		}, true
	case err.Status == http.StatusForbidden && has("origin"):
		return reason{
			what: "it does not accept the Origin of the request", cause: "Servers check the Origin against pages in a browser that attack them, and this one wants another, or a list of them is empty.",
			try: "Allow it in the server's settings, or send one that it expects: -H \"Origin: http://localhost\".",
		}, true
	case (err.Status == http.StatusForbidden || err.Status == http.StatusMisdirectedRequest) && has("host"):
		return reason{
			what: "it does not accept the host name of the URL", cause: "Servers check the Host against DNS rebinding, and this one expects another name.",
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
		what: "there is no MCP endpoint at this path", cause: "There is an HTTP server, but no MCP endpoint at the path of this URL.",
		try: "Paths that many servers have it at: " + strings.Join(others, ", ") + "; check the server's documentation.",
	}
	if err.Status == http.StatusMethodNotAllowed {
		r.what = "this path takes no " + err.Method
		r.cause = "This path takes no " + err.Method + ": it may be the page of something else, or the server speaks the older HTTP+SSE transport there."
	}
	switch {
	case f.Target.Transport == client.TransportSSE && err.Method == http.MethodGet:
		r.what = "it opens no event stream here"
		r.cause = "HTTP+SSE begins with an event stream, and there is none: the server may speak Streamable HTTP, or have the stream elsewhere."
		r.try = "Leave --transport sse out. " + r.try
	case f.Target.Transport == client.TransportHTTP && err.Method == http.MethodPost:
		r.cause = "Streamable HTTP takes POST at its endpoint; a server that has only HTTP+SSE does not, nor does any other page."
		r.try = "Leave --transport http out, and mcptea tries HTTP+SSE too. " + r.try
		if strings.HasSuffix(strings.TrimRight(own, "/"), "/sse") {
			r.what = "a URL like this is mostly one of HTTP+SSE, and --transport http was given"
		}
	}
	return r
}

// redirected is a redirect that was not followed.
func redirected(err *transport.StatusError) reason {
	r := reason{
		what: "it sends the request elsewhere", cause: "The server sends the request to another origin, or in a way that loses its body; it was not followed, so that no secret leaves.",
		try: "Use the URL of the Location header; --lenient follows to other origins, without what may be secret.",
	}
	from, bad := url.Parse(err.URL)
	to, bad2 := url.Parse(err.Header.Get("Location"))
	if bad != nil || bad2 != nil || err.Header.Get("Location") == "" {
		return r
	}
	to = from.ResolveReference(to)
	r.what = "it sends the request to " + escape(cut(to.String()))
	lower := strings.ToLower(to.Path)
	switch {
	case from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname():
		r.cause = "The server wants TLS; a redirect like this was not followed, since it would lose the body of the request."
		r.try = "Write https:// instead of http://."
	case strings.Contains(lower, "login"), strings.Contains(lower, "signin"), strings.Contains(lower, "sign-in"), strings.Contains(lower, "auth"):
		r.cause = "It is a page where people sign in: the endpoint stands behind a login for browsers."
		r.try = "Send a token (MCPTEA_TOKEN, -H \"Authorization: Bearer …\"), or use a URL that is not behind the login."
	case from.Host == to.Host && from.Scheme == to.Scheme && (err.Status == http.StatusTemporaryRedirect || err.Status == http.StatusPermanentRedirect):
		r.what = "it redirects again and again, at last to " + escape(cut(to.String()))
		r.cause = fmt.Sprintf("%d redirects were followed, each to another one: the server or a proxy in front of it redirects in a loop.", exchange.MaxRedirects)
		r.try = "Look at the rules for redirects (a slash at the end of the path, http and https), and request the URL with curl -v."
	case from.Host == to.Host && from.Scheme == to.Scheme:
		r.cause = "A status of " + fmt.Sprint(err.Status) + " makes a GET of the request, so it was not followed."
		r.try = "Use that URL."
	}
	return r
}

// failing is a server, or one behind it, that does not do its work.
func failing(err *transport.StatusError) reason {
	switch err.Status {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		r := reason{
			what: "a proxy gets no answer from the server behind it", cause: "A proxy stands in front, and the server behind it does not answer.",
			try: "Look whether the server itself runs, and whether the proxy has its right address.",
		}
		if err.Status == http.StatusGatewayTimeout {
			r.try = "Look whether the server itself runs; a proxy must wait longer for a server that works for long."
		}
		return r
	case http.StatusServiceUnavailable:
		return reason{
			what: "it cannot answer at the moment", cause: "The server is starting or overloaded, or a proxy stands in front and none behind it answers.",
			try: "Look whether the server itself runs, and try again.",
		}
	}
	return reason{what: "something failed within the server", cause: "Something failed within the server.", try: "Look at the server's log."}
}

// wrongContent is a success of a media type that Streamable HTTP does not have.
func wrongContent(err *streamable.ContentError) Explanation {
	kind := "a body without a type"
	if err.ContentType != "" {
		kind = quote(err.ContentType, 60)
	}
	wanted := "JSON or an event stream"
	if err.StreamOnly {
		wanted = "an event stream"
	}
	e := Explanation{
		Sentence: fmt.Sprintf("%s %s answered %d with %s, where %s belongs.", err.Method, escape(err.URL), err.Status, kind, wanted),
		Cause:    "What answers at this URL does not speak MCP.",
		Try:      "Check host, port and path; many servers have the endpoint at /mcp.",
	}
	if err.StreamOnly {
		e.Try = "Leave --transport sse out; check the path: many servers have their stream at /sse."
	}
	if len(err.Head) > 0 {
		e.Evidence = []Line{{"body", string(err.Head), true}}
	}
	if strings.HasPrefix(strings.ToLower(err.ContentType), "text/html") {
		e.Sentence = fmt.Sprintf("%s %s answered %d with an HTML page instead of JSON.", err.Method, escape(err.URL), err.Status)
		e.Cause = "It is a page for people: a login, a welcome page, or a proxy that stands in between."
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

// lost is a request that the server took and did not answer.
func lost(err *streamable.LostError, f Facts, method string) (Explanation, bool) {
	x := f.Exchange
	where := fmt.Sprintf("%s %s answered %d %s", x.Method, escape(x.URL), x.Status, http.StatusText(x.Status))
	if x.Status == 0 {
		where = "The server answered"
	}
	if f.Connected {
		method = "the request"
	}
	e := Explanation{
		Cause: "What answers at this URL does not speak MCP, or loses its answers.",
		Try:   "Check host, port and path; many servers have the endpoint at /mcp.",
	}
	switch {
	case errors.Is(err.Err, streamable.ErrEmpty):
		e.Sentence = fmt.Sprintf("%s with an empty body, where the answer to %s belongs.", where, method)
		e.Cause = "The server takes the request for a notification, or a handler in it ends without writing."
		e.Try = "Look at the server's log."
	case errors.Is(err.Err, streamable.ErrStreamEnded):
		e.Sentence = fmt.Sprintf("%s with an event stream that ended before the answer to %s.", where, method)
		e.Cause = "The server closed the stream too early, or a proxy cut it."
		e.Try = "Look at the server's log, and at the time limits of what stands in between."
	case !errors.Is(err.Err, streamable.ErrNoAnswer):
		return e, false
	case len(f.Unclaimed) > 0:
		e.Sentence = fmt.Sprintf("%s with an answer to something else than %s: its id is %s.", where, method, escape(f.Unclaimed[len(f.Unclaimed)-1]))
		e.Cause = "An answer must carry the id of its request, unchanged: the number 1 is not the string \"1\"."
		e.Try = "Look at where the server copies the id."
	case x.ResponseHeader.Get("Content-Encoding") != "":
		e.Sentence = fmt.Sprintf("%s with a body that is compressed (%s), which nobody had asked for.", where, quote(x.ResponseHeader.Get("Content-Encoding"), 20))
		e.Cause = "A server or a proxy compresses whatever it sends, whether the client takes that or not."
		e.Try = "Switch the compression off for this URL."
	case !isJSON(f.Stray):
		e.Sentence = fmt.Sprintf("%s with a body that is not JSON, though its type says so.", where)
		e.Cause = "The server builds JSON by hand, or what answers does not speak MCP."
		e.Try = "Look at the body; check host, port and path."
	default:
		e.Sentence = fmt.Sprintf("%s with JSON that is no answer to %s.", where, method)
	}
	if encoding := x.ResponseHeader.Get("Content-Encoding"); encoding != "" {
		e.Evidence = append(e.Evidence, Line{"header", "Content-Encoding: " + cut(encoding), true})
	}
	for _, body := range f.Stray[max(0, len(f.Stray)-1):] {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	return e, true
}
