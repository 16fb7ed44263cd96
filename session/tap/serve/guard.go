package serve

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/internal/server/rpcserver"
	"mcptea/internal/system"
)

// guard refuses requests of web pages of other sites, and requests without the token. The token is the last part of the
// path, since many hosts are configured with a URL only, or a bearer token. Neither status makes a host begin OAuth.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := g.whyForbidden(r); why != "" {
			rpcserver.Refuse(w, http.StatusForbidden, why)
			return
		}
		if g.Token == "" {
			next.ServeHTTP(w, r)
			return
		}
		last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		bearer, hasBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		isKnown := r.URL.Path == Path || g.SSE && r.URL.Path == SSEPath
		switch {
		case g.isToken(last), isKnown && hasBearer && g.isToken(bearer):
			next.ServeHTTP(w, r)
		case isKnown:
			rpcserver.Refuse(w, http.StatusUnauthorized, "the token is missing or wrong; mcptea tap has printed the URL with the token")
		default:
			rpcserver.Refuse(w, http.StatusNotFound, "nothing is served at this path; mcptea tap has printed the URL")
		}
	})
}

func (g *Gateway) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(g.Token)) == 1
}

// whyForbidden returns why a request may be of a web page of another site, or "". The Host and the Origin are those of this
// machine on the loopback interface. On another interface the Host is an IP address, which is not the name of a web site,
// and no web page is expected. [Gateway.Names] are accepted on both.
func (g *Gateway) whyForbidden(r *http.Request) string {
	host := (&url.URL{Host: r.Host}).Hostname()
	if !g.isNamed(host) && !system.IsLoopback(host) && (g.Loopback || net.ParseIP(host) == nil) {
		return fmt.Sprintf("the host %q is unknown; --allow-host accepts it", r.Host)
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || !g.isNamed(u.Hostname()) && !(g.Loopback && system.IsLoopback(u.Hostname())) {
			return fmt.Sprintf("the origin %q belongs to another site; --allow-host accepts it", origin)
		}
	}
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return "the request is from a web page of another site"
	}
	return ""
}

func (g *Gateway) isNamed(host string) bool {
	return slices.ContainsFunc(g.Names, func(name string) bool { return strings.EqualFold(name, host) })
}
