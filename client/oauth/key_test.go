package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// keys are one of each kind.
func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	p256, err1 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, err2 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	_, ed, err3 := ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(err, err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"RSA": pair, "P-256": p256, "P-384": p384, "Ed25519": ed}
}

func inPEM(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// verifies reports whether a JWS has the signature of a key.
func verifies(text, algorithm string, public crypto.PublicKey) bool {
	signed, encoded, _ := cutLast(text)
	signature, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return false
	}
	small, wide := sha256.Sum256([]byte(signed)), sha512.Sum384([]byte(signed))
	switch algorithm {
	case "RS256":
		return rsa.VerifyPKCS1v15(public.(*rsa.PublicKey), crypto.SHA256, small[:], signature) == nil
	case "PS256":
		return rsa.VerifyPSS(public.(*rsa.PublicKey), crypto.SHA256, small[:], signature, nil) == nil
	case "EdDSA":
		return ed25519.Verify(public.(ed25519.PublicKey), []byte(signed), signature)
	}
	sum := small[:]
	if algorithm == "ES384" {
		sum = wide[:]
	}
	half := len(signature) / 2
	r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
	return ecdsa.Verify(public.(*ecdsa.PublicKey), sum, r, s)
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, '.')
	return text[:i], text[i+1:], true
}

func TestClientAssertion(t *testing.T) {
	all := keys(t)
	now := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		key, forced string
		supported   []string
		want        string // the algorithm, or a part of the error
	}{
		{"RSA", "", nil, "RS256"},
		{"RSA", "", []string{"ES256", "PS256", "RS256"}, "RS256"},
		{"RSA", "", []string{"PS256"}, "PS256"},
		{"RSA", "PS256", nil, "PS256"},
		{"RSA", "", []string{"ES256"}, "the server supports the signing algorithms ES256; this client has RS256, PS256"},
		{"RSA", "PS256", []string{"RS256"}, "this client has PS256"},
		{"P-256", "", nil, "ES256"},
		{"P-384", "", []string{"ES256", "ES384"}, "ES384"},
		{"Ed25519", "", []string{"EdDSA"}, "EdDSA"},
		{"P-256", "", []string{"none", "HS256"}, "this client has ES256"},
		{"RSA", "", []string{"none", "HS256"}, "this client has RS256, PS256"},
	} {
		key, err := ParseKey(inPEM(t, all[c.key]))
		if err != nil {
			t.Fatalf("%s: %v", c.key, err)
		}
		key.ID, key.Thumbprint, key.Algorithm = "k1", "print", c.forced
		text, err := clientAssertion(Client{ID: "me", Key: key}, "https://issuer.example", c.supported, now)
		if err != nil {
			var refused *ClientAuthError
			if !strings.Contains(err.Error(), c.want) || !errors.As(err, &refused) {
				t.Errorf("%s with %v: %v", c.key, c.supported, err)
			}
			continue
		}
		header, claims := parts(t, text)
		if header["alg"] != c.want || header["kid"] != "k1" || header["x5t#S256"] != "print" {
			t.Errorf("%s with %v: header %v, want %s", c.key, c.supported, header, c.want)
		}
		if claims["iss"] != "me" || claims["sub"] != "me" || claims["aud"] != "https://issuer.example" || claims["iat"] != 1e6 || claims["exp"].(float64) <= 1e6 || claims["jti"] == "" {
			t.Errorf("claims %v", claims)
		}
		if !verifies(text, c.want, all[c.key].Public()) {
			t.Errorf("%s: the signature is not that of the key", c.want)
		}
	}
}

// An assertion is signed with the key, also if the user or the server names something else.
func TestClientAssertion_NeverUnsigned(t *testing.T) {
	for _, kind := range []string{"RSA", "P-256", "Ed25519"} {
		for _, forced := range []string{"none", "HS256", "HS512"} {
			for _, supported := range [][]string{nil, {forced}} {
				key, err := ParseKey(inPEM(t, keys(t)[kind]))
				if err != nil {
					t.Fatal(err)
				}
				key.Algorithm = forced
				if text, err := clientAssertion(Client{ID: "me", Key: key}, "https://issuer.example", supported, time.Unix(1_000_000, 0)); err == nil || text != "" {
					t.Errorf("%s with %s: %q, %v", kind, forced, text, err)
				}
			}
		}
	}
}

// The client is named by its assertion alone, at the token endpoint of the issuer.
func TestAuthenticateClient_KeyWithoutID(t *testing.T) {
	key, err := ParseKey(inPEM(t, keys(t)["RSA"]))
	if err != nil {
		t.Fatal(err)
	}
	f := &flow{}
	f.server.expected, f.server.AuthMethods, f.server.AssertionAlgs = "https://issuer.example", []string{authKey}, []string{"RS256"}
	form := url.Values{}
	if err := f.authenticateClient(Client{ID: "me", Key: key}, http.Header{}, form); err != nil {
		t.Fatal(err)
	}
	if form.Has("client_id") || form.Get("client_assertion") == "" {
		t.Errorf("the form is %v", form)
	}
}

func TestParseKey(t *testing.T) {
	all := keys(t)
	pair := all["RSA"].(*rsa.PrivateKey)
	sec1, _ := x509.MarshalECPrivateKey(all["P-256"].(*ecdsa.PrivateKey))
	for kind, der := range map[string][]byte{"RSA PRIVATE KEY": x509.MarshalPKCS1PrivateKey(pair), "EC PRIVATE KEY": sec1} {
		if _, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	other, err1 := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err := errors.Join(err, err1); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"not in PEM":                   "hunter2",
		"cannot parse the private key": "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n",
		"has 1024 bits: at least 2048": string(inPEM(t, weak)),
		"P-256 or P-384":               string(inPEM(t, other)),
	} {
		if _, err := ParseKey([]byte(text)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCertify_OtherKey(t *testing.T) {
	all := keys(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, all["RSA"].Public(), all["RSA"])
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	own, other := &Key{signer: all["RSA"]}, &Key{signer: all["P-256"]}
	sum := sha256.Sum256(der)
	if err := own.Certify(certificate); err != nil || own.Thumbprint != base64.RawURLEncoding.EncodeToString(sum[:]) {
		t.Errorf("thumbprint %q, %v", own.Thumbprint, err)
	}
	if err := other.Certify(certificate); err == nil || other.Thumbprint != "" {
		t.Errorf("the certificate of another key is taken: %v", err)
	}
}

// The error of a client without a way to authenticate names those of the server and its own.
func TestAuthMethod_None(t *testing.T) {
	f := &flow{}
	f.server.AuthMethods, f.server.expected = []string{"tls_client_auth"}, "https://as.example"
	_, err := f.authMethod(Client{Secret: "s"})
	if err == nil || err.Error() != "no OAuth client authentication for https://as.example: the server supports the authentication methods tls_client_auth; this client has client_secret_basic, client_secret_post, none" {
		t.Errorf("%v", err)
	}
}
