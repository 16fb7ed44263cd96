package authority

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"mcptea/internal/jose"
)

// resourceMetadataPath is the path of a server's metadata (RFC 9728 §3).
const resourceMetadataPath = "/.well-known/oauth-protected-resource"

// Protect returns a handler that passes on requests with a token of the authority (RFC 6750, RFC
// 9728). resource returns the URL of the server. needs lists the scopes that each request requires.
func (a *Authority) Protect(resource func() string, needs []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, _ := url.Parse(resource())
		if r.URL.Path == resourceMetadataPath+u.Path || r.URL.Path == resourceMetadataPath {
			a.writeResourceMetadata(w, resource())
			return
		}
		challenge := a.challenge(r, resource(), needs)
		a.sawResource(r, challenge.status)
		if challenge.status == http.StatusOK {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", challenge.text)
		if challenge.nonce != "" {
			w.Header().Set("DPoP-Nonce", challenge.nonce)
		}
		http.Error(w, http.StatusText(challenge.status), challenge.status)
	})
}

func (a *Authority) writeResourceMetadata(w http.ResponseWriter, resource string) {
	d := map[string]any{
		"resource": resource, "authorization_servers": []string{a.Issuer()}, "bearer_methods_supported": []string{"header"},
		"dpop_signing_alg_values_supported": []string{"ES256"},
	}
	if len(a.options.Scopes) > 0 {
		d["scopes_supported"] = a.options.Scopes
	}
	if a.options.DPoP {
		d["dpop_bound_access_tokens_required"] = true
	} else {
		delete(d, "dpop_signing_alg_values_supported") // otherwise a client would bind its tokens
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d)
}

// A challenge is the reaction to the credentials in a request.
type challenge struct {
	status int
	text   string // WWW-Authenticate
	nonce  string // DPoP-Nonce, or ""
}

// challenge returns the reaction to the credentials in a request to the protected server.
func (a *Authority) challenge(r *http.Request, resource string, needs []string) challenge {
	u, _ := url.Parse(resource) // valid: the caller has made it
	origin := u.Scheme + "://" + u.Host
	at := origin + resourceMetadataPath + u.Path
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	bound := strings.EqualFold(scheme, "DPoP")
	text := `Bearer resource_metadata="` + at + `"`
	if a.options.DPoP {
		text = `DPoP algs="ES256", resource_metadata="` + at + `"`
	}
	deny := func(status int, more string) challenge { return challenge{status: status, text: text + more} }
	g, ok := a.find(token)
	switch {
	case token == "" || !bound && !strings.EqualFold(scheme, "Bearer"):
		return deny(http.StatusUnauthorized, "")
	case !ok || g.kind != kindAccess || !a.isActive(g) || g.Resource != resource:
		return deny(http.StatusUnauthorized, `, error="invalid_token"`)
	case bound != (g.key != ""):
		return deny(http.StatusUnauthorized, `, error="invalid_token", error_description="the scheme and the binding of the token differ"`)
	case a.options.DPoP && !bound:
		return deny(http.StatusUnauthorized, `, error="invalid_token", error_description="a token that is bound to a key is required"`)
	}
	if bound {
		p, why := a.checkProof(r, origin+r.URL.EscapedPath())
		switch {
		case why != "":
			return deny(http.StatusUnauthorized, `, error="invalid_dpop_proof", error_description="`+headerText(why)+`"`)
		case p.key != g.key || p.token != jose.SHA256(token):
			return deny(http.StatusUnauthorized, `, error="invalid_dpop_proof", error_description="the proof is of another key or token"`)
		case p.nonce != a.nonce:
			c := deny(http.StatusUnauthorized, `, error="use_dpop_nonce"`)
			c.nonce = a.nonce
			return c
		}
	}
	if g.lacks(needs) != "" {
		return deny(http.StatusForbidden, `, error="insufficient_scope", scope="`+strings.Join(needs, " ")+`"`)
	}
	return challenge{status: http.StatusOK}
}

// headerText returns a text that is permitted in a quoted string of a header.
func headerText(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, text)
}
