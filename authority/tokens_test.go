package authority_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcptea/authority"
)

// sentOtherwise are the tokens that are the right one, sent in another way.
var sentOtherwise = []string{
	"none", "basic", "query", "two-headers", "cookie", "trusted-headers", "path-slash", "get-query", "bearer-small", "revoked-later", "get-none", "delete-none", "session-user",
	"later-none", "later-key", "later-expired", "later-scope", "later-bearer", "later-proof-none", "later-proof-method",
	"cached-signature", "cached-start", "key-rotated", "key-withdrawn", "introspection-down", "introspection-text",
}

func TestTokens_Rows(t *testing.T) {
	for _, token := range authority.Tokens() {
		if (token.Disturbs || token.Expect == "never") && token.Introspected || token.Expect == "refuse" && (token.Status == 0 || token.Fix == "" && token.Level != "info") || token.Spec == "" || token.Summary == "" {
			t.Errorf("%s: a status, a section and a fix are required", token.Name)
		}
		if _, ok := authority.TokenNamed(token.After); token.After != "" && !ok {
			t.Errorf("%s: there is no token %s", token.Name, token.After)
		}
	}
}

func TestForge_EachOnce(t *testing.T) {
	r := start(t, authority.Options{})
	names := map[string]string{}
	for _, token := range authority.Tokens() {
		text, ok := r.Forge(token.Name, authority.Grant{Client: "c", Resource: resource, Scope: "tools"})
		if ok == (slices.Contains(sentOtherwise, token.Name) || strings.HasPrefix(token.Name, "proof-") || token.Expect == "never") {
			t.Errorf("%s: made %t", token.Name, ok)
		}
		if other := names[text]; ok && other != "" {
			t.Errorf("%s is the same as %s", token.Name, other)
		}
		names[text] = token.Name
	}
	if text, ok := r.Forge("no-such-token", authority.Grant{}); ok {
		t.Errorf("an unknown token is %s", text)
	}
}

// decoded returns the header and the claims of a JWT.
func decoded(t *testing.T, text string) (header, claims map[string]any) {
	t.Helper()
	parts := strings.Split(strings.TrimRight(text, "="), ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a JWT", text)
	}
	for i, to := range []*map[string]any{&header, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(raw, to) != nil {
			t.Fatalf("%q is not a JWT: %v", text, err)
		}
	}
	return header, claims
}

// A forged token differs from the right one in the members that the name promises.
func TestForge_OneDifference(t *testing.T) {
	r := start(t, authority.Options{})
	grant := authority.Grant{Client: "c", Resource: resource, Scope: "tools"}
	rightHeader, rightClaims := decoded(t, r.Access(grant))
	for name, differs := range map[string]string{
		"altered": "sub", "unsigned": "", "kid-stolen": "", "kid-unknown": "kid", "jwk-own": "jwk kid", "jku-other": "jku kid",
		"alg-none": "alg", "alg-none-case": "alg", "hs256-public-key": "alg", "hs256-empty": "alg", "crit-unknown": "crit urn:example:unknown",
		"aud-other": "aud", "aud-others": "aud", "aud-longer": "aud", "aud-client": "aud", "aud-missing": "aud",
		"iss-other": "iss", "iss-longer": "iss", "iss-missing": "iss", "expired": "exp iat", "expired-61s": "exp iat", "expired-1s": "exp iat",
		"exp-missing": "exp", "exp-text": "exp", "not-yet-valid": "nbf", "id-token": "aud auth_time client_id nonce typ", "id-token-for-resource": "auth_time client_id nonce typ",
		"typ-other": "typ", "revoked": "", "dpop-as-bearer": "cnf", "scope-missing": "scope", "scope-other": "scope", "scope-longer": "scope",
		"alg-none-space": "alg", "alg-missing": "alg", "hs256-kid": "alg", "aud-pattern": "aud", "iss-list": "iss",
		"jwk-own-kid": "jwk kid", "kid-proto": "kid", "kid-constructor": "kid", "jwks-down": "kid", "jwks-flood": "kid", "padded": "",
		"hs256-pem-trimmed": "alg", "hs256-der": "alg", "hs256-pkcs1": "alg", "hs256-jwk": "alg", "hs256-modulus": "alg", "ps256-key": "alg", "signature-zero": "alg kid",
		"aud-empty": "aud", "aud-query": "aud", "aud-fragment": "aud", "aud-case": "aud", "aud-azp": "aud azp client_id", "aud-second": "aud", "aud-twice": "aud",
		"iss-shorter": "iss", "iss-slash": "iss", "expired-10m": "exp iat", "exp-digits": "exp", "exp-twice": "exp", "cached-expired": "exp",
		"scope-prefix": "scope", "scope-case": "scope", "scope-twice": "scope",
		"x5c-own": "kid x5c", "x5u-other": "kid x5u", "kid-path": "alg kid", "aud-sibling": "aud", "aud-shorter": "aud", "aud-list": "aud", "iss-keys": "iss kid", "typ-long": "typ",
	} {
		text, ok := r.Forge(name, grant)
		if !ok {
			t.Errorf("%s is not made", name)
			continue
		}
		header, claims := decoded(t, text)
		claims["jti"] = rightClaims["jti"]
		for _, moment := range []string{"exp", "iat"} { // a second may have passed
			if !strings.Contains(differs, moment) {
				claims[moment] = rightClaims[moment]
			}
		}
		if got := strings.Join(slices.Sorted(slices.Values(append(changed(rightHeader, header), changed(rightClaims, claims)...))), " "); got != differs {
			t.Errorf("%s differs in %q, expected %q", name, got, differs)
		}
	}
}

// changed returns the members that differ.
func changed(a, b map[string]any) (names []string) {
	for name, value := range a {
		if !reflect.DeepEqual(value, b[name]) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// Introspection knows only what an authority issues.
func TestIntrospect_ForgedTokens(t *testing.T) {
	r := start(t, authority.Options{})
	grant := authority.Grant{Client: "c", Resource: resource, Scope: "tools"}
	for _, token := range authority.Tokens() {
		text, ok := r.Forge(token.Name, grant)
		if !ok {
			continue
		}
		got := r.send(http.MethodPost, "/introspect", url.Values{"token": {text}}.Encode(), nil)
		active := strings.Contains(got.body, `"active":true`)
		if active != (token.Introspected || slices.Contains([]string{"refresh-token", "cached-expired"}, token.Name)) {
			t.Errorf("%s: %s", token.Name, got.body)
		}
	}
}
