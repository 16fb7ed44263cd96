package jose_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"strings"
	"testing"

	"mcptea/internal/jose"
)

// signers returns one key of each kind.
func signers(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"RSA": pair, "P-256": p256, "P-384": p384, "Ed25519": ed}
}

func TestSign_VerifiedByItsKeyOnly(t *testing.T) {
	all := signers(t)
	for name, key := range all {
		for _, algorithm := range jose.Algorithms(key) {
			text, err := jose.Sign(key, algorithm, map[string]any{"typ": "JWT"}, map[string]any{"sub": "a"})
			if err != nil {
				t.Fatal(err)
			}
			token, err := jose.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for other, signer := range all {
				jwk, err := jose.PublicJWK(signer.Public())
				if err != nil {
					t.Fatal(err)
				}
				public, err := jwk.PublicKey()
				if err != nil {
					t.Fatal(err)
				}
				if ok := token.Verify(public) == nil; ok != (other == name) {
					t.Errorf("%s of %s: verified by the key %s: %t", algorithm, name, other, ok)
				}
			}
			changed := strings.Replace(text, ".", ".A", 1)
			if token, err := jose.Parse(changed); err == nil && token.Verify(key.Public()) == nil {
				t.Errorf("%s: a changed text is verified", algorithm)
			}
		}
	}
}

func TestSign_OtherKindOfKey(t *testing.T) {
	for name, key := range signers(t) {
		for _, algorithm := range []string{"none", "HS256", "RS512", ""} {
			if _, err := jose.Sign(key, algorithm, map[string]any{}, nil); err == nil {
				t.Errorf("%s signs with %q", name, algorithm)
			}
		}
	}
}

// The key and its thumbprint are those of RFC 7638 §3.1.
func TestThumbprint_OfSpecification(t *testing.T) {
	const n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
	k := jose.JWK{Type: "RSA", N: n, E: "AQAB"}
	if got := k.Thumbprint(); got != "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs" {
		t.Errorf("the thumbprint is %s", got)
	}
}

func TestJWK_Invalid(t *testing.T) {
	for name, text := range map[string]string{
		"private":     `{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}`,
		"no point":    `{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`,
		"other curve": `{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}`,
		"small RSA":   `{"kty":"RSA","n":"AQAB","e":"AQAB"}`,
		"symmetric":   `{"kty":"oct","k":"AA"}`,
		"no base64":   `{"kty":"EC","crv":"P-256","x":"*","y":"AA"}`,
		"empty":       `{}`,
	} {
		var k jose.JWK
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			t.Fatal(err)
		}
		if _, err := k.PublicKey(); err == nil {
			t.Errorf("%s: a key was returned", name)
		}
	}
}

func TestParse_Invalid(t *testing.T) {
	for _, text := range []string{"", "a", "a.b", "a.b.c.d", "*.e30.AA", "e30.*.AA", "e30.e30.*", "W10.e30.AA"} {
		if _, err := jose.Parse(text); err == nil {
			t.Errorf("%q is parsed", text)
		}
	}
}

func TestSignHS256_KnownText(t *testing.T) {
	text, err := jose.SignHS256([]byte("secret"), map[string]any{"alg": "HS256"}, map[string]any{"sub": "a"})
	if err != nil || text != "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.UUtsUaeO3koQylSZ3wxP4lqVvgFw6mGsVzGNBNF_1sQ" {
		t.Errorf("%s, %v", text, err)
	}
}
