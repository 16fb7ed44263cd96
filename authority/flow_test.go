package authority_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcptea/authority"
	"mcptea/internal/jose"
)

func TestFlow_TokensAndRefresh(t *testing.T) {
	r := start(t, authority.Options{Scopes: []string{"tools"}, Resource: resource})
	client := r.register()
	code := r.code(client)
	got := r.token(exchange(client, code), nil)
	if got.status != http.StatusOK || got.member("token_type") != "Bearer" || got.member("scope") != "tools" {
		t.Fatalf("token: %d %s", got.status, got.body)
	}
	var keys struct{ Keys []jose.JWK }
	if err := json.Unmarshal([]byte(r.send(http.MethodGet, r.JWKS(), "", nil).body), &keys); err != nil || len(keys.Keys) != 1 {
		t.Fatalf("%v, %d keys", err, len(keys.Keys))
	}
	key, err := keys.Keys[0].PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	token, err := jose.Parse(got.member("access_token"))
	if err != nil || token.Verify(key) != nil || token.Header.Type != "at+jwt" {
		t.Fatalf("the access token is not signed by the published key: %v", err)
	}
	var claims map[string]any
	if err := json.Unmarshal(token.Claims, &claims); err != nil || claims["aud"] != resource || claims["iss"] != r.Issuer() || claims["client_id"] != client {
		t.Errorf("claims %v, %v", claims, err)
	}
	refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {got.member("refresh_token")}, "resource": {resource}}
	again := r.token(refresh, nil)
	if again.status != http.StatusOK || again.member("refresh_token") == got.member("refresh_token") {
		t.Errorf("refresh: %d %s", again.status, again.body)
	}
	if s := r.Summary(); len(s.Findings) != 0 || s.Reached["token"] != 2 {
		t.Errorf("a right client has the findings %v", s.Findings)
	}
}

// A code or a refresh token that is used twice ends all tokens of the consent.
func TestRedeem_SecondUseRevokesFamily(t *testing.T) {
	for _, of := range []string{"code", "refresh"} {
		r := start(t, authority.Options{})
		client := r.register()
		code := r.code(client)
		form := exchange(client, code)
		first := r.token(form, nil)
		if of == "refresh" {
			form = url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {first.member("refresh_token")}, "resource": {resource}}
			first = r.token(form, nil)
		}
		second := r.token(form, nil)
		if first.status != http.StatusOK || second.status != http.StatusBadRequest || second.member("error") != "invalid_grant" {
			t.Errorf("%s: %d, then %d %s", of, first.status, second.status, second.body)
		}
		if got := r.send(http.MethodPost, "/introspect", url.Values{"token": {first.member("access_token")}}.Encode(), nil); !strings.Contains(got.body, `"active":false`) {
			t.Errorf("%s: the access token is still active: %s", of, got.body)
		}
		last := url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {first.member("refresh_token")}}
		if got := r.token(last, nil); got.status != http.StatusBadRequest {
			t.Errorf("%s: the refresh token of the family is still valid", of)
		}
	}
}

func TestRevoke_EndsRefreshToken(t *testing.T) {
	r := start(t, authority.Options{})
	client := r.register()
	got := r.token(exchange(client, r.code(client)), nil)
	if revoked := r.send(http.MethodPost, "/revoke", url.Values{"token": {got.member("refresh_token")}}.Encode(), nil); revoked.status != http.StatusOK {
		t.Errorf("revoke: %d", revoked.status)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {got.member("refresh_token")}}
	if again := r.token(form, nil); again.status != http.StatusBadRequest {
		t.Errorf("a revoked refresh token is accepted: %s", again.body)
	}
}

func TestToken_ExpiredCode(t *testing.T) {
	now := time.Now()
	r := start(t, authority.Options{Now: func() time.Time { return now }})
	client := r.register()
	code := r.code(client)
	now = now.Add(2 * time.Minute)
	if got := r.token(exchange(client, code), nil); got.status != http.StatusBadRequest {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The issuer may have a path; its metadata is at all places where clients look for it.
func TestMetadata_IssuerWithPath(t *testing.T) {
	r := start(t, authority.Options{})
	base := r.Issuer()
	r.ServeAs(base + "/tenant/one")
	for _, at := range []string{
		base + "/.well-known/oauth-authorization-server/tenant/one", base + "/.well-known/openid-configuration/tenant/one",
		base + "/tenant/one/.well-known/openid-configuration",
	} {
		got := r.send(http.MethodGet, at, "", nil)
		if got.status != http.StatusOK || got.member("issuer") != base+"/tenant/one" {
			t.Errorf("%s: %d %s", at, got.status, got.body)
		}
	}
	if got := r.send(http.MethodGet, base+"/.well-known/oauth-authorization-server", "", nil); got.status != http.StatusNotFound {
		t.Errorf("metadata of another issuer: %d", got.status)
	}
	client := r.register()
	if got := r.token(exchange(client, r.code(client)), nil); got.status != http.StatusOK {
		t.Errorf("token: %d %s", got.status, got.body)
	}
}

func TestToken_PrivateKeyJWT(t *testing.T) {
	r := start(t, authority.Options{})
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := jose.PublicJWK(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	public, err := json.Marshal(jwk)
	if err != nil {
		t.Fatal(err)
	}
	client := r.send(http.MethodPost, "/register", `{"grant_types":["client_credentials"],"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[`+string(public)+`]}}`, nil).member("client_id")
	assertion := func(change map[string]any) string {
		claims := map[string]any{"iss": client, "sub": client, "aud": r.Issuer(), "jti": jose.Random(), "exp": time.Now().Add(time.Minute).Unix()}
		for name, value := range change {
			claims[name] = value
		}
		text, err := jose.Sign(key, "ES256", map[string]any{}, claims)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	once := map[string]any{"jti": "once"}
	forged := map[string]any{"jti": "forged"}
	for _, c := range []struct {
		name   string
		change map[string]any
		status int
	}{
		{"right", nil, http.StatusOK},
		{"list of audiences", map[string]any{"aud": []string{"https://other.example", r.Issuer()}}, http.StatusOK},
		{"other audience", map[string]any{"aud": "https://other.example"}, http.StatusUnauthorized},
		{"other client", map[string]any{"iss": "other"}, http.StatusUnauthorized},
		{"expired", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}, http.StatusUnauthorized},
		{"no expiry", map[string]any{"exp": 0}, http.StatusUnauthorized},
		{"expiry with a fraction", map[string]any{"exp": float64(time.Now().Add(time.Minute).Unix()) + 0.5}, http.StatusOK},
		{"forged", forged, http.StatusUnauthorized},
		{"jti of the forged one", forged, http.StatusOK},
		{"first use", once, http.StatusOK},
		{"second use", once, http.StatusUnauthorized},
	} {
		text := assertion(c.change)
		if c.name == "forged" {
			text = text[:strings.LastIndexByte(text, '.')+1] + strings.Repeat("A", 86)
		}
		form := url.Values{
			"grant_type": {"client_credentials"}, "resource": {resource}, "client_assertion": {text},
			"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		}
		if got := r.token(form, nil); got.status != c.status {
			t.Errorf("%s: %d %s", c.name, got.status, got.body)
		}
	}
	if got := r.token(url.Values{"grant_type": {"client_credentials"}, "client_id": {client}}, nil); got.status != http.StatusUnauthorized {
		t.Errorf("without an assertion: %d", got.status)
	}
}

// protected starts a server that requires tokens of the authority.
func (r *rig) protected(needs ...string) string {
	var at string
	s := httptest.NewServer(r.Protect(func() string { return at }, needs, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	})))
	r.t.Cleanup(s.Close)
	at = s.URL + "/mcp"
	r.SetResource(at)
	return at
}

func TestProtect_Credentials(t *testing.T) {
	r := start(t, authority.Options{})
	at := r.protected("tools")
	right := authority.Grant{Client: "c", Resource: at, Scope: "tools"}
	other := authority.Grant{Client: "c", Resource: at + "/other", Scope: "tools"}
	revoked := r.Access(right)
	r.RevokeAccess(revoked)
	for _, c := range []struct {
		name, header string
		status       int
		says         string
	}{
		{"none", "", http.StatusUnauthorized, "resource_metadata="},
		{"right", "Bearer " + r.Access(right), http.StatusOK, ""},
		{"other scheme", "Basic " + r.Access(right), http.StatusUnauthorized, "resource_metadata="},
		{"unknown", "Bearer x", http.StatusUnauthorized, "invalid_token"},
		{"other resource", "Bearer " + r.Access(other), http.StatusUnauthorized, "invalid_token"},
		{"revoked", "Bearer " + revoked, http.StatusUnauthorized, "invalid_token"},
		{"scope", "Bearer " + r.Access(authority.Grant{Client: "c", Resource: at}), http.StatusForbidden, `insufficient_scope", scope="tools"`},
		{"unbound token as DPoP", "DPoP " + r.Access(right), http.StatusUnauthorized, "invalid_token"},
	} {
		got := r.send(http.MethodPost, at, "{}", func(req *http.Request) {
			if c.header != "" {
				req.Header.Set("Authorization", c.header)
			}
		})
		if got.status != c.status || !strings.Contains(got.header.Get("WWW-Authenticate"), c.says) {
			t.Errorf("%s: %d %s", c.name, got.status, got.header.Get("WWW-Authenticate"))
		}
	}
}
