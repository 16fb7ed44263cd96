package authority

import (
	"strings"
	"time"

	"mcptea/internal/jose"
)

// Soon is the lifetime of the token cached-expired.
const Soon = 2 * time.Second

// Forge returns the token of [Tokens] with a name. The token differs from the correct token for the
// grant in one thing. ok is false if the name is for a correct token that is sent in another way.
func (a *Authority) Forge(name string, g Grant) (text string, ok bool) {
	if text, ok = a.forgeOpaque(name, g); ok {
		return text, true
	}
	header, claims := a.claimsOf(g)
	forge := forgers[name]
	if forge == nil {
		return "", false
	}
	text = forge(&forging{a: a, grant: g, header: header, claims: claims, key: a.signingKey()})
	switch token, _ := TokenNamed(name); {
	case token.Introspected: // the server must check the result of introspection
		g.kind, g.until, g.claims = kindForged, a.now().Add(time.Hour), claims
		a.keep(text, g)
	case name == "cached-expired":
		g.kind, g.until = kindAccess, a.now().Add(Soon).Truncate(time.Second)
		a.keep(text, g)
	case name == "revoked":
		g.kind, g.revoked = kindAccess, true
		a.keep(text, g)
	}
	return text, true
}

// forgeOpaque returns a token that is not a JWT.
func (a *Authority) forgeOpaque(name string, g Grant) (text string, ok bool) {
	const tokenSize = 6 << 10 // below the limit that servers have for headers
	switch name {
	case "garbage":
		return "not-a-token", true
	case "opaque-unknown":
		return jose.Random(), true
	case "large":
		return strings.Repeat("m", tokenSize), true
	case "five-parts":
		const head = `{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":2000000000,"p2s":"c2FsdHNhbHQ"}`
		return strings.Join([]string{jose.Encode([]byte(head)), jose.Random(), jose.Random(), jose.Random(), jose.Random()}, "."), true
	case "refresh-token":
		return a.refreshToken(g), true
	case "code":
		text = prefixCode + jose.Random()
		g.kind, g.until = kindCode, a.now().Add(codeLife)
		a.keep(text, g)
		return text, true
	}
	return "", false
}

// OtherSignature returns a JWT with the same header and claims. An unpublished key has signed it.
func (a *Authority) OtherSignature(token string) string {
	return a.foreign.signText(token[:strings.LastIndexByte(token, '.')])
}

// SameStart returns a text that begins like a token but is not one.
func SameStart(token string) string { return token[:len(token)/2] + jose.Random() }

// A forging is a token that is being made.
type forging struct {
	a              *Authority
	grant          Grant
	header, claims map[string]any
	key            pair
}

// signed returns the token with a correct signature.
func (f *forging) signed() string { return f.key.sign(f.header, f.claims) }

// withClaim returns a forger that sets a claim.
func withClaim(name string, value func(f *forging) any) func(*forging) string {
	return func(f *forging) string {
		f.claims[name] = value(f)
		return f.signed()
	}
}

// withoutClaim returns a forger that removes a claim.
func withoutClaim(name string) func(*forging) string {
	return func(f *forging) string {
		delete(f.claims, name)
		return f.signed()
	}
}

// expired returns a forger of a token that was valid for an hour and expired some time ago.
func expired(ago time.Duration) func(*forging) string {
	return func(f *forging) string {
		end := f.a.now().Add(-ago)
		f.claims["iat"], f.claims["exp"] = end.Add(-time.Hour).Unix(), end.Unix()
		return f.signed()
	}
}

// withoutSignature returns a forger that names the algorithm in the header and adds no signature.
func withoutSignature(algorithm string) func(*forging) string {
	return func(f *forging) string {
		f.header["alg"] = algorithm
		return unsigned(f.header, f.claims) + "."
	}
}

// asIDToken returns an ID token. The scope stays, so that only one thing is wrong.
func (f *forging) asIDToken() string {
	f.header["typ"] = "JWT"
	delete(f.claims, "client_id")
	f.claims["nonce"], f.claims["auth_time"] = jose.Random(), f.a.now().Unix()
	return f.signed()
}
