package authority

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// The grants (RFC 6749 §4.1, §6, §4.4).
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantClient  = "client_credentials"
)

// Prefixes of the values that the authority issues. They show that a text is a secret.
const (
	prefixCode    = "code_"
	prefixRefresh = "refresh_"
	prefixSecret  = "secret_"
	prefixConsent = "consent_" // token of a consent page; the form of the page gives consent once
)

// refreshLife is the lifetime of a refresh token.
const refreshLife = 24 * time.Hour

// token is the token endpoint (RFC 6749 §3.2).
func (a *Authority) token(x *exchange) {
	if media := x.r.Header.Get("Content-Type"); !strings.HasPrefix(media, "application/x-www-form-urlencoded") {
		x.find(levelError, "form", "RFC 6749 §4.1.3", "The token request has the media type %q.", media)
	}
	c, ok := a.authenticate(x)
	if !ok {
		return
	}
	key, why := a.proofKey(x)
	if why != "" {
		x.find(levelError, "dpop", "RFC 9449 §4.3", "The DPoP proof is invalid: %s.", why)
		x.fail(http.StatusBadRequest, "invalid_dpop_proof", why)
		return
	}
	x.seen.DPoP = key != ""
	switch grant := x.form.Get("grant_type"); grant {
	case grantCode:
		a.exchangeCode(x, c.ID, key)
	case grantRefresh:
		a.refresh(x, c.ID, key)
	case grantClient:
		if c.Secret == "" && c.Keys == nil {
			x.fail(http.StatusUnauthorized, "unauthorized_client", "client_credentials is for confidential clients")
			return
		}
		a.judgeResource(x, x.form)
		a.issue(x, Grant{Client: c.ID, Resource: x.form.Get("resource"), Scope: x.form.Get("scope"), key: key}, false)
	case grantExchange:
		a.exchangeToken(x, c)
	case grantBearer:
		a.acceptAssertion(x, c, key)
	default:
		x.find(levelError, "grant", "RFC 6749 §5.2", "The grant_type is %q.", grant)
		x.fail(http.StatusBadRequest, "unsupported_grant_type", "the authority has no such grant")
	}
}

// reject responds that a code or refresh token is rejected, and why.
func (x *exchange) reject(code string, why *refusal) {
	x.find(levelError, code, why.spec, "%s", why.text)
	x.fail(http.StatusBadRequest, "invalid_grant", why.text)
}

func (a *Authority) exchangeCode(x *exchange, client, key string) {
	verifier, resource := x.form.Get("code_verifier"), x.form.Get("resource")
	g, why := a.redeem(x.form.Get("code"), kindCode,
		refusal{"RFC 6749 §5.2", "The code was not issued by this authority."},
		refusal{"RFC 6749 §4.1.2; RFC 9700 §4.5", "The code was used before: its tokens are revoked."},
		func(g Grant) *refusal {
			redirect := x.form.Get("redirect_uri")
			switch {
			case g.Client != client:
				return &refusal{"RFC 6749 §4.1.3", "The code was issued to another client."}
			case redirect != "" && redirect != g.redirect:
				return &refusal{"RFC 6749 §4.1.3", "The redirect_uri is not the redirect_uri of the authorization request."}
			case jose.SHA256(verifier) != g.challenge && a.wrong.Name != "pkce-unchecked":
				return &refusal{"RFC 7636 §4.6", "The code_verifier does not belong to the code_challenge."}
			case g.key != "" && g.key != key:
				return &refusal{"RFC 9449 §10", "The key of the proof is not the dpop_jkt of the authorization request."}
			}
			return nil
		}, false)
	if why != nil {
		x.reject("code", why)
		return
	}
	if n := len(verifier); n < 43 || n > 128 {
		x.find(levelError, "pkce", "RFC 7636 §4.1", "The code_verifier has %d characters: 43 to 128 are allowed.", n)
	}
	a.judgeResource(x, x.form)
	switch {
	case g.Resource == "":
		g.Resource = resource
	case resource != "" && resource != g.Resource:
		x.find(levelError, "resource", "RFC 8707 §2.2", "The resource %s is not the resource of the authorization request, %s.", resource, g.Resource)
		x.fail(http.StatusBadRequest, "invalid_target", "the resource is not the resource of the authorization request")
		return
	}
	g.key = key
	a.issue(x, g, true)
}

func (a *Authority) refresh(x *exchange, client, key string) {
	switch name := a.wrong.Name; name {
	case "refresh-invalid-grant", "refresh-invalid-request":
		x.fail(http.StatusBadRequest, strings.ReplaceAll(strings.TrimPrefix(name, "refresh-"), "-", "_"), onPurpose)
		return
	case "refresh-invalid-client":
		x.fail(http.StatusUnauthorized, "invalid_client", onPurpose)
		return
	}
	wanted := strings.Fields(x.form.Get("scope"))
	g, why := a.redeem(x.form.Get("refresh_token"), kindRefresh,
		refusal{"RFC 6749 §6", "The refresh token was not issued by this authority."},
		refusal{"RFC 9700 §4.14.2", "The refresh token was used before: its family is revoked."},
		func(g Grant) *refusal {
			switch {
			case g.Client != client:
				return &refusal{"RFC 6749 §6", "The refresh token was issued to another client."}
			case g.key != "" && g.key != key:
				return &refusal{"RFC 9449 §5", "The refresh token is bound to another key."}
			case g.lacks(wanted) != "":
				return &refusal{"RFC 6749 §6", "The request has the scope " + g.lacks(wanted) + ", which was not granted."}
			}
			return nil
		}, a.wrong.Name == "refresh-same")
	if why != nil {
		x.reject("refresh", why)
		return
	}
	a.judgeResource(x, x.form)
	if r := x.form.Get("resource"); r != "" && r != g.Resource {
		x.fail(http.StatusBadRequest, "invalid_target", "the resource was not granted")
		return
	}
	if len(wanted) > 0 {
		g.Scope = strings.Join(wanted, " ")
	}
	g.key = key
	a.issue(x, g, true)
}

// issue responds with tokens (RFC 6749 §5.1).
func (a *Authority) issue(x *exchange, g Grant, refreshable bool) {
	switch a.wrong.Name {
	case "token-500":
		x.fail(http.StatusInternalServerError, "server_error", onPurpose)
		return
	case "token-slow":
		select {
		case <-time.After(a.slow):
		case <-x.r.Context().Done():
			return
		}
	case "token-html":
		x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		x.status(http.StatusOK)
		_, _ = x.w.Write([]byte("<!doctype html><title>Sign in</title>"))
		return
	case "aud-ignored":
		g.Resource = otherResource
	case "scope-less":
		if all := g.scopes(); len(all) > 0 {
			g.Scope = strings.Join(all[:len(all)-1], " ")
		}
	}
	if g.Resource == "" {
		g.Resource = a.resource()
	}
	redeemed := g.kind
	g.used, g.revoked = false, false
	d := map[string]any{"access_token": a.Access(g), "token_type": "Bearer", "expires_in": int(a.options.Life.Seconds())}
	if g.Scope != "" {
		d["scope"] = g.Scope
	}
	if g.key != "" {
		d["token_type"] = "DPoP"
	}
	if refreshable && a.wrong.Name != "no-refresh" && !(a.wrong.Name == "refresh-same" && redeemed == kindRefresh) {
		d["refresh_token"] = a.refreshToken(g)
	}
	if slices.Contains(g.scopes(), "openid") {
		d["id_token"] = a.idToken(g)
	}
	switch a.wrong.Name {
	case "token-no-type":
		delete(d, "token_type")
	case "token-type-mac":
		d["token_type"] = "mac"
	case "expires-text":
		d["expires_in"] = "3600"
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.json(http.StatusOK, d)
}

// refreshToken issues a refresh token.
func (a *Authority) refreshToken(g Grant) string {
	g.kind, g.until = kindRefresh, a.now().Add(refreshLife)
	token := prefixRefresh + jose.Random()
	a.keep(token, g)
	return token
}

// IDToken issues an ID token of the user for a client, as after a login (OpenID Connect Core §2).
func (a *Authority) IDToken(client string) string { return a.idToken(Grant{Client: client}) }

// idToken issues an ID token for the client of a grant (OpenID Connect Core §2).
func (a *Authority) idToken(g Grant) string {
	header, claims := a.claimsOf(g)
	header["typ"], claims["aud"] = "JWT", g.Client
	delete(claims, "scope")
	if g.nonce != "" {
		claims["nonce"] = g.nonce
	}
	return a.signingKey().sign(header, claims)
}
