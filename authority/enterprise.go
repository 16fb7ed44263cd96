package authority

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// The grants of enterprise-managed authorization: an identity provider exchanges an ID token for an assertion
// (RFC 8693), and the authorization server accepts the assertion (RFC 7523 §2.1). The authority is both.
const (
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	grantBearer   = "urn:ietf:params:oauth:grant-type:jwt-bearer"

	typeIDToken = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG   = "urn:ietf:params:oauth:token-type:id-jag"

	assertionHeader = "oauth-id-jag+jwt"
)

// assertionTime is the lifetime of an assertion.
const assertionTime = 5 * time.Minute

// signedClaims holds the claims of a JWT that the authority has signed.
type signedClaims struct {
	Audience json.RawMessage `json:"aud"`
	Client   string          `json:"client_id"`
	Resource string          `json:"resource"`
	Scope    string          `json:"scope"`
	Expires  jose.Date       `json:"exp"`
	ID       string          `json:"jti"`
}

// verifyOwn returns the claims of a JWT. The JWT must have the given type, and a published key must
// have signed it.
func (a *Authority) verifyOwn(text, kind string) (c signedClaims, err error) {
	t, err := jose.Parse(text)
	if err != nil {
		return c, err
	}
	a.mu.Lock()
	i := slices.IndexFunc(a.keys, func(k pair) bool { return k.id == t.Header.KeyID })
	var key pair
	if i >= 0 {
		key = a.keys[i]
	}
	a.mu.Unlock()
	if i < 0 {
		return c, errors.New("its key is not published")
	}
	if err := t.Verify(key.private.Public()); err != nil {
		return c, err
	}
	switch {
	case t.Header.Type != kind:
		return c, errors.New("its typ is not " + kind)
	case json.Unmarshal(t.Claims, &c) != nil:
		return c, errors.New("its claims are not those of a token")
	case !a.now().Before(c.Expires.Time()):
		return c, errors.New("it has expired")
	}
	return c, nil
}

// exchangeToken returns an assertion for an ID token of the client (RFC 8693 §2, draft-ietf-oauth-identity-assertion-authz-grant).
func (a *Authority) exchangeToken(x *exchange, c registration) {
	const spec = "RFC 8693 §2.1"
	refuse := func(code, text string) {
		x.find(levelError, "exchange", spec, "%s.", capital(text))
		x.fail(http.StatusBadRequest, code, text)
	}
	subject, err := a.verifyOwn(x.form.Get("subject_token"), "JWT")
	switch {
	case x.form.Get("requested_token_type") != typeIDJAG:
		refuse("invalid_request", "the requested_token_type is not "+typeIDJAG)
		return
	case x.form.Get("subject_token_type") != typeIDToken:
		refuse("invalid_request", "the subject_token_type is not "+typeIDToken)
		return
	case err != nil:
		refuse("invalid_grant", "the subject_token is not a valid ID token: "+err.Error())
		return
	case !hasAudience(subject.Audience, c.ID):
		refuse("invalid_grant", "the subject_token is for another client")
		return
	case x.form.Get("audience") == "":
		refuse("invalid_target", "the request has no audience, the issuer of the authorization server")
		return
	}
	a.judgeResource(x, x.form)
	header, claims := a.claimsOf(Grant{Client: c.ID, Scope: x.form.Get("scope")})
	header["typ"] = assertionHeader
	claims["aud"], claims["resource"] = x.form.Get("audience"), x.form.Get("resource")
	claims["exp"] = a.now().Add(assertionTime).Unix()
	x.w.Header().Set("Cache-Control", "no-store")
	x.json(http.StatusOK, map[string]any{
		"access_token": a.signingKey().sign(header, claims), "issued_token_type": typeIDJAG, "token_type": "N_A", "expires_in": int(assertionTime.Seconds()),
	})
}

// acceptAssertion issues a token for an assertion (RFC 7523 §3.1). It accepts each assertion once.
func (a *Authority) acceptAssertion(x *exchange, c registration, key string) {
	claims, err := a.verifyOwn(x.form.Get("assertion"), assertionHeader)
	why := ""
	switch {
	case err != nil:
		why = "it is not a valid assertion: " + err.Error()
	case !hasAudience(claims.Audience, a.Issuer()):
		why = "its aud is not the issuer"
	case claims.Client != c.ID:
		why = "its client_id is another client"
	case !a.firstUse("grant", "", claims.ID):
		why = "it was used before"
	}
	if why != "" {
		x.reject("assertion", &refusal{"RFC 7523 §3.1", "The assertion is rejected: " + why + "."})
		return
	}
	resource := claims.Resource
	if r := x.form.Get("resource"); r != "" && resource != "" && r != resource {
		x.fail(http.StatusBadRequest, "invalid_target", "the resource is not the resource of the assertion")
		return
	}
	scope := claims.Scope
	if wanted := x.form.Get("scope"); wanted != "" {
		if lacks := (Grant{Scope: scope}).lacks(strings.Fields(wanted)); lacks != "" {
			x.fail(http.StatusBadRequest, "invalid_scope", "the assertion does not have the scope "+lacks)
			return
		}
		scope = wanted
	}
	a.issue(x, Grant{Client: c.ID, Resource: resource, Scope: scope, key: key}, false)
}
