package authority

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// A Grant holds what a token, a code or a refresh token was issued for.
type Grant struct {
	Client   string
	Resource string
	Scope    string // separated by spaces
	User     string // subject; the developer if empty

	kind    kind
	key     string // thumbprint of the DPoP key, or ""
	until   time.Time
	used    bool // a code or refresh token that was redeemed
	revoked bool
	family  string // shared by all tokens from one consent, or ""

	claims map[string]any // claims for introspection; if nil, they are made from the other fields

	redirect, challenge, nonce string // parameters for which a code was issued
}

// A kind is the kind of a value that the authority has issued.
type kind uint8

const (
	kindAccess kind = iota
	kindRefresh
	kindCode
	kindForged // a wrong token that introspection reports as known
)

// keep stores the grant for a token.
func (a *Authority) keep(token string, g Grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grants[token] = &g
	if a.order = append(a.order, token); len(a.order) > maxGrants {
		delete(a.grants, a.order[0])
		a.order = a.order[1:]
	}
}

// find returns the grant of a token. ok is false if the authority does not know the token.
func (a *Authority) find(token string) (g Grant, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.grants[token]; p != nil {
		return *p, true
	}
	return Grant{}, false
}

// isActive reports whether a token is valid now.
func (a *Authority) isActive(g Grant) bool { return !g.revoked && a.now().Before(g.until) }

// A refusal is the reason why a code or refresh token is rejected, with its section.
type refusal struct{ spec, text string }

// redeem uses a code or refresh token once. A second use revokes all tokens of its family (RFC 9700
// §4.14.2). check is called before the use is recorded. If keep is set, the token stays usable.
func (a *Authority) redeem(token string, of kind, unknown, reused refusal, check func(Grant) *refusal, keep bool) (Grant, *refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.grants[token]
	switch {
	case g == nil || g.kind != of:
		return Grant{}, &unknown
	case g.revoked:
		return Grant{}, &refusal{unknown.spec, "It is revoked."}
	case g.used:
		a.revokeFamily(g)
		return Grant{}, &reused
	case !a.now().Before(g.until):
		return Grant{}, &refusal{unknown.spec, "It has expired."}
	}
	if why := check(*g); why != nil {
		return Grant{}, why
	}
	g.used = !keep
	return *g, nil
}

// revoke revokes a token and, if it is a refresh token, its family (RFC 7009 §2.1).
func (a *Authority) revoke(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if g := a.grants[token]; g != nil {
		g.revoked = true
		if g.kind == kindRefresh {
			a.revokeFamily(g)
		}
	}
}

// revokeFamily revokes all tokens of one consent. The caller holds a.mu.
func (a *Authority) revokeFamily(of *Grant) {
	of.revoked = true
	for _, g := range a.grants {
		g.revoked = g.revoked || of.family != "" && g.family == of.family
	}
}

// RevokeAccess revokes an access token, as a user or an administrator would.
func (a *Authority) RevokeAccess(token string) { a.revoke(token) }

// subject is the user of tokens for which no other user was given.
const subject = "developer"

// user returns the subject of the grant.
func (g Grant) user() string { return cmp.Or(g.User, subject) }

// claimsOf returns the header and the claims of a correct access token (RFC 9068 §2).
func (a *Authority) claimsOf(g Grant) (header, claims map[string]any) {
	now := a.now()
	header = map[string]any{"typ": "at+jwt", "alg": algorithm, "kid": a.signingKey().id}
	claims = map[string]any{
		"iss": a.Issuer(), "sub": g.user(), "aud": g.Resource, "client_id": g.Client, "scope": g.Scope,
		"iat": now.Unix(), "exp": now.Add(a.options.Life).Unix(), "jti": jose.Random(),
	}
	if g.key != "" {
		claims["cnf"] = map[string]any{"jkt": g.key}
	}
	return header, claims
}

// Access issues a correct access token.
func (a *Authority) Access(g Grant) string {
	header, claims := a.claimsOf(g)
	token := a.signingKey().sign(header, claims)
	g.kind, g.until = kindAccess, a.now().Add(a.options.Life)
	a.keep(token, g)
	return token
}

// scopes returns the scopes of a grant.
func (g Grant) scopes() []string { return strings.Fields(g.Scope) }

// lacks returns the first scope that the grant does not have, or "".
func (g Grant) lacks(needed []string) string {
	i := slices.IndexFunc(needed, func(s string) bool { return !slices.Contains(g.scopes(), s) })
	if i < 0 {
		return ""
	}
	return needed[i]
}
