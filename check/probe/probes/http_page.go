package probes

import (
	"net/http"
	"slices"
	"strings"

	"mcptea/check/probe"
)

// pageOrigin is the origin of a client in a browser on this machine, with the port of the official one.
const pageOrigin = "http://localhost:6274"

// corsOfPage checks whether a page that the server grants access can use it (Fetch Standard, CORS
// protocol). A server may also grant no access to pages.
func corsOfPage(r *probe.Run) {
	post := r.HTTP("the first request of a page", first(r, probe.HTTPRequest{Header: origin(pageOrigin)}))
	sessions := post.Header.Get("Mcp-Session-Id") != ""
	needed := headersOfPage(r, sessions)
	preflight := r.HTTP("the preflight request of a page", probe.HTTPRequest{MayFail: true, Method: http.MethodOptions, Header: http.Header{
		"Origin": {pageOrigin}, "Access-Control-Request-Method": {http.MethodPost},
		"Access-Control-Request-Headers": {strings.Join(needed, ",")}, "Authorization": nil, // a browser sends no token with it
	}})
	if !post.Accepted() || !grants(post) {
		r.SkipIf(!grants(preflight), "the server grants no page access")
		return
	}
	switch {
	case preflight.Status == http.StatusUnauthorized || preflight.Status == http.StatusForbidden && r.Authorized():
		r.Of(preflight).Advise("Answer OPTIONS before the authorization is checked.").
			Warn("OPTIONS needs authorization (HTTP status %d), and a browser sends no token with a preflight request: no page can send the requests that the server grants it.", preflight.Status)
	case preflight.Status < 200 || preflight.Status > 299 || !grants(preflight):
		r.Of(preflight).Advise("Answer OPTIONS with 204, Access-Control-Allow-Origin and Access-Control-Allow-Headers, as POST.").
			Warn("The server grants a page access in its response to POST, and not in that to the preflight request (HTTP status %d): no page can send it JSON.", preflight.Status)
	default:
		if missing := notListed(preflight.Header, "Access-Control-Allow-Headers", needed); len(missing) > 0 {
			r.Of(preflight).Warn("The preflight response does not allow %s (Access-Control-Allow-Headers: %s): a page cannot send the requests that the server grants it.",
				strings.Join(missing, ", "), strings.Join(preflight.Header.Values("Access-Control-Allow-Headers"), ", "))
		}
	}
	if sessions && len(notListed(post.Header, "Access-Control-Expose-Headers", []string{"mcp-session-id"})) > 0 {
		r.Of(post).Advise("Send Access-Control-Expose-Headers: Mcp-Session-Id.").
			Warn("Mcp-Session-Id is not exposed: a page cannot read the session id, and its next request is outside of the session.")
	}
}

// headersOfPage returns the request headers that a browser asks permission for, in the spelling of
// browsers.
func headersOfPage(r *probe.Run, sessions bool) []string {
	needed := []string{"content-type", "mcp-protocol-version"}
	if r.IsStateless() {
		needed = append(needed, "mcp-method", "mcp-name")
	}
	if sessions {
		needed = append(needed, "mcp-session-id")
	}
	if r.Authorized() {
		needed = append(needed, "authorization")
	}
	slices.Sort(needed)
	return needed
}

// grants reports that a page may read a response.
func grants(o probe.Outcome) bool {
	allowed := o.Header.Get("Access-Control-Allow-Origin")
	return allowed == "*" || allowed == pageOrigin
}

// notListed returns the names that a header does not list. * lists all except Authorization, unless credentials
// are allowed.
func notListed(header http.Header, name string, needed []string) (missing []string) {
	listed := map[string]bool{}
	for _, value := range header.Values(name) {
		for _, part := range strings.Split(value, ",") {
			listed[strings.ToLower(strings.TrimSpace(part))] = true
		}
	}
	all := listed["*"] && header.Get("Access-Control-Allow-Credentials") != "true"
	for _, n := range needed {
		if !listed[n] && (!all || n == "authorization") {
			missing = append(missing, n)
		}
	}
	return missing
}
