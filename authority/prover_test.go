package authority_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/authority"
)

// A wrong proof differs from the right one in the members that the name promises.
func TestProver_OneDifference(t *testing.T) {
	r := start(t, authority.Options{})
	p, err := r.NewProver("ES256")
	if err != nil {
		t.Fatal(err)
	}
	use := authority.Use{Method: "POST", URL: resource, Token: "t", Nonce: "n"}
	rightHeader, rightClaims := decoded(t, p.Proof(use))
	differs := map[string]string{
		"proof-altered": "", "proof-alg-none": "alg", "proof-hs256": "alg", "proof-key": "jwk", "proof-alg-other": "alg", "proof-key-kid": "jwk", "proof-key-kind": "alg jwk", "proof-oct": "alg jwk", "proof-method-case": "htm", "proof-token-start": "ath", "proof-method": "htm", "proof-host": "htu",
		"proof-path": "htu", "proof-token-other": "ath", "proof-token-missing": "ath", "proof-old": "iat", "proof-future": "iat",
		"proof-time-missing": "iat", "proof-id-missing": "jti", "proof-typ": "typ", "proof-private-key": "jwk", "proof-nonce": "nonce",
	}
	for name, members := range differs {
		text, ok := p.WrongProof(name, use)
		if !ok {
			t.Errorf("%s is not made", name)
			continue
		}
		header, claims := decoded(t, text)
		if _, has := claims["jti"]; has {
			claims["jti"] = rightClaims["jti"]
		}
		if !strings.Contains(members, "iat") { // a second may have passed
			claims["iat"] = rightClaims["iat"]
		}
		if got := strings.Join(slices.Sorted(slices.Values(append(changed(rightHeader, header), changed(rightClaims, claims)...))), " "); got != members {
			t.Errorf("%s differs in %q, expected %q", name, got, members)
		}
	}
	for _, token := range authority.Tokens() {
		_, made := p.WrongProof(token.Name, use)
		otherwise := slices.Contains([]string{"proof-right", "proof-none", "proof-unbound", "proof-two", "proof-again", "proof-query"}, token.Name)
		if made != (strings.HasPrefix(token.Name, "proof-") && !otherwise) {
			t.Errorf("%s: made %t", token.Name, made)
		}
	}
}
