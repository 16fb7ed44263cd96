package oauth

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// assertionLife is the lifetime of an assertion, which is sent at once.
const assertionLife = 2 * time.Minute

// randomString returns 256 random bits in base64url, for a state, a PKCE verifier or
// the id of a JWT.
func randomString() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// sha256Base64 returns the SHA-256 of a text in base64url, as PKCE and DPoP need it.
func sha256Base64(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// signJWT returns a JWS in compact serialization, signed with ES256 (RFC 7515 §3.1,
// RFC 7518 §3.4).
func signJWT(key *ecdsa.PrivateKey, header, claims map[string]any) (string, error) {
	return (&Key{signer: key}).sign("ES256", header, claims)
}

// clientAssertion authenticates a client by its key (RFC 7523 §3), at one issuer, which
// supports some algorithms; it says none if the list is empty.
func clientAssertion(c Client, issuer string, supported []string, now time.Time) (string, error) {
	algorithm, err := c.Key.choose(issuer, supported)
	if err != nil {
		return "", err
	}
	header := map[string]any{"typ": "JWT"}
	if c.Key.ID != "" {
		header["kid"] = c.Key.ID
	}
	if c.Key.Thumbprint != "" {
		header["x5t#S256"] = c.Key.Thumbprint
	}
	return c.Key.sign(algorithm, header, map[string]any{
		"iss": c.ID, "sub": c.ID, "aud": issuer, "jti": randomString(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
}

// publicJWK returns the public key as a JWK (RFC 7518 §6.2.1).
func publicJWK(key *ecdsa.PrivateKey) (map[string]any, error) {
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return nil, err
	}
	half := (len(point) - 1) / 2
	return map[string]any{
		"kty": "EC", "crv": "P-256",
		"x": base64.RawURLEncoding.EncodeToString(point[1 : 1+half]),
		"y": base64.RawURLEncoding.EncodeToString(point[1+half:]),
	}, nil
}
