package authority

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// The authentication methods of the token endpoint (RFC 7591 §2, RFC 7523 §2.2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// assertionType is the client_assertion_type of private_key_jwt (RFC 7523 §2.2).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// authenticate finds the client of a token request and checks its credentials (RFC 6749 §2.3). ok is false if the
// request was rejected.
func (a *Authority) authenticate(x *exchange) (c registration, ok bool) {
	id, secret, method := x.form.Get("client_id"), x.form.Get("client_secret"), methodNone
	if secret != "" {
		method = methodPost
	}
	assertion := x.form.Get("client_assertion")
	if user, password, has := x.r.BasicAuth(); has {
		if secret != "" || assertion != "" {
			x.find(levelError, "client", "RFC 6749 §2.3", "The client authenticates in two ways in one request.")
		}
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
		method = methodBasic
	}
	if assertion != "" {
		method = methodKey
		if id == "" {
			id = assertedClient(assertion)
		}
	}
	c, how, why := a.clientOf(x.r.Context(), id)
	x.seen.Registration, x.seen.Authentication = how, method
	switch {
	case why != "":
	case method == methodKey:
		why = a.assertionReason(c, assertion, x.form.Get("client_assertion_type"))
	case c.Method == methodKey:
		why = "the client authenticates with a key, and the request has no client_assertion"
	case c.Secret != "" && subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret)) != 1:
		why = "the client secret is wrong or missing"
	}
	if why == "" {
		if c.Method != "" && c.Method != method {
			x.find(levelWarning, "client", "RFC 7591 §2", "The client authenticates with %s, but is registered with %s.", method, c.Method)
		}
		x.seen.Client = c.Name
		return c, true
	}
	x.find(levelError, "client", "RFC 6749 §5.2", "%s.", capital(why))
	x.w.Header().Set("WWW-Authenticate", `Basic realm="authority"`)
	x.fail(http.StatusUnauthorized, "invalid_client", why)
	return c, false
}

// assertionClaims holds the claims of a client assertion (RFC 7523 §3).
type assertionClaims struct {
	Issuer   string          `json:"iss"`
	Subject  string          `json:"sub"`
	Audience json.RawMessage `json:"aud"`
	Expires  jose.Date       `json:"exp"`
	ID       string          `json:"jti"`
}

// assertedClient returns the client that an assertion names, or "".
func assertedClient(assertion string) string {
	t, err := jose.Parse(assertion)
	var claims assertionClaims
	if err != nil || json.Unmarshal(t.Claims, &claims) != nil {
		return ""
	}
	return claims.Subject
}

// assertionReason returns why an assertion does not authenticate a client, or "" if it does (RFC 7523 §3).
func (a *Authority) assertionReason(c registration, assertion, kind string) string {
	t, err := jose.Parse(assertion)
	var claims assertionClaims
	switch {
	case kind != assertionType:
		return "the client_assertion_type is " + kind
	case err != nil || json.Unmarshal(t.Claims, &claims) != nil:
		return "the client_assertion is not a JWT"
	case c.Keys == nil:
		return "the client has no jwks"
	case claims.Issuer != c.ID || claims.Subject != c.ID:
		return "iss and sub of the client_assertion are not the client id"
	case !hasAudience(claims.Audience, a.Issuer(), a.Issuer()+pathToken):
		return "aud of the client_assertion is neither the issuer nor the token endpoint"
	case claims.Expires == 0 || !a.now().Before(claims.Expires.Time()):
		return "the client_assertion has expired, or has no exp"
	case !slices.ContainsFunc(c.Keys.Keys, func(k jose.JWK) bool {
		key, err := k.PublicKey()
		return err == nil && t.Verify(key) == nil
	}):
		return "no key of the client verifies the client_assertion"
	case claims.ID != "" && !a.firstUse("assertion", c.ID, claims.ID): // only a verified one uses up its jti
		return "the client_assertion was used before: its jti is known"
	}
	return ""
}

// hasAudience reports whether the claim aud, a text or a list, has one of the values.
func hasAudience(raw json.RawMessage, values ...string) bool {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return false
		}
		list = []string{text}
	}
	return slices.ContainsFunc(list, func(s string) bool { return slices.Contains(values, s) })
}

// clientOf returns a registered client, or a client with a client ID metadata document. reason is
// "" if there is one.
func (a *Authority) clientOf(ctx context.Context, id string) (c registration, how, reason string) {
	a.mu.Lock()
	c, ok := a.clients[id]
	a.mu.Unlock()
	switch {
	case ok && isDocument(id):
		return c, "document", ""
	case ok:
		return c, "registered", ""
	case id == "":
		return c, "", "the request has no client_id"
	case isDocument(id):
		if c, reason = fetchDocument(ctx, id); reason == "" {
			a.addClient(c)
		}
		return c, "document", reason
	}
	return c, "", "the client " + id + " is not registered: the authority forgets its clients when it ends, and a client that keeps its registration must register again after invalid_client"
}

// isDocument reports whether a client id is the URL of a client ID metadata document.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// maxDocument is the maximum size of a client ID metadata document, in bytes.
const maxDocument = 5 << 10

// fetchDocument fetches a client ID metadata document without following redirects
// (draft-ietf-oauth-client-id-metadata-document §4). If there is no valid document, reason is not
// empty.
func fetchDocument(ctx context.Context, id string) (c registration, reason string) {
	u, err := url.Parse(id)
	if err != nil || u.Path == "" || u.Path == "/" || u.Fragment != "" || u.User != nil {
		return c, "the client_id is a URL without a path, or with a fragment or a user name"
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	fetch := http.Client{Transport: documents, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return c, err.Error()
	}
	got, err := fetch.Do(r)
	if err != nil {
		return c, fmt.Sprintf("the client ID metadata document cannot be fetched: %v", err)
	}
	defer func() { _ = got.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(got.Body, maxDocument+1))
	switch {
	case err != nil:
		return c, fmt.Sprintf("the client ID metadata document cannot be read: %v", err)
	case got.StatusCode != http.StatusOK:
		return c, "the client ID metadata document has the status " + got.Status
	case len(b) > maxDocument:
		return c, "the client ID metadata document is larger than 5 KiB"
	case json.Unmarshal(b, &c) != nil:
		return c, "the client ID metadata document is not a JSON object of client metadata"
	case c.ID != id:
		return c, fmt.Sprintf("the client ID metadata document has the client_id %q", c.ID)
	case c.Secret != "":
		return c, "the client ID metadata document has a client_secret"
	}
	return c, ""
}
