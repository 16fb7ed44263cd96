package oauth

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// open checks the signature of a JWT and returns what is in it.
func open(t *testing.T, text string, key *ecdsa.PublicKey) (header, claims map[string]any) {
	t.Helper()
	if !verifies(text, "ES256", key) {
		t.Fatal("the signature is wrong")
	}
	return parts(t, text)
}

// parts are the header and the claims of a JWT.
func parts(t *testing.T, text string) (header, claims map[string]any) {
	t.Helper()
	words := strings.Split(text, ".")
	if len(words) != 3 {
		t.Fatalf("%q is no JWT", text)
	}
	for i, to := range []*map[string]any{&header, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(words[i])
		if err != nil || json.Unmarshal(raw, to) != nil {
			t.Fatalf("%q is no JWT: %v", text, err)
		}
	}
	return header, claims
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
	other.setKey(p.marshalKey())
	if other.setKey([]byte("no key")); !other.key.Equal(p.key) {
		t.Error("the key did not come back")
	}
}
