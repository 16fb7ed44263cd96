package oauth

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"mcptea/internal/jose"
)

// Key is the private key of a client, which signs its assertions (RFC 7523 §3).
type Key struct {
	signer crypto.Signer
	// ID is the member kid of the header, or "".
	ID string
	// Thumbprint is the member x5t#S256: SHA-256 of the key's certificate in base64url, or "".
	Thumbprint string
	// Algorithm is the signature algorithm, one of [Key.Algorithms], or "" to choose one that the server
	// supports.
	Algorithm string
}

// minRSA is the size of an RSA key in bits (RFC 7518 §3.3).
const minRSA = 2048

// Algorithms returns the algorithms that the key can sign with (RFC 7518 §3.1, RFC 8037). The
// preferred one is first.
func (k *Key) Algorithms() []string { return jose.Algorithms(k.signer) }

// choose returns the algorithm to sign with for an issuer. The error is a
// *ClientAuthError.
func (k *Key) choose(issuer string, supported []string) (string, error) {
	able := k.Algorithms()
	if k.Algorithm != "" {
		able = []string{k.Algorithm}
	}
	if len(supported) == 0 {
		return able[0], nil
	}
	i := slices.IndexFunc(able, func(a string) bool { return slices.Contains(supported, a) })
	if i < 0 {
		return "", &ClientAuthError{issuer, "signing algorithms", supported, able}
	}
	return able[i], nil
}

// ParseKey parses the private key of a client from PEM: PKCS #8, PKCS #1 or SEC 1; RSA, P-256,
// P-384 or Ed25519. Errors do not contain the key.
func ParseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the private key is not in PEM format")
	}
	var parsed any
	var err error
	switch block.Type {
	case "EC PRIVATE KEY":
		parsed, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot parse the private key in the PEM block %q", block.Type)
	}
	signer, _ := parsed.(crypto.Signer)
	key := &Key{signer: signer}
	if pair, ok := parsed.(*rsa.PrivateKey); ok && pair.N.BitLen() < minRSA {
		return nil, fmt.Errorf("the RSA key has %d bits: at least %d are required", pair.N.BitLen(), minRSA)
	}
	if len(key.Algorithms()) == 0 {
		return nil, errors.New("the private key is neither RSA, nor Ed25519, nor on the curve P-256 or P-384")
	}
	return key, nil
}

// Certify sets the thumbprint of the certificate of the key, which is in PEM.
func (k *Key) Certify(text []byte) error {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return errors.New("the file has no certificate in PEM format")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	public, ok := k.signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(certificate.PublicKey) {
		return errors.New("the certificate is of another key")
	}
	sum := sha256.Sum256(certificate.Raw)
	k.Thumbprint = jose.Encode(sum[:])
	return nil
}
