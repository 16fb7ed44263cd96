package authority

import (
	"crypto/x509"
	"encoding/pem"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// publicPEM returns the public key in the form of a PEM file.
func (p *proving) publicPEM() []byte {
	der, _ := x509.MarshalPKIXPublicKey(p.key.Public()) // never fails for the kinds of proofKeys
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// proofWith returns a forger that sets a claim.
func proofWith(name string, value func(p *proving) any) func(*proving) string {
	return func(p *proving) string {
		p.claims[name] = value(p)
		return p.signed()
	}
}

// proofWithout returns a forger that removes a claim.
func proofWithout(name string) func(*proving) string {
	return func(p *proving) string {
		delete(p.claims, name)
		return p.signed()
	}
}

// issuedAt returns a forger of a proof whose time is some time from now.
func issuedAt(fromNow time.Duration) func(*proving) string {
	return proofWith("iat", func(p *proving) any { return p.now().Add(fromNow).Unix() })
}

// proofForgers maps names of [Tokens] to functions that make a wrong proof.
var proofForgers = map[string]func(*proving) string{
	"proof-garbage": func(*proving) string { return "not-a-proof" },
	"proof-typ": func(p *proving) string {
		p.header["typ"] = "JWT"
		return p.signed()
	},
	"proof-alg-none": func(p *proving) string {
		p.header["alg"] = "none"
		return unsigned(p.header, p.claims) + "."
	},
	"proof-alg-other": func(p *proving) string {
		p.header["alg"] = jose.Algorithms(p.kind)[0]
		return unsigned(p.header, p.claims) + "." + jose.Encode(make([]byte, 64))
	},
	"proof-hs256": func(p *proving) string { return signHS256(p.publicPEM(), p.header, p.claims) },
	"proof-altered": func(p *proving) string {
		text := p.signed()
		p.claims["jti"] = jose.Random()
		return unsigned(p.header, p.claims) + text[strings.LastIndexByte(text, '.'):]
	},
	"proof-private-key": func(p *proving) string {
		k := publicKey(p.key)
		k.Private = privatePart(p.key)
		p.header["jwk"] = k
		return p.signed()
	},
	"proof-key": func(p *proving) string {
		p.signer, p.header["jwk"] = p.other, publicKey(p.other)
		return p.signed()
	},
	"proof-key-kid": func(p *proving) string {
		k := publicKey(p.other)
		k.ID = publicKey(p.key).Thumbprint()
		p.signer, p.header["jwk"] = p.other, k
		return p.signed()
	},
	"proof-key-kind": func(p *proving) string {
		p.signer, p.algorithm, p.header["jwk"] = p.kind, jose.Algorithms(p.kind)[0], publicKey(p.kind)
		return p.signed()
	},
	"proof-oct": func(p *proving) string {
		p.header["jwk"] = map[string]any{"kty": "oct", "k": jose.Encode([]byte(secretOfProofs))}
		return signHS256([]byte(secretOfProofs), p.header, p.claims)
	},
	"proof-method":      proofWith("htm", func(*proving) any { return "PATCH" }),
	"proof-method-case": proofWith("htm", func(p *proving) any { return strings.ToLower(p.use.Method) }),
	"proof-host":        proofWith("htu", func(*proving) any { return otherResource }),
	"proof-path":        proofWith("htu", func(p *proving) any { return sibling(p.use.URL) }),
	"proof-token-other": proofWith("ath", func(*proving) any { return jose.SHA256("another token") }),
	"proof-token-start": proofWith("ath", func(p *proving) any {
		const same = 16 // length of the part that stays, of 43 characters
		right, other := jose.SHA256(p.use.Token), jose.SHA256("another token")
		return right[:same] + other[same:]
	}),
	"proof-token-missing": proofWithout("ath"),
	"proof-id-missing":    proofWithout("jti"),
	"proof-old":           issuedAt(-time.Hour),
	"proof-future":        issuedAt(time.Hour),
	"proof-time-missing":  proofWithout("iat"),
	"proof-nonce":         proofWith("nonce", func(*proving) any { return jose.Random() }),
}
