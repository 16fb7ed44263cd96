package probes

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
)

// isLocal reports whether the server is on this machine and has no authorization: a web page that reaches it
// can do anything that the user can.
func isLocal(r *probe.Run) bool {
	u, err := url.Parse(r.Target().URL)
	return err == nil && mcphttp.IsLoopback(u.Hostname()) && !r.Authorized()
}

// first returns the request that starts a conversation: a POST, or for HTTP+SSE the GET of the stream.
func first(r *probe.Run, q probe.HTTPRequest) probe.HTTPRequest {
	q.MayFail = true // a proxy may close the connection
	if r.Server.Transport == "sse" {
		q.Method, q.HeadersOnly = http.MethodGet, true
		return q
	}
	q.Body = r.InitializeBody()
	return q
}

// origin returns a header with an origin.
func origin(value string) http.Header { return http.Header{"Origin": {value}} }

func dnsRebinding(r *probe.Run) {
	both := r.HTTP("a foreign Host and Origin", first(r, probe.HTTPRequest{Host: "evil.example", Header: origin("http://evil.example")}))
	if both.Accepted() {
		severity := lint.Warn
		if isLocal(r) {
			severity = lint.Error
		}
		r.Of(both).Named("foreign-origin").About(severity, "", "The server accepts a request with the Host and Origin of another site: a web page can reach it by DNS rebinding.")
		return
	}
	if host := r.HTTP("a foreign Host", first(r, probe.HTTPRequest{Host: "evil.example"})); host.Accepted() && isLocal(r) {
		r.Of(host).Advise("Nothing to fix for browsers that send Origin; compare Host with the names of the server, too, for all others.").
			Info("The server checks Origin, but not Host: it rejects a request with the Host and Origin of another site, but accepts one with only that Host.")
	}
}

// foreignOrigins returns origins of other sites. The last ones begin like an origin of the server: a comparison of the
// first characters accepts them.
func foreignOrigins(u *url.URL) []string {
	all := []string{"https://evil.example", "null", u.Scheme + "://" + u.Hostname() + ".evil.example"}
	if mcphttp.IsLoopback(u.Hostname()) {
		all = append(all, u.Scheme+"://localhost.evil.example")
	}
	return all
}

func originForeign(r *probe.Run) {
	u, err := url.Parse(r.Target().URL)
	if err != nil {
		return
	}
	for _, value := range foreignOrigins(u) {
		p := r.HTTP("the Origin "+value, first(r, probe.HTTPRequest{Header: origin(value)}))
		if p.Accepted() {
			severity, effect := lint.Warn, "but does not let the page read the response"
			switch readable := p.Header.Get("Access-Control-Allow-Origin") != ""; {
			case readable && isLocal(r):
				severity, effect = lint.Error, "and lets the page read the response"
			case readable:
				effect = "and lets the page read the response, if it can authorize itself"
			}
			r.Of(p).Named("foreign-origin").About(severity, "", "The server accepts a request with the Origin %s, %s.", value, effect)
			if value != "null" {
				break // one finding for the check of origins
			}
		}
	}
	// No sentence requires that an origin is accepted: a server that no page uses need not have any.
	if p := r.HTTP("the origin of the server", first(r, probe.HTTPRequest{Header: origin(u.Scheme + "://" + u.Host)})); p.Refused() {
		r.Of(p).Advise("Nothing to fix if no web page uses the server; else allow the origin of that page.").
			Info("The server rejects a request with its own origin, %s://%s: a web page that it delivers cannot use it.", u.Scheme, u.Host)
	}
}

func cors(r *probe.Run) {
	p := r.HTTP("a preflight request of another site", probe.HTTPRequest{MayFail: true, Method: http.MethodOptions, Header: http.Header{
		"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": {"content-type, mcp-session-id, mcp-protocol-version"},
	}})
	granted := p.Header.Get("Access-Control-Allow-Origin")
	switch {
	case granted == "":
		return
	case granted != "*" && p.Header.Get("Access-Control-Allow-Credentials") == "true":
		r.Of(p).Named("foreign-origin").Error("The server grants the origin https://evil.example access with credentials (Access-Control-Allow-Origin: %s).", granted)
		return
	}
	post := r.HTTP("a request of another site after the preflight", first(r, probe.HTTPRequest{Header: origin("https://evil.example")}))
	switch {
	case isLocal(r) && post.Accepted():
		r.Of(post).Named("foreign-origin").Error("The server on this machine lets every web page call it (Access-Control-Allow-Origin: %s).", granted)
	case granted == "*" && r.Authorized():
		r.Of(post).Info("The server grants all origins access; requests need a token.")
	case post.Accepted():
		r.Of(post).Named("foreign-origin").Warn("The server lets every web page call it (Access-Control-Allow-Origin: %s).", granted)
	}
}

func exposure(r *probe.Run) {
	u, err := url.Parse(r.Target().URL)
	if err != nil {
		return
	}
	if u.Scheme == "http" && !mcphttp.IsLoopback(u.Hostname()) {
		r.Case("the address of the server").Advise("Offer the server over https.").Named("plain-http").Warn("The server is not on this machine, and the connection is not encrypted (http).")
	}
	if mcphttp.IsLoopback(u.Hostname()) {
		exposedInterfaces(r, u)
	}
	anyPath(r, u)
	for _, path := range []string{strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.Path, "/") + "/"} {
		if path == u.Path || path == "" {
			continue
		}
		other := *u
		other.Path = path
		p := r.HTTP("the path "+path, probe.HTTPRequest{MayFail: true, URL: other.String(), Body: r.InitializeBody()})
		to, err := url.Parse(p.Header.Get("Location"))
		if p.Status >= 300 && p.Status < 400 && err == nil && u.Scheme == "https" && to.Scheme == "http" {
			r.Of(p).Advise("Redirect to https, and tell the server behind a proxy its public URL.").Named("redirects").Error("The server redirects from https to http.")
		}
	}
}

// anyPath checks whether the server responds at a meaningless path.
func anyPath(r *probe.Run, u *url.URL) {
	other := *u
	other.Path, other.RawQuery = "/mcptea-no-such-path", ""
	q := first(r, probe.HTTPRequest{URL: other.String()})
	if p := r.HTTP("the path "+other.Path, q); !q.HeadersOnly && p.Accepted() && jsonrpc.Equal(nameOf(p.Result()), nameOf(r.Server.Handshake.Result)) {
		r.Of(p).Advise("Return 404 at all other paths.").Info("The server answers at every path, such as %s: what a proxy allows or denies by the path can be avoided.", other.Path)
	}
}

// exposedInterfaces checks whether the server responds at the other addresses of this machine.
func exposedInterfaces(r *probe.Run, u *url.URL) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return
	}
	var d net.Dialer
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast() || ip.IP.To4() == nil {
			continue
		}
		ctx, stop := context.WithTimeout(r.Context(), r.Brief())
		address := net.JoinHostPort(ip.IP.String(), u.Port())
		conn, err := d.DialContext(ctx, "tcp", address)
		stop()
		if err != nil {
			continue
		}
		_ = conn.Close()
		other := *u
		other.Host = address
		q := first(r, probe.HTTPRequest{URL: other.String()})
		p := r.HTTP("the server at "+address, q)
		if p.Accepted() && (q.HeadersOnly || jsonrpc.Equal(nameOf(p.Result()), nameOf(r.Server.Handshake.Result))) {
			r.Of(p).Named("listens").Warn("The server also listens on %s: others on the network can use it.", address)
			return
		}
	}
}

// nameOf returns the name of the server in the result of initialize.
func nameOf(result []byte) []byte {
	v, _ := jsonrpc.Member(result, "serverInfo", "name")
	return v
}
