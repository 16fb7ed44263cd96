// Package jose signs and verifies JSON Web Signatures in compact serialization (RFC 7515 §3.1), and reads and
// writes public keys as JSON Web Keys (RFC 7517). The client uses it for DPoP proofs and client assertions, and
// the authorization server of package authority for its tokens, right and wrong.
package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // SHA-384 of ES384
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
)

// Encode returns bytes in base64url without padding (RFC 7515 §2).
func Encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Random returns 256 random bits in base64url, for a state, a PKCE verifier or the id of a JWT.
func Random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // Read never returns an error
	return Encode(b)
}

// SHA256 returns the SHA-256 of a text in base64url, which PKCE and DPoP require.
func SHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return Encode(sum[:])
}

// Algorithms returns the algorithms that a key can sign with (RFC 7518 §3.1, RFC 8037), the preferred one first, or
// nil for another kind of key.
func Algorithms(key crypto.Signer) []string {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return []string{"RS256", "PS256"}
	case *ecdsa.PrivateKey:
		switch key.Curve {
		case elliptic.P256():
			return []string{"ES256"}
		case elliptic.P384():
			return []string{"ES384"}
		}
	case ed25519.PrivateKey:
		return []string{"EdDSA"}
	}
	return nil
}

// Sign returns a JWS. It sets the member alg of the header.
func Sign(key crypto.Signer, algorithm string, header, claims map[string]any) (string, error) {
	if !slices.Contains(Algorithms(key), algorithm) {
		return "", fmt.Errorf("%s requires another kind of key", algorithm)
	}
	header["alg"] = algorithm
	text, err := Input(header, claims)
	if err != nil {
		return "", err
	}
	signature, err := sign(key, algorithm, []byte(text))
	if err != nil {
		return "", err
	}
	return text + "." + Encode(signature), nil
}

// SignHS256 returns a JWS with an HMAC (RFC 7518 §3.2). The secret may be empty, and the header is not changed.
func SignHS256(secret []byte, header, claims map[string]any) (string, error) {
	text, err := Input(header, claims)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(text)) // Write never returns an error
	return text + "." + Encode(mac.Sum(nil)), nil
}

// Input returns the signing input of a JWS: the encoded header and claims (RFC 7515 §5.1).
func Input(header, claims map[string]any) (string, error) {
	head, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	return Encode(head) + "." + Encode(body), nil
}

// sign returns the signature of a text (RFC 7518 §3.3 to §3.5, RFC 8037 §3.1).
func sign(key crypto.Signer, algorithm string, text []byte) ([]byte, error) {
	hash := hashOf(algorithm)
	if hash == 0 {
		return key.Sign(rand.Reader, text, hash)
	}
	h := hash.New()
	_, _ = h.Write(text) // Write never returns an error
	var options crypto.SignerOpts = hash
	if algorithm == "PS256" {
		options = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: hash}
	}
	signature, err := key.Sign(rand.Reader, h.Sum(nil), options)
	curve, ok := key.(*ecdsa.PrivateKey)
	if err != nil || !ok {
		return signature, err
	}
	return joinParts(signature, coordinateSize(curve.Curve))
}

// hashOf returns the hash function of an algorithm, or 0 for EdDSA.
func hashOf(algorithm string) crypto.Hash {
	switch algorithm {
	case "EdDSA":
		return 0
	case "ES384":
		return crypto.SHA384
	}
	return crypto.SHA256
}

// coordinateSize returns the size of a coordinate of a curve, in bytes.
func coordinateSize(c elliptic.Curve) int { return (c.Params().BitSize + 7) / 8 }

// joinParts converts an ECDSA signature from DER to r and s, each with size bytes (RFC 7518 §3.4).
func joinParts(der []byte, size int) ([]byte, error) {
	var parts struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &parts); err != nil {
		return nil, err
	}
	out := make([]byte, 2*size)
	parts.R.FillBytes(out[:size])
	parts.S.FillBytes(out[size:])
	return out, nil
}
