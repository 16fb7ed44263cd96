package failure

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
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/session/failure/card"
)

// tellingHeaders are those that say more about a refusal.
var tellingHeaders = []string{"WWW-Authenticate", "Proxy-Authenticate", "Location", "Allow", "Retry-After", "Server", "Via"}

// badStatus explains an HTTP status that is not a success. The body can tell more than
// the number.
func badStatus(err *transport.StatusError, f Facts) Explanation {
	m := card.OfStatus(err.Status, card.Where{Wire: true, Verb: err.Method}).Likely()
	s := situation{
		"returned": fmt.Sprintf("%s %s returned %d %s.", err.Method, escape(err.URL), err.Status, http.StatusText(err.Status)),
		"status":   err.Status, "class": err.Status / 100, "verb": err.Method, "lines": []string{strings.ToLower(string(err.Body))}, "reports": itReports(err.Body),
		"expired": errors.Is(f.err, mcphttp.ErrSessionExpired), "connected": f.Connected, "transport": f.target.Transport,
		"challenge": err.Header.Get("WWW-Authenticate"), "means": m.Means, "usual_cause": m.Cause, "check": m.Check,
	}
	if after := err.Header.Get("Retry-After"); after != "" {
		s["retry_after"] = bare(after)
	}
	s.addPath(err)
	if err.Status/100 == 3 {
		s.addRedirect(err)
	}
	var e Explanation
	for _, name := range tellingHeaders {
		for _, v := range err.Header.Values(name) {
			e.Evidence = append(e.Evidence, Line{"header", name + ": " + cut(v), true})
		}
	}
	if body := strings.TrimSpace(string(err.Body)); body != "" {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	return e.with("status", s)
}

// itReports quotes a body that is not HTML.
func itReports(body []byte) string {
	text := strings.Join(strings.Fields(string(body)), " ")
	response := client.Response{Frame: body, Envelope: jsonrpc.Scan(body)}
	if rpc, ok := errors.AsType[*client.RPCError](response.Err()); ok {
		text = rpc.Message
	}
	if text == "" || strings.HasPrefix(text, "<") {
		return ""
	}
	return "it reports " + quote(text, textHead/2)
}

// addPath adds the paths where servers mostly have their endpoint, other than the one
// that was tried.
func (s situation) addPath(err *transport.StatusError) {
	own := ""
	if u, bad := url.Parse(err.URL); bad == nil {
		own = u.Path
	}
	usual := []string{"/mcp", "/sse", "/"}
	s["paths"] = strings.Join(slices.DeleteFunc(usual, func(p string) bool { return p == own }), ", ")
	s["path_sse"] = strings.HasSuffix(strings.TrimRight(own, "/"), "/sse")
}

var loginPath = lazyregexp.New(`login|signin|sign-in|auth`)

// addRedirect adds where a redirect leads that was not followed.
func (s situation) addRedirect(err *transport.StatusError) {
	from, bad := url.Parse(err.URL)
	to, bad2 := url.Parse(err.Header.Get("Location"))
	if bad != nil || bad2 != nil || err.Header.Get("Location") == "" {
		return
	}
	to = from.ResolveReference(to)
	login, same := loginPath().MatchString(strings.ToLower(to.Path)), from.Host == to.Host && from.Scheme == to.Scheme
	s["to"], s["to_login"], s["to_same"] = escape(cut(to.String())), login, same
	s["to_tls"] = from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname()
	s["loop"] = same && !login && (err.Status == http.StatusTemporaryRedirect || err.Status == http.StatusPermanentRedirect)
	s["redirects"] = mcphttp.MaxRedirects
}

// wrongContent is a success of a media type that Streamable HTTP does not have.
func wrongContent(err *mcphttp.ContentError, _ Facts) Explanation {
	s := situation{
		"returned": fmt.Sprintf("%s %s returned %d", err.Method, escape(err.URL), err.Status), "kind": "a body without Content-Type",
		"stream": err.StreamOnly, "html": strings.HasPrefix(strings.ToLower(err.ContentType), "text/html"),
	}
	if err.ContentType != "" {
		s["kind"] = quote(err.ContentType, 60)
	}
	e := explain("content", s)
	if len(err.Head) > 0 {
		e.Evidence = []Line{{"body", string(err.Head), true}}
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
func lost(err *mcphttp.LostError, f Facts) (Explanation, bool) {
	x, encoding := f.exchange, f.exchange.ResponseHeader.Get("Content-Encoding")
	s := situation{
		"is": err.Err, "returned": fmt.Sprintf("%s %s returned %d %s", x.Method, escape(x.URL), x.Status, http.StatusText(x.Status)),
		"method": f.method, "json": isJSON(f.Stray),
	}
	if x.Status == 0 {
		s["returned"] = "The server responded"
	}
	if f.Connected {
		s["method"] = "the request"
	}
	if n := len(f.unmatched); n > 0 {
		s["unmatched"] = escape(f.unmatched[n-1])
	}
	var e Explanation
	if encoding != "" {
		s["encoding"] = quote(encoding, 20)
		e.Evidence = append(e.Evidence, Line{"header", "Content-Encoding: " + cut(encoding), true})
	}
	for _, body := range f.Stray[max(0, len(f.Stray)-1):] {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	why, ok := find("lost", s)
	return e.because(why), ok
}
