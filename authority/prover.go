package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"slices"
	"time"

	"mcptea/internal/jose"
)

// A Prover is a client with the key to which its tokens are bound (RFC 9449). Its proofs show that
// it has the key. They are correct, or wrong in one thing.
type Prover struct {
	key, other crypto.Signer // two keys of the same kind
	kind       crypto.Signer // key of another kind
	algorithm  string
	now        func() time.Time
}

// proofKeys maps the algorithms of proofs to functions that make a key.
var proofKeys = map[string]func() (crypto.Signer, error){
	"ES256": func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) },
	"ES384": func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P384(), rand.Reader) },
	"RS256": func() (crypto.Signer, error) { return generateKey() },
	"PS256": func() (crypto.Signer, error) { return generateKey() },
	"EdDSA": func() (crypto.Signer, error) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	},
}

// ProofAlgorithms lists the algorithms of proofs. The preferred one is first.
var ProofAlgorithms = []string{"ES256", "EdDSA", "ES384", "PS256", "RS256"}

// ChooseProofAlgorithm returns a proof algorithm that a server accepts. If accepted is empty, the
// server accepts all. ok is false if the authority supports none of them.
func ChooseProofAlgorithm(accepted []string) (algorithm string, ok bool) {
	for _, a := range ProofAlgorithms {
		if len(accepted) == 0 || slices.Contains(accepted, a) {
			return a, true
		}
	}
	return "", false
}

// NewProver returns a prover with a new key for one of [ProofAlgorithms].
func (a *Authority) NewProver(algorithm string) (*Prover, error) {
	p := &Prover{algorithm: algorithm, now: a.now}
	kind := "EdDSA"
	if algorithm == kind {
		kind = "ES256"
	}
	for _, k := range []struct {
		to        *crypto.Signer
		algorithm string
	}{{&p.key, algorithm}, {&p.other, algorithm}, {&p.kind, kind}} {
		key, err := proofKeys[k.algorithm]()
		if err != nil {
			return nil, err
		}
		*k.to = key
	}
	return p, nil
}

// Algorithm returns the algorithm of the proofs.
func (p *Prover) Algorithm() string { return p.algorithm }

// Bind returns a grant whose tokens are bound to the key of the prover.
func (p *Prover) Bind(g Grant) Grant {
	g.key = publicKey(p.key).Thumbprint()
	return g
}

// Unbound returns a grant whose tokens are not bound to a key.
func (g Grant) Unbound() Grant {
	g.key = ""
	return g
}

// publicKey returns the public part of a key.
func publicKey(key crypto.Signer) jose.JWK {
	k, _ := jose.PublicJWK(key.Public()) // never fails for the kinds of proofKeys
	return k
}

// privatePart returns the member d of the JWK of a key (RFC 7518 §6, RFC 8037 §2).
func privatePart(key crypto.Signer) string {
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		scalar, _ := key.Bytes() // never fails for a named curve
		return jose.Encode(scalar)
	case *rsa.PrivateKey:
		return jose.Encode(key.D.Bytes())
	case ed25519.PrivateKey:
		return jose.Encode(key.Seed())
	}
	return ""
}

// secretOfProofs is the symmetric key that signs the proof proof-oct.
const secretOfProofs = "a symmetric key, which no proof may have"

// BindToSecret returns a grant whose tokens are bound to the symmetric key of the proof proof-oct
// (RFC 7638 §3.2: the members k and kty).
func (p *Prover) BindToSecret(g Grant) Grant {
	g.key = jose.SHA256(`{"k":"` + jose.Encode([]byte(secretOfProofs)) + `","kty":"oct"}`)
	return g
}

// A Use describes the request that a proof is for.
type Use struct {
	Method string
	URL    string // URL without query and fragment
	Token  string // access token
	Nonce  string // newest nonce of the server, or ""
}

// Proof returns a correct proof (RFC 9449 §4.2).
func (p *Prover) Proof(use Use) string { return p.proving(use).signed() }

// WrongProof returns the proof of [Tokens] with a name. It differs from the correct proof in one
// thing. ok is false if the name is not the name of a wrong proof.
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
	signer         crypto.Signer
	algorithm      string
}

func (p *Prover) proving(use Use) *proving {
	claims := map[string]any{
		"jti": jose.Random(), "htm": use.Method, "htu": use.URL, "iat": p.now().Unix(), "ath": jose.SHA256(use.Token),
	}
	if use.Nonce != "" {
		claims["nonce"] = use.Nonce
	}
	return &proving{p, use, map[string]any{"typ": "dpop+jwt", "alg": p.algorithm, "jwk": publicKey(p.key)}, claims, p.key, p.algorithm}
}

func (p *proving) signed() string {
	text, _ := jose.Sign(p.signer, p.algorithm, p.header, p.claims) // never fails for an algorithm of the key
	return text
}
