package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"time"

	"mcptea/internal/jose"
)

// keyBits is the size of the RSA keys (RFC 7518 §3.3).
const keyBits = 2048

// algorithm is the signature algorithm of tokens.
const algorithm = "RS256"

// A pair is an asymmetric key that signs tokens, with its id.
type pair struct {
	id      string
	private *rsa.PrivateKey
}

func newPair(id string) (pair, error) {
	key, err := generateKey()
	return pair{id, key}, err
}

// generateKey makes a key. Tests replace it with a function that uses a few keys repeatedly.
var generateKey = func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, keyBits) }

// jwk returns the public key as a JWK.
func (p pair) jwk() jose.JWK {
	k, _ := jose.PublicJWK(p.private.Public()) // never fails for RSA
	k.Use, k.Algorithm, k.ID = "sig", algorithm, p.id
	return k
}

// certificate returns a certificate of the key, as DER. The key itself has signed it.
func (p pair) certificate(now time.Time) []byte {
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: p.id}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour)}
	der, _ := x509.CreateCertificate(rand.Reader, c, c, p.private.Public(), p.private) // never fails for RSA
	return der
}

// publicPEM returns the public key in the form of a PEM file. A server uses that file as the secret
// of HS256 if it lets the token choose the algorithm.
func (p pair) publicPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: p.publicDER()})
}

// publicDER returns the content of the PEM file of publicPEM.
func (p pair) publicDER() []byte {
	der, _ := x509.MarshalPKIXPublicKey(p.private.Public()) // never fails for RSA
	return der
}

// publicPKCS1 returns the public key as a PEM file in the older form (RFC 8017, appendix A.1.1).
func (p pair) publicPKCS1() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&p.private.PublicKey)})
}

// publicJWK returns the public key as the text of a JWK.
func (p pair) publicJWK() []byte {
	text, _ := json.Marshal(p.jwk()) // texts can always be encoded
	return text
}

// sign returns a JWS with the regular algorithm.
func (p pair) sign(header, claims map[string]any) string {
	text, _ := jose.Sign(p.private, algorithm, header, claims) // never fails for a key of this size
	return text
}

// signText is like sign, but takes the encoded header and claims.
func (p pair) signText(input string) string {
	sum := sha256.Sum256([]byte(input))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, p.private, crypto.SHA256, sum[:]) // never fails for a key of this size
	return input + "." + jose.Encode(signature)
}

// curveKeyID is the id of the elliptic key. Rotate publishes that key. It signs nothing.
const curveKeyID = "curve-1"

// newCurveJWK returns a new elliptic key as a JWK.
func newCurveJWK() (jose.JWK, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return jose.JWK{}, err
	}
	k, err := jose.PublicJWK(key.Public())
	k.Use, k.Algorithm, k.ID = "sig", "ES256", curveKeyID
	return k, err
}

// signHS256 returns a JWS with an HMAC.
func signHS256(secret []byte, header, claims map[string]any) string {
	header["alg"] = "HS256"
	text, _ := jose.SignHS256(secret, header, claims) // texts and numbers can always be encoded
	return text
}

// unsigned returns the header and the claims of a JWS with an empty signature.
func unsigned(header, claims map[string]any) string {
	text, _ := jose.Input(header, claims) // texts and numbers can always be encoded
	return text
}
