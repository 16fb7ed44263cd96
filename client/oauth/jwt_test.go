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
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// open checks the signature of a JWT and returns what is in it.
func open(t *testing.T, text string, key *ecdsa.PublicKey) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", text)
	}
	var raw [3][]byte
	for i, p := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.DecodeString(p); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, s := new(big.Int).SetBytes(raw[2][:32]), new(big.Int).SetBytes(raw[2][32:])
	if len(raw[2]) != 64 || !ecdsa.Verify(key, sum[:], r, s) {
		t.Fatal("the signature is wrong")
	}
	if json.Unmarshal(raw[0], &header) != nil || json.Unmarshal(raw[1], &claims) != nil {
		t.Fatalf("header %s, claims %s", raw[0], raw[1])
	}
	return header, claims
}

func TestClientAssertion(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_000_000, 0)
	text, err := clientAssertion(Client{ID: "me", Key: key}, "https://issuer.example", now)
	if err != nil {
		t.Fatal(err)
	}
	header, claims := open(t, text, &key.PublicKey)
	if header["alg"] != "ES256" || claims["iss"] != "me" || claims["sub"] != "me" || claims["aud"] != "https://issuer.example" ||
		claims["iat"] != 1e6 || claims["exp"].(float64) <= 1e6 || claims["jti"] == "" {
		t.Errorf("header %v, claims %v", header, claims)
	}
}

func TestDPoPSigner_Proofs(t *testing.T) {
	var p dpopSigner
	to, err := url.Parse("https://u:p@h.example/mcp?a=b#c")
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.proof(http.MethodPost, to, "token")
	if err != nil {
		t.Fatal(err)
	}
	header, claims := open(t, text, &p.key.PublicKey)
	jwk := header["jwk"].(map[string]any)
	if header["typ"] != "dpop+jwt" || jwk["crv"] != "P-256" || jwk["d"] != nil {
		t.Errorf("header %v", header)
	}
	sum := sha256.Sum256([]byte("token"))
	if claims["htm"] != "POST" || claims["htu"] != "https://h.example/mcp" || claims["nonce"] != nil ||
		claims["ath"] != base64.RawURLEncoding.EncodeToString(sum[:]) {
		t.Errorf("claims %v", claims)
	}
	if !p.noteNonce(to, http.Header{"Dpop-Nonce": {"n1"}}) || p.noteNonce(to, http.Header{"Dpop-Nonce": {"n1"}}) || p.noteNonce(to, http.Header{}) {
		t.Error("a nonce is not told from an old one")
	}
	again, err := p.proof(http.MethodPost, to, "")
	if err != nil {
		t.Fatal(err)
	}
	_, next := open(t, again, &p.key.PublicKey)
	if next["nonce"] != "n1" || next["jti"] == claims["jti"] || next["ath"] != nil {
		t.Errorf("claims %v", next)
	}
	// A token that was stored is used with its own key.
	var other dpopSigner
	if !other.setKey(p.marshalKey()) || !other.key.Equal(p.key) || other.setKey([]byte("no key")) {
		t.Error("the key did not come back")
	}
}

func TestParseKey(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(key)
	sec1, _ := x509.MarshalECPrivateKey(key)
	for kind, der := range map[string][]byte{"PRIVATE KEY": pkcs8, "EC PRIVATE KEY": sec1} {
		got, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
		if err != nil || !got.Equal(key) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	wide, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := x509.MarshalPKCS8PrivateKey(wide)
	for name, text := range map[string]string{
		"not in PEM":                   "hunter2",
		"cannot parse the private key": "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n",
		"P-256":                        string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	} {
		if _, err := ParseKey([]byte(text)); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
