package authority

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	mcphttp "mcptea/client/transport/http"
)

// The endpoints, below the issuer.
const (
	pathJWKS       = "/jwks"
	pathRegister   = "/register"
	pathAuthorize  = "/authorize"
	pathConsent    = "/consent"
	pathToken      = "/token"
	pathIntrospect = "/introspect"
	pathRevoke     = "/revoke"

	// Places that only a token refers to. A server that requests one of them trusts the sender of
	// the token.
	pathOtherIssuer      = "/other"             // URL of another issuer, for the claim iss
	pathOtherJWKS        = "/other-jwks"        // key of that issuer, for the header jku
	pathOtherCertificate = "/other-certificate" // certificate of that key, for the header x5u

	pathServerMetadata = "/.well-known/oauth-authorization-server"
	pathOpenID         = "/.well-known/openid-configuration"
)

const (
	maxBody  = 64 << 10 // maximum length of a request body, in bytes
	maxQuery = 16 << 10 // maximum length of a query, in bytes
)

// Handler returns the handler that serves the authority.
func (a *Authority) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch why := strangerReason(r); {
		case why != "":
			http.Error(w, why, http.StatusForbidden)
		case len(r.URL.RawQuery) > maxQuery:
			http.Error(w, "The query is longer than 16 KiB.", http.StatusRequestURITooLong)
		default:
			endpoint, do := a.route(r)
			a.serve(w, r, endpoint, do)
		}
	})
}

// strangerReason returns why a request is not from a client of the authority, or "". If the host
// name of a web page was rebound to this machine, the Host is different. A form of another page has
// the origin of that page.
func strangerReason(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if !mcphttp.IsLoopback(host) {
		return "The authority serves only this machine."
	}
	if origin := r.Header.Get("Origin"); r.Method == http.MethodPost && origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return "A page of another origin cannot use the authority."
		}
	}
	return ""
}

// endpoints lists the endpoints of the authority, with their paths below the issuer.
var endpoints = []struct {
	method, path, name string
	do                 func(*Authority, *exchange)
}{
	{http.MethodGet, pathOpenID, "metadata", (*Authority).metadata},
	{http.MethodGet, pathJWKS, "jwks", (*Authority).jwks},
	{http.MethodGet, pathOtherJWKS, "other-jwks", (*Authority).otherJWKS},
	{http.MethodGet, pathOtherCertificate, "other-certificate", (*Authority).otherCertificate},
	{http.MethodGet, pathOtherIssuer + pathOpenID, "other-metadata", (*Authority).otherMetadata},
	{http.MethodGet, pathAuthorize, "authorize", (*Authority).authorize},
	{http.MethodPost, pathConsent, "consent", (*Authority).consent},
	{http.MethodPost, pathRegister, "register", (*Authority).register},
	{http.MethodPost, pathToken, "token", (*Authority).token},
	{http.MethodPost, pathIntrospect, "introspect", (*Authority).introspect},
	{http.MethodPost, pathRevoke, "revoke", (*Authority).revokeToken},
}

// route returns the endpoint of a request and its function.
func (a *Authority) route(r *http.Request) (endpoint string, do func(*exchange)) {
	u, _ := url.Parse(a.Issuer())
	path, below := r.URL.Path, ""
	if rest, ok := strings.CutPrefix(path, u.Path); ok {
		below = rest
	}
	for _, issuer := range [...]string{"", pathOtherIssuer} {
		if path == pathServerMetadata+u.Path+issuer || path == pathOpenID+u.Path+issuer {
			below = issuer + pathOpenID
		}
	}
	for _, e := range endpoints {
		if e.method == r.Method && e.path == below {
			return e.name, func(x *exchange) { e.do(a, x) }
		}
	}
	return "unknown", func(x *exchange) {
		x.fail(http.StatusNotFound, "not_found", "the authority has no such endpoint")
	}
}
