package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"time"

	"mcptea/internal/jose"
)

// A Prover is a client that proves that it has the key to which its tokens are bound (RFC 9449). Its proofs are right,
// or wrong in one thing.
type Prover struct {
	key, other *ecdsa.PrivateKey
	now        func() time.Time
}

// NewProver returns a prover with a new key.
func (a *Authority) NewProver() (*Prover, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return &Prover{key, other, a.now}, err
}

// Bind returns a grant whose tokens are bound to the key of the prover.
func (p *Prover) Bind(g Grant) Grant {
	g.key = publicKey(p.key).Thumbprint()
	return g
}

// Unbound returns the grant without a key.
func (g Grant) Unbound() Grant {
	g.key = ""
	return g
}

// publicKey returns the public part of a key.
func publicKey(key *ecdsa.PrivateKey) jose.JWK {
	k, _ := jose.PublicJWK(key.Public()) // it never fails for P-256
	return k
}

// A Use is the request that a proof is for.
type Use struct {
	Method string
	URL    string // without query and fragment
	Token  string // the access token
	Nonce  string // the newest nonce of the server, or ""
}

// Proof returns a right proof (RFC 9449 §4.2).
func (p *Prover) Proof(use Use) string { return p.proving(use).signed() }

// WrongProof returns the proof of [Tokens] with a name, which differs from the right proof in one thing. ok is false if
// the name is not that of a wrong proof.
func (p *Prover) WrongProof(name string, use Use) (text string, ok bool) {
	if forge := proofForgers[name]; forge != nil {
		return forge(p.proving(use)), true
	}
	return "", false
}

// A proving is a proof that is being made.
type proving struct {
	*Prover
	use            Use
	header, claims map[string]any
	signer         *ecdsa.PrivateKey
}

func (p *Prover) proving(use Use) *proving {
	claims := map[string]any{
		"jti": jose.Random(), "htm": use.Method, "htu": use.URL, "iat": p.now().Unix(), "ath": jose.SHA256(use.Token),
	}
	if use.Nonce != "" {
		claims["nonce"] = use.Nonce
	}
	return &proving{p, use, map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": publicKey(p.key)}, claims, p.key}
}

func (p *proving) signed() string {
	text, _ := jose.Sign(p.signer, "ES256", p.header, p.claims) // it never fails for P-256
	return text
}

// publicPEM returns the public key in the form of a file.
func (p *proving) publicPEM() []byte {
	der, _ := x509.MarshalPKIXPublicKey(p.key.Public()) // it never fails for P-256
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

// issuedAt returns a forger of a proof that was made some time from now.
func issuedAt(fromNow time.Duration) func(*proving) string {
	return proofWith("iat", func(p *proving) any { return p.now().Add(fromNow).Unix() })
}

// proofForgers maps names of [Tokens] to functions that make the wrong proof.
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
	"proof-hs256": func(p *proving) string { return signHS256(p.publicPEM(), p.header, p.claims) },
	"proof-altered": func(p *proving) string {
		text := p.signed()
		p.claims["jti"] = jose.Random()
		return unsigned(p.header, p.claims) + text[strings.LastIndexByte(text, '.'):]
	},
	"proof-private-key": func(p *proving) string {
		k := publicKey(p.key)
		scalar, _ := p.key.Bytes() // it never fails for P-256
		k.Private = jose.Encode(scalar)
		p.header["jwk"] = k
		return p.signed()
	},
	"proof-key": func(p *proving) string {
		p.signer, p.header["jwk"] = p.other, publicKey(p.other)
		return p.signed()
	},
	"proof-method":        proofWith("htm", func(*proving) any { return "PATCH" }),
	"proof-host":          proofWith("htu", func(*proving) any { return otherResource }),
	"proof-path":          proofWith("htu", func(p *proving) any { return sibling(p.use.URL) }),
	"proof-token-other":   proofWith("ath", func(*proving) any { return jose.SHA256("another token") }),
	"proof-token-missing": proofWithout("ath"),
	"proof-id-missing":    proofWithout("jti"),
	"proof-old":           issuedAt(-time.Hour),
	"proof-future":        issuedAt(time.Hour),
	"proof-time-missing":  proofWithout("iat"),
	"proof-nonce":         proofWith("nonce", func(*proving) any { return jose.Random() }),
}
