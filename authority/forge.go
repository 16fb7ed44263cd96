package authority

import (
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// Forge returns the token of [Tokens] with a name, which differs from the right token for the grant in one thing; ok
// is false for a name that is a way to send the right token.
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
	case token.Introspected: // the server must read the result of introspection
		g.kind, g.until, g.claims = kindForged, a.now().Add(time.Hour), claims
		a.keep(text, g)
	case name == "revoked":
		g.kind, g.revoked = kindAccess, true
		a.keep(text, g)
	}
	return text, true
}

// forgeOpaque returns a token that is not a JWT.
func (a *Authority) forgeOpaque(name string, g Grant) (text string, ok bool) {
	const tokenSize = 6 << 10 // below the limits of servers for headers
	switch name {
	case "garbage":
		return "not-a-token", true
	case "opaque-unknown":
		return jose.Random(), true
	case "large":
		return strings.Repeat("m", tokenSize), true
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

// A forging is a token that is being made.
type forging struct {
	a              *Authority
	grant          Grant
	header, claims map[string]any
	key            pair
}

// signed returns the token with a right signature.
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

// expired returns a forger of a token that expired some time ago, after an hour.
func expired(ago time.Duration) func(*forging) string {
	return func(f *forging) string {
		end := f.a.now().Add(-ago)
		f.claims["iat"], f.claims["exp"] = end.Add(-time.Hour).Unix(), end.Unix()
		return f.signed()
	}
}

// withoutSignature returns a forger that sets the algorithm and signs nothing.
func withoutSignature(algorithm string) func(*forging) string {
	return func(f *forging) string {
		f.header["alg"] = algorithm
		return unsigned(f.header, f.claims) + "."
	}
}

// forgers maps names of [Tokens] to functions that make the token.
var forgers = map[string]func(*forging) string{
	"aud-other":   withClaim("aud", func(*forging) any { return otherResource }),
	"aud-others":  withClaim("aud", func(*forging) any { return []string{otherResource, otherResource + "/b"} }),
	"aud-longer":  withClaim("aud", func(f *forging) any { return f.grant.Resource + ".evil" }),
	"aud-shorter": withClaim("aud", func(f *forging) any { return shorter(f.grant.Resource) }),
	"aud-sibling": withClaim("aud", func(f *forging) any { return sibling(f.grant.Resource) }),
	"aud-list":    withClaim("aud", func(f *forging) any { return []string{f.grant.Resource} }),
	"aud-client":  withClaim("aud", func(f *forging) any { return f.grant.Client }),
	"aud-missing": withoutClaim("aud"),
	"iss-other":   withClaim("iss", func(*forging) any { return otherIssuer }),
	"iss-longer":  withClaim("iss", func(f *forging) any { return f.a.Issuer() + ".evil.example" }),
	"iss-missing": withoutClaim("iss"),
	"iss-keys": func(f *forging) string {
		f.claims["iss"], f.key = f.a.Issuer()+pathOtherIssuer, f.a.foreign
		f.header["kid"] = f.key.id
		return f.signed()
	},
	"expired":       expired(time.Hour),
	"expired-61s":   expired(61 * time.Second),
	"expired-1s":    expired(time.Second),
	"exp-missing":   withoutClaim("exp"),
	"exp-text":      withClaim("exp", func(*forging) any { return "never" }),
	"not-yet-valid": withClaim("nbf", func(f *forging) any { return f.a.now().Add(time.Hour).Unix() }),
	"scope-missing": withoutClaim("scope"),
	"scope-other":   withClaim("scope", func(*forging) any { return "unrelated" }),
	"scope-longer": withClaim("scope", func(f *forging) any {
		var longer []string
		for _, s := range f.grant.scopes() {
			longer = append(longer, s+"-unrelated")
		}
		return strings.Join(longer, " ")
	}),
	"dpop-as-bearer": withClaim("cnf", func(*forging) any {
		return map[string]any{"jkt": jose.SHA256("the key of another client")}
	}),
	"revoked":       (*forging).signed,
	"alg-none":      withoutSignature("none"),
	"alg-none-case": withoutSignature("nOnE"),
	"hs256-public-key": func(f *forging) string {
		return signHS256(f.key.publicPEM(), f.header, f.claims)
	},
	"hs256-empty": func(f *forging) string { return signHS256(nil, f.header, f.claims) },
	"kid-path": func(f *forging) string {
		f.header["kid"] = "../../../../../../../../dev/null"
		return signHS256(nil, f.header, f.claims)
	},
	"kid-unknown": func(f *forging) string {
		f.header["kid"], f.key = "unknown", f.a.foreign
		return f.signed()
	},
	"kid-stolen": func(f *forging) string {
		f.key = f.a.foreign
		return f.signed()
	},
	"jwk-own": func(f *forging) string {
		f.key = f.a.foreign
		delete(f.header, "kid")
		f.header["jwk"] = f.key.jwk()
		return f.signed()
	},
	"jku-other": func(f *forging) string {
		f.key = f.a.foreign
		f.header["kid"], f.header["jku"] = f.key.id, f.a.Issuer()+pathOtherJWKS
		return f.signed()
	},
	"x5c-own": func(f *forging) string {
		f.key = f.a.foreign
		delete(f.header, "kid")
		f.header["x5c"] = []string{base64.StdEncoding.EncodeToString(f.key.certificate(f.a.now()))}
		return f.signed()
	},
	"x5u-other": func(f *forging) string {
		f.key = f.a.foreign
		delete(f.header, "kid")
		f.header["x5u"] = f.a.Issuer() + pathOtherCertificate
		return f.signed()
	},
	"unsigned": func(f *forging) string {
		text := f.signed()
		return text[:strings.LastIndexByte(text, '.')+1]
	},
	"altered": func(f *forging) string {
		text := f.signed()
		f.claims["sub"] = "another-user"
		return unsigned(f.header, f.claims) + text[strings.LastIndexByte(text, '.'):]
	},
	"crit-unknown": func(f *forging) string {
		f.header["crit"], f.header["urn:example:unknown"] = []string{"urn:example:unknown"}, true
		return f.signed()
	},
	"typ-other": func(f *forging) string {
		f.header["typ"] = "logout+jwt"
		return f.signed()
	},
	"typ-long": func(f *forging) string {
		f.header["typ"] = "application/at+jwt"
		return f.signed()
	},
	"id-token": func(f *forging) string {
		f.claims["aud"] = f.grant.Client
		return f.asIDToken()
	},
	"id-token-for-resource": (*forging).asIDToken,
}

// asIDToken returns an ID token. The scope remains: only one thing is wrong.
func (f *forging) asIDToken() string {
	f.header["typ"] = "JWT"
	delete(f.claims, "client_id")
	f.claims["nonce"], f.claims["auth_time"] = jose.Random(), f.a.now().Unix()
	return f.signed()
}

// shorter returns the origin of a URL, or an audience that is shorter in another way.
func shorter(audience string) string {
	if u, err := url.Parse(audience); err == nil && u.Host != "" && u.Scheme+"://"+u.Host != audience {
		return u.Scheme + "://" + u.Host
	}
	return audience[:max(0, len(audience)-1)]
}

// sibling returns the URL of another resource on the same host, or another audience.
func sibling(audience string) string {
	if u, err := url.Parse(audience); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host + "/sibling" + u.Path
	}
	return "sibling-" + audience
}
