package authority

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mcptea/internal/jose"
)

// forgers maps names of [Tokens] to functions that make the token.
var forgers = map[string]func(*forging) string{
	"aud-other":    withClaim("aud", func(*forging) any { return otherResource }),
	"aud-others":   withClaim("aud", func(*forging) any { return []string{otherResource, otherResource + "/b"} }),
	"aud-longer":   withClaim("aud", func(f *forging) any { return f.grant.Resource + ".evil" }),
	"aud-shorter":  withClaim("aud", func(f *forging) any { return shorter(f.grant.Resource) }),
	"aud-sibling":  withClaim("aud", func(f *forging) any { return sibling(f.grant.Resource) }),
	"aud-list":     withClaim("aud", func(f *forging) any { return []string{f.grant.Resource} }),
	"aud-empty":    withClaim("aud", func(*forging) any { return []string{} }),
	"aud-query":    withClaim("aud", func(f *forging) any { return f.grant.Resource + "?tenant=other" }),
	"aud-fragment": withClaim("aud", func(f *forging) any { return f.grant.Resource + "#other" }),
	"aud-case":     withClaim("aud", func(f *forging) any { return otherCase(f.grant.Resource) }),
	"aud-pattern":  withClaim("aud", func(f *forging) any { return otherDot(f.grant.Resource) }),
	"aud-second":   withClaim("aud", func(f *forging) any { return []string{otherResource, f.grant.Resource} }),
	"aud-azp": func(f *forging) string {
		f.claims["aud"], f.claims["azp"], f.claims["client_id"] = otherResource, f.grant.Resource, f.grant.Resource
		return f.signed()
	},
	"aud-twice":   twice("aud", func(*forging) any { return otherResource }),
	"exp-twice":   twice("exp", func(f *forging) any { return f.a.now().Add(-time.Hour).Unix() }),
	"scope-twice": twice("scope", func(*forging) any { return "unrelated" }),
	"aud-client":  withClaim("aud", func(f *forging) any { return f.grant.Client }),
	"aud-missing": withoutClaim("aud"),
	"iss-other":   withClaim("iss", func(*forging) any { return otherIssuer }),
	"iss-longer":  withClaim("iss", func(f *forging) any { return f.a.Issuer() + ".evil.example" }),
	"iss-shorter": withClaim("iss", func(f *forging) any { return f.a.Issuer()[:len(f.a.Issuer())-1] }),
	"iss-slash":   withClaim("iss", func(f *forging) any { return f.a.Issuer() + "/" }),
	"iss-list":    withClaim("iss", func(f *forging) any { return []string{otherIssuer, f.a.Issuer()} }),
	"iss-missing": withoutClaim("iss"),
	"iss-keys": func(f *forging) string {
		f.claims["iss"], f.key = f.a.Issuer()+pathOtherIssuer, f.a.foreign
		f.header["kid"] = f.key.id
		return f.signed()
	},
	"expired":        expired(time.Hour),
	"expired-10m":    expired(10 * time.Minute),
	"expired-61s":    expired(61 * time.Second),
	"expired-1s":     expired(time.Second),
	"exp-missing":    withoutClaim("exp"),
	"exp-text":       withClaim("exp", func(*forging) any { return "never" }),
	"exp-digits":     withClaim("exp", func(f *forging) any { return strconv.FormatInt(f.a.now().Add(time.Hour).Unix(), 10) }),
	"cached-expired": withClaim("exp", func(f *forging) any { return f.a.now().Add(Soon).Unix() }),
	"not-yet-valid":  withClaim("nbf", func(f *forging) any { return f.a.now().Add(time.Hour).Unix() }),
	"scope-missing":  withoutClaim("scope"),
	"scope-other":    withClaim("scope", func(*forging) any { return "unrelated" }),
	"scope-longer":   withScopes(func(s string) string { return s + "-unrelated" }),
	"scope-prefix":   withScopes(func(s string) string { return "unrelated-" + s + " unrelated:" + s }),
	"scope-case":     withScopes(otherCase),
	"dpop-as-bearer": withClaim("cnf", func(*forging) any {
		return map[string]any{"jkt": jose.SHA256("the key of another client")}
	}),
	"revoked":        (*forging).signed,
	"alg-none":       withoutSignature("none"),
	"alg-none-case":  withoutSignature("nOnE"),
	"alg-none-space": withoutSignature("none "),
	"alg-missing": func(f *forging) string {
		delete(f.header, "alg")
		return unsigned(f.header, f.claims) + "."
	},
	"hs256-kid":         func(f *forging) string { return signHS256([]byte(f.key.id), f.header, f.claims) },
	"hs256-public-key":  withSecret(pair.publicPEM),
	"hs256-pem-trimmed": withSecret(func(k pair) []byte { return bytes.TrimSpace(k.publicPEM()) }),
	"hs256-der":         withSecret(pair.publicDER),
	"hs256-pkcs1":       withSecret(pair.publicPKCS1),
	"hs256-jwk":         withSecret(pair.publicJWK),
	"hs256-modulus":     withSecret(func(k pair) []byte { return k.private.N.Bytes() }),
	"ps256-key": func(f *forging) string {
		text, _ := jose.Sign(f.key.private, "PS256", f.header, f.claims) // never fails for a key of this size
		return text
	},
	"signature-zero": func(f *forging) string {
		f.header["alg"], f.header["kid"] = "ES256", curveKeyID
		return unsigned(f.header, f.claims) + "." + jose.Encode(make([]byte, 64))
	},
	"hs256-empty": func(f *forging) string { return signHS256(nil, f.header, f.claims) },
	"kid-path": func(f *forging) string {
		f.header["kid"] = "../../../../../../../../dev/null"
		return signHS256(nil, f.header, f.claims)
	},
	"kid-unknown":     foreignWithID("unknown"),
	"kid-proto":       foreignWithID("__proto__"),
	"kid-constructor": foreignWithID("constructor"),
	"jwks-down":       foreignWithID(""),
	"jwks-flood":      foreignWithID(""),
	"padded":          func(f *forging) string { return f.signed() + "==" },
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
	"jwk-own-kid": func(f *forging) string {
		f.key = f.a.foreign
		f.header["kid"], f.header["jwk"] = "unknown", f.key.jwk()
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

// twice returns a forger of a token that has a claim twice: first with the correct value, then with
// another.
func twice(name string, value func(f *forging) any) func(*forging) string {
	return func(f *forging) string {
		first := unsigned(f.header, f.claims)
		head, body, _ := strings.Cut(first, ".")
		claims, _ := base64.RawURLEncoding.DecodeString(body)
		second, _ := json.Marshal(map[string]any{name: value(f)}) // texts and numbers can always be encoded
		claims = append(append(claims[:len(claims)-1], ','), second[1:]...)
		return f.key.signText(head + "." + jose.Encode(claims))
	}
}

// withScopes returns a forger that changes each scope.
func withScopes(change func(scope string) string) func(*forging) string {
	return withClaim("scope", func(f *forging) any {
		var changed []string
		for _, s := range f.grant.scopes() {
			changed = append(changed, change(s))
		}
		return strings.Join(changed, " ")
	})
}

// withSecret returns a forger that signs with HS256. The secret is a form of the public key.
func withSecret(form func(pair) []byte) func(*forging) string {
	return func(f *forging) string { return signHS256(form(f.key), f.header, f.claims) }
}

// foreignWithID returns a forger that signs with the unpublished key and names a kid. If id is "",
// each token has a new one.
func foreignWithID(id string) func(*forging) string {
	return func(f *forging) string {
		f.key = f.a.foreign
		if f.header["kid"] = id; id == "" {
			f.header["kid"] = "unknown-" + jose.Random()
		}
		return f.signed()
	}
}

// otherCase returns a text in upper case. If the text is a URL, only the path changes.
func otherCase(text string) string {
	upper := strings.ToUpper
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if strings.IndexFunc(u.Path, unicode.IsLetter) < 0 {
			return upper(text)
		}
		at := strings.Index(text, u.Host) + len(u.Host)
		return text[:at] + upper(text[at:])
	}
	if upper(text) == text {
		return strings.ToLower(text)
	}
	return upper(text)
}

// otherDot returns a text in which another character replaces the last dot, or follows it.
func otherDot(text string) string {
	if i := strings.LastIndexByte(text, '.'); i >= 0 {
		return text[:i] + "x" + text[i+1:]
	}
	return text + "x"
}

// shorter returns the origin of a URL. For another audience, it returns the start of the text.
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
