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

// assertionLife is how long an assertion counts: it is used at once.
const assertionLife = 2 * time.Minute

// randomString returns a text of 256 bits that nobody can guess. It is good as a
// state, as a PKCE verifier and as the id of a JWT.
func randomString() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// sha256Base64 is the SHA-256 of a text in the form that PKCE and DPoP share.
func sha256Base64(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// signJWT makes a JWS in compact form, signed with ES256 (RFC 7515 §3.1, RFC
// 7518 §3.4).
func signJWT(key *ecdsa.PrivateKey, header, claims map[string]any) (string, error) {
	if key.Curve != elliptic.P256() {
		return "", errors.New("ES256 needs a key on the curve P-256")
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
	const half = 32 // the two numbers stand side by side, each as long as the curve's
	signature := make([]byte, 2*half)
	r.FillBytes(signature[:half])
	s.FillBytes(signature[half:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// clientAssertion proves that we have the key of a client (RFC 7523 §3). It is
// for one issuer alone.
func clientAssertion(c Client, issuer string, now time.Time) (string, error) {
	return signJWT(c.Key, map[string]any{"typ": "JWT"}, map[string]any{
		"iss": c.ID, "sub": c.ID, "aud": issuer, "jti": randomString(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
}

// publicJWK is the public half of a key (RFC 7518 §6.2.1).
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

// ParseKey reads the private key of a client from PEM: one for ES256, as PKCS
// #8 or SEC 1. Errors say nothing of the key.
func ParseKey(text []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the key is not in PEM")
	}
	var parsed any
	var err error
	if block.Type == "EC PRIVATE KEY" {
		parsed, err = x509.ParseECPrivateKey(block.Bytes)
	} else {
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read (the block is %q)", block.Type)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("the key is not for ES256: it must be of the curve P-256")
	}
	return key, nil
}
