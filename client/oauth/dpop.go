package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"net/url"
	"sync"
	"time"

	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/jose"
)

const (
	dpopHeader  = "DPoP"
	nonceHeader = "DPoP-Nonce"
)

// dpopSigner makes DPoP proofs (RFC 9449). A proof shows that the sender of a token has the key
// that the token is bound to. It is safe for concurrent use.
type dpopSigner struct {
	mu     sync.Mutex
	key    *ecdsa.PrivateKey // generated when it is first needed
	nonces map[string]string // newest nonce of each server by origin; at most maxNonces
}

// maxNonces bounds the stored nonces of a resource and its authorization servers: a server can name new ones
// each time. At the bound, all are forgotten, which costs each server one more request.
const maxNonces = 64

// parseDPoPKey returns the key of a stored token, or nil if it is not a key for proofs.
func parseDPoPKey(pkcs8 []byte) *ecdsa.PrivateKey {
	key, err := x509.ParsePKCS8PrivateKey(pkcs8)
	if err != nil {
		return nil
	}
	ec, _ := key.(*ecdsa.PrivateKey)
	return ec
}

// setKey makes the key of a new token current. If the key is invalid, the current key stays.
func (p *dpopSigner) setKey(pkcs8 []byte) {
	key := parseDPoPKey(pkcs8)
	if key == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = key
}

// marshalKey returns the key as PKCS #8, nil after a failure.
func (p *dpopSigner) marshalKey() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		return nil
	}
	return b
}

// noteNonce keeps the nonce of a response and reports whether it is a new one.
func (p *dpopSigner) noteNonce(from *url.URL, answer http.Header) bool {
	nonce := answer.Get(nonceHeader)
	if nonce == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nonces == nil {
		p.nonces = make(map[string]string)
	}
	origin := mcphttp.Origin(from)
	before, known := p.nonces[origin]
	if !known && len(p.nonces) >= maxNonces {
		clear(p.nonces)
	}
	p.nonces[origin] = nonce
	return before != nonce
}

// proof returns the proof for one request. access is its access token, empty at the
// token endpoint. Each proof is used once (RFC 9449 §4.2).
func (p *dpopSigner) proof(method string, to *url.URL, access string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key == nil {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return "", err
		}
		p.key = key
	}
	jwk, err := jose.PublicJWK(p.key.Public())
	if err != nil {
		return "", err
	}
	bare := *to
	bare.User, bare.RawQuery, bare.ForceQuery, bare.Fragment, bare.RawFragment = nil, "", false, "", ""
	claims := map[string]any{"jti": jose.Random(), "htm": method, "htu": bare.String(), "iat": time.Now().Unix()}
	if access != "" {
		claims["ath"] = jose.SHA256(access)
	}
	if nonce := p.nonces[mcphttp.Origin(to)]; nonce != "" {
		claims["nonce"] = nonce
	}
	return jose.Sign(p.key, "ES256", map[string]any{"typ": "dpop+jwt", "jwk": jwk}, claims)
}
