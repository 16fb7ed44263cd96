package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// errNotJWS reports a text that is not a JWS in compact serialization.
var errNotJWS = errors.New("not a JWT")

// Token is a JWS that was parsed, and not verified.
type Token struct {
	Header struct {
		Type      string `json:"typ"`
		Algorithm string `json:"alg"`
		KeyID     string `json:"kid"`
		Key       JWK    `json:"jwk"`
	}
	Claims []byte // JSON

	input     string
	signature []byte
}

// Parse parses a JWS. It verifies nothing.
func Parse(text string) (*Token, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, errNotJWS
	}
	t := &Token{input: parts[0] + "." + parts[1]}
	head, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || json.Unmarshal(head, &t.Header) != nil {
		return nil, errNotJWS
	}
	if t.Claims, err = base64.RawURLEncoding.DecodeString(parts[1]); err != nil {
		return nil, errNotJWS
	}
	if t.signature, err = base64.RawURLEncoding.DecodeString(parts[2]); err != nil {
		return nil, errNotJWS
	}
	return t, nil
}

// errSignature reports a signature that does not belong to the key and the text.
var errSignature = errors.New("its signature is wrong")

// Verify checks the signature with a public key, by the algorithm of the header, which must fit the key.
func (t *Token) Verify(key crypto.PublicKey) error {
	algorithm, ok := t.Header.Algorithm, false
	hash := hashOf(algorithm)
	var sum []byte
	if hash != 0 {
		h := hash.New()
		_, _ = h.Write([]byte(t.input)) // Write never returns an error
		sum = h.Sum(nil)
	}
	switch key := key.(type) {
	case *rsa.PublicKey:
		switch algorithm {
		case "RS256":
			ok = rsa.VerifyPKCS1v15(key, hash, sum, t.signature) == nil
		case "PS256":
			ok = rsa.VerifyPSS(key, hash, sum, t.signature, nil) == nil
		default:
			return fmt.Errorf("its algorithm is %q, and the key is RSA", algorithm)
		}
	case *ecdsa.PublicKey:
		size := coordinateSize(key.Curve)
		if expected := map[int]string{32: "ES256", 48: "ES384"}[size]; algorithm != expected {
			return fmt.Errorf("its algorithm is %q, expected %s", algorithm, expected)
		}
		if len(t.signature) == 2*size {
			r, s := new(big.Int).SetBytes(t.signature[:size]), new(big.Int).SetBytes(t.signature[size:])
			ok = ecdsa.Verify(key, sum, r, s)
		}
	case ed25519.PublicKey:
		if algorithm != "EdDSA" {
			return fmt.Errorf("its algorithm is %q, and the key is Ed25519", algorithm)
		}
		ok = ed25519.Verify(key, []byte(t.input), t.signature)
	default:
		return errors.New("the key is of another kind")
	}
	if !ok {
		return errSignature
	}
	return nil
}

// JWK is a public key as a JSON Web Key (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2).
type JWK struct {
	Type      string `json:"kty"`
	Use       string `json:"use,omitempty"`
	Algorithm string `json:"alg,omitempty"`
	ID        string `json:"kid,omitempty"`
	Curve     string `json:"crv,omitempty"`
	X         string `json:"x,omitempty"`
	Y         string `json:"y,omitempty"`
	N         string `json:"n,omitempty"`
	E         string `json:"e,omitempty"`
	// Private is the private part, which a public key must not have.
	Private string `json:"d,omitempty"`
}

// PublicJWK returns a public key as a JWK: RSA, P-256, P-384 or Ed25519.
func PublicJWK(key crypto.PublicKey) (JWK, error) {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return JWK{Type: "RSA", N: Encode(key.N.Bytes()), E: Encode(big.NewInt(int64(key.E)).Bytes())}, nil
	case *ecdsa.PublicKey:
		point, err := key.Bytes() // 4, x, y
		if err != nil {
			return JWK{}, err
		}
		half := (len(point) - 1) / 2
		return JWK{Type: "EC", Curve: key.Params().Name, X: Encode(point[1 : 1+half]), Y: Encode(point[1+half:])}, nil
	case ed25519.PublicKey:
		return JWK{Type: "OKP", Curve: "Ed25519", X: Encode(key)}, nil
	}
	return JWK{}, fmt.Errorf("a key of type %T has no JWK here", key)
}

// PublicKey returns the public key.
func (k JWK) PublicKey() (crypto.PublicKey, error) {
	x, errX := base64.RawURLEncoding.DecodeString(k.X)
	y, errY := base64.RawURLEncoding.DecodeString(k.Y)
	if err := errors.Join(errX, errY); err != nil {
		return nil, errors.New("its key is not in base64url")
	}
	curve := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384()}[k.Curve]
	switch {
	case k.Private != "":
		return nil, errors.New("its key is a private key")
	case k.Type == "EC" && curve != nil:
		key, err := ecdsa.ParseUncompressedPublicKey(curve, append(append([]byte{4}, x...), y...))
		if err != nil {
			return nil, fmt.Errorf("its key is not a point of %s", k.Curve)
		}
		return key, nil
	case k.Type == "OKP" && k.Curve == "Ed25519" && len(x) == ed25519.PublicKeySize:
		return ed25519.PublicKey(x), nil
	case k.Type == "RSA":
		n, errN := base64.RawURLEncoding.DecodeString(k.N)
		e, errE := base64.RawURLEncoding.DecodeString(k.E)
		exponent := new(big.Int).SetBytes(e)
		if errN != nil || errE != nil || len(n) < 256 || len(n) > 1024 || !exponent.IsInt64() || exponent.Int64() < 3 || exponent.Int64() > 1<<31-1 {
			return nil, errors.New("its RSA key has fewer than 2048 bits, or is not valid")
		}
		return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}, nil
	}
	return nil, fmt.Errorf("its key has the type %q and the curve %q, which are not supported", k.Type, k.Curve)
}

// Thumbprint returns the SHA-256 thumbprint of a key in base64url (RFC 7638 §3), or "" for another kind of key.
func (k JWK) Thumbprint() string {
	switch k.Type {
	case "EC":
		return SHA256(`{"crv":"` + k.Curve + `","kty":"EC","x":"` + k.X + `","y":"` + k.Y + `"}`)
	case "OKP":
		return SHA256(`{"crv":"` + k.Curve + `","kty":"OKP","x":"` + k.X + `"}`)
	case "RSA":
		return SHA256(`{"e":"` + k.E + `","kty":"RSA","n":"` + k.N + `"}`)
	}
	return ""
}
