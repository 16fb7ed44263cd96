package oauth_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
)

// The identity provider gets the ID token for an assertion for the authorization server (RFC 8693
// §2.1), and that server the assertion alone, once.
func TestEnterprise_ExchangesTheIDToken(t *testing.T) {
	var exchanged, redeemed []url.Values
	servers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_ = req.ParseForm()
		w.Header().Set("Content-Type", "application/json")
		if req.URL.Path == "/idp" {
			exchanged = append(exchanged, req.PostForm)
			_, _ = io.WriteString(w, `{"access_token":"the-assertion","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}`)
			return
		}
		redeemed = append(redeemed, req.PostForm)
		_, _ = io.WriteString(w, `{"access_token":"t","token_type":"mac"}`)
	}))
	defer servers.Close()
	r := begin(t, oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
		d["token_endpoint"] = servers.URL + "/token"
		return d
	}}, func(c *oauth.Config) {
		c.Client, c.OpenBrowser = oauth.Client{ID: "client-of-the-server", Secret: "s"}, nil
		c.Grant = oauth.Enterprise{
			IDToken:       func(context.Context) (string, error) { return "the-id-token", nil },
			TokenEndpoint: servers.URL + "/idp", Client: oauth.Client{ID: "client-of-the-provider", Secret: "secret-of-the-provider"},
		}
	})
	if err := r.fails(ping); err == nil || !strings.Contains(err.Error(), `the token endpoint returned the token type "mac", which mcptea does not support`) {
		t.Errorf("a token of a type that is unknown: %v", err)
	}
	if len(exchanged) != 1 || len(redeemed) != 1 {
		t.Fatalf("the identity provider got %d requests, the authorization server %d", len(exchanged), len(redeemed))
	}
	for name, want := range map[string]string{
		"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
		"subject_token": "the-id-token", "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
		"audience": r.Issuer(), "resource": r.URL(), "client_id": "client-of-the-provider", "client_secret": "secret-of-the-provider",
	} {
		if got := exchanged[0].Get(name); got != want {
			t.Errorf("the identity provider got %s %q, want %q", name, got, want)
		}
	}
	if got := redeemed[0]; got.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || got.Get("assertion") != "the-assertion" || strings.Contains(got.Encode(), "provider") {
		t.Errorf("the authorization server got %v", got)
	}
	if !slices.ContainsFunc(r.steps, func(s oauth.Step) bool { return s.Detail == "assertion for "+r.Issuer() }) {
		t.Errorf("no step says for what the assertion is: %+v", r.steps)
	}
}
