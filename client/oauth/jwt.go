package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
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
	if key.Curve != elliptic.P256() {
		return "", errors.New("ES256 requires a key on the curve P-256")
	}
	header["alg"] = "ES256"
	head, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	const half = 32 // r and s, each as long as the order of the curve
	signature := make([]byte, 2*half)
	r.FillBytes(signature[:half])
	s.FillBytes(signature[half:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// clientAssertion authenticates a client by its key (RFC 7523 §3), at one issuer.
func clientAssertion(c Client, issuer string, now time.Time) (string, error) {
	return signJWT(c.Key, map[string]any{"typ": "JWT"}, map[string]any{
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

// ParseKey parses the private key of a client for ES256 from PEM, PKCS #8 or SEC 1.
// Errors do not contain the key.
func ParseKey(text []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the private key is not in PEM format")
	}
	var parsed any
	var err error
	if block.Type == "EC PRIVATE KEY" {
		parsed, err = x509.ParseECPrivateKey(block.Bytes)
	} else {
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot parse the private key in the PEM block %q", block.Type)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("the private key is not for ES256: it must be on the curve P-256")
	}
	return key, nil
}
