//go:build unix

package failure_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
	"mcptea/session/session"
)

// protected is a server that requires a token, with its authorization server.
func protected(setup oauthtest.Setup) func(*testing.T) (client.Target, func()) {
	return stays(func(t *testing.T) client.Target {
		s := oauthtest.Start(setup)
		t.Cleanup(s.Close)
		t.Cleanup(http.DefaultClient.CloseIdleConnections)
		return client.Target{URL: s.URL()}
	})
}

// agreeing is a user who agrees in the browser.
func agreeing(cfg *session.Config) {
	cfg.Authorization = &oauth.Config{OpenBrowser: func(_ context.Context, at oauth.Consent) error {
		resp, err := http.Get(at.URL) //nolint:noctx // it is the browser of a test
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}}
}

// remediedTokens are the remedies of an authorization that failed.
func remediedTokens() []remedied {
	without := func(name string) func(map[string]any) map[string]any {
		return func(document map[string]any) map[string]any { delete(document, name); return document }
	}
	failsOnce := func(code string) func(q url.Values) {
		first := true
		return func(q url.Values) {
			if first {
				q.Del("code")
				q.Set("error", code)
			}
			first = false
		}
	}
	mine := map[string]string{"mine": ""}
	registers := func(status int, body string) func(*testing.T) (client.Target, func()) {
		return func(t *testing.T) (client.Target, func()) {
			refusing := serves(replies(status, "application/json", body))(t).URL
			return protected(oauthtest.Setup{Clients: mine, ServerMetadata: func(document map[string]any) map[string]any {
				document["registration_endpoint"] = refusing
				return document
			}})(t)
		}
	}
	return []remedied{
		{ids: []string{"token-refusal"}, change: agreeing, target: protected(oauthtest.Setup{ServerMetadata: without("code_challenge_methods_supported")})},
		{ids: []string{"token-client"}, change: agreeing, typed: "mine", target: protected(oauthtest.Setup{Clients: mine, ServerMetadata: without("registration_endpoint")})},
		{ids: []string{"registration-none"}, change: agreeing, typed: "mine", target: registers(404, "")},
		{ids: []string{"registration-refused"}, change: agreeing, typed: "mine", target: registers(401, `{"message":"Unauthorized"}`)},
		{ids: []string{"registration-form"}, change: agreeing, typed: "mine", target: registers(400, `{"message":"no"}`)},
		{ids: []string{"invalid_redirect_uri"}, change: agreeing, typed: "mine", target: registers(400, `{"error":"invalid_client_metadata"}`)},
		{ids: []string{"invalid_scope"}, change: agreeing, typed: "mcp", target: protected(oauthtest.Setup{Scope: "mcp", Callback: failsOnce("invalid_scope")})},
		{ids: []string{"invalid_client"}, change: agreeing, typed: "mine", target: protected(oauthtest.Setup{Clients: mine, Callback: failsOnce("unauthorized_client")})},
		{ids: []string{"token-scope"}, change: agreeing, typed: "mcp admin", target: protected(oauthtest.Setup{Scope: "mcp", Grant: func() func([]string) []string {
			first := true
			return func(scopes []string) []string {
				if first {
					first = false
					return nil
				}
				return scopes
			}
		}()})},
		{ids: []string{"token-consent"}, change: func(cfg *session.Config) {
			agreeing(cfg)
			opens, first := cfg.Authorization.OpenBrowser, true
			cfg.Authorization.ConsentTimeout = time.Second
			cfg.Authorization.OpenBrowser = func(ctx context.Context, at oauth.Consent) error {
				if first {
					first = false
					return nil
				}
				return opens(ctx, at)
			}
		}, target: protected(oauthtest.Setup{})},
		{ids: []string{"token-cancelled"}, change: func(cfg *session.Config) {
			agreeing(cfg)
			opens, first := cfg.Authorization.OpenBrowser, true
			cfg.Authorization.OpenBrowser = func(ctx context.Context, at oauth.Consent) error {
				if first {
					first = false
					return oauth.ErrCancelled
				}
				return opens(ctx, at)
			}
		}, target: protected(oauthtest.Setup{})},
		{ids: []string{"token-resource"}, change: agreeing, target: func(t *testing.T) (client.Target, func()) {
			var named string
			s := oauthtest.Start(oauthtest.Setup{Challenge: func(string) string { return "Bearer" }, ResourceMetadata: func(document map[string]any) map[string]any {
				document["resource"] = named
				return document
			}})
			t.Cleanup(s.Close)
			t.Cleanup(http.DefaultClient.CloseIdleConnections)
			named = s.URL()
			to, err := url.Parse(s.URL())
			if err != nil {
				t.Fatal(err)
			}
			gateway := httptest.NewServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: to.Scheme, Host: to.Host}))
			t.Cleanup(gateway.Close)
			return client.Target{URL: gateway.URL + to.Path}, func() {}
		}},
		{ids: []string{"token-store-off"}, change: func(cfg *session.Config) { cfg.Authorization = &oauth.Config{} }, told: giveToken, target: guarded(true)},
		{ids: []string{"token-none-stored"}, change: func(cfg *session.Config) {
			cfg.Authorization = &oauth.Config{Store: struct{ oauth.Store }{&oauth.Memory{}}}
		}, told: giveToken, target: guarded(true)},
		{ids: []string{"token-no-metadata"}, change: func(cfg *session.Config) { cfg.Authorization = &oauth.Config{RegisterUnannounced: true} }, told: giveToken, target: guarded(false)},
		{ids: []string{"token-unannounced"}, change: agreeing, told: giveToken, target: guarded(false)},
		{ids: []string{"token-basic"}, change: agreeing, typed: "Basic bWU6eA==", target: stays(withHeader("Authorization", "Basic bWU6eA==", replies(401, "text/plain", "", "WWW-Authenticate", `Basic realm="x"`)))},
	}
}

// guarded is a server that takes the token of the tests, and says where to get one if it has metadata.
func guarded(metadata bool) func(*testing.T) (client.Target, func()) {
	return stays(withHeader("Authorization", "Bearer t0k", func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/mcp" && metadata:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+base+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/mcp":
			w.WriteHeader(http.StatusUnauthorized)
		case metadata && strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
			fmt.Fprintf(w, `{"resource":"%[1]s/mcp","authorization_servers":["%[1]s"]}`, base)
		case metadata && strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server"):
			fmt.Fprintf(w, `{"issuer":"%[1]s","authorization_endpoint":"%[1]s/authorize","token_endpoint":"%[1]s/token","registration_endpoint":"%[1]s/register","code_challenge_methods_supported":["S256"]}`, base)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
}
