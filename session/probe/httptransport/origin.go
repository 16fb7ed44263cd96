package httptransport

import (
	"net/http"
	"net/url"

	"mcptea/client/transport/httpsyntax"
	"mcptea/session/lint"
	"mcptea/session/probe/harness"
)

// isLoopback reports a server on this machine.
func isLoopback(r *harness.Run) bool {
	u, err := url.Parse(r.Target().URL)
	return err == nil && httpsyntax.IsLoopback(u.Hostname())
}

// first is the request that begins a conversation: a POST, or for HTTP+SSE the GET
// of the stream.
func first(r *harness.Run, q harness.HTTPRequest) harness.HTTPRequest {
	if r.Server.Transport == "sse" {
		q.Method, q.HeadersOnly = http.MethodGet, true
		return q
	}
	q.Body = r.InitializeBody()
	return q
}

func dnsRebinding(r *harness.Run) {
	local := isLoopback(r) && !r.Authorized()
	both := r.HTTP("a foreign Host and Origin", first(r, harness.HTTPRequest{
		Host: "evil.example", Header: http.Header{"Origin": {"http://evil.example"}},
	}))
	if both.OK() {
		severity := lint.Warn
		if local {
			severity = lint.Error
		}
		r.About(severity, "", "The server accepts a request with the Host and Origin of another site: a web page can reach it by DNS rebinding.")
		return
	}
	if host := r.HTTP("a foreign Host", first(r, harness.HTTPRequest{Host: "evil.example"})); host.OK() && local {
		r.Warn("The server accepts a request with the Host of another site; only its check of Origin protects it from DNS rebinding.")
	}
}
