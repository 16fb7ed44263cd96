package serve

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"mcptea/internal/server/rpcserver"
	"mcptea/internal/system"
)

// guard refuses requests of web pages of other sites, and requests without the token. The token is the last part of the
// path, since many hosts are configured with a URL only, or a bearer token. Neither status makes a host begin OAuth.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := system.SiteRefusal(r, g.Loopback, g.Names); why != "" {
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
