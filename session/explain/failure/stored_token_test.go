//go:build unix

package failure_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// keeps is a store that outlives the program.
type keeps struct {
	oauth.Store
	err error // of Load
}

func (k keeps) Load(resource string) ([]oauth.StoredToken, error) {
	all, err := k.Store.Load(resource)
	return all, errors.Join(err, k.err)
}

// Without a terminal, the cause names the state of the token. "No token is stored" is reported only for an empty store.
func TestNoBrowser_SaysWhatIsStored(t *testing.T) {
	spoil := func(change func(*oauth.StoredToken)) func(t *testing.T, s *oauthtest.Server, store oauth.Store) {
		return func(t *testing.T, s *oauthtest.Server, store oauth.Store) {
			t.Helper()
			all, err := store.Load(s.URL())
			if err != nil || len(all) != 1 {
				t.Fatalf("%d tokens, %v", len(all), err)
			}
			change(&all[0])
			if err := store.Save(all[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	expired := func(st *oauth.StoredToken) { st.Token.Expires = time.Now().Add(-time.Hour) }
	invalidRequest := func(status int, answer map[string]any) int {
		if status != 200 {
			answer["error"], answer["error_description"] = "invalid_request", "refresh_token is invalid"
		}
		return status
	}
	for name, c := range map[string]struct {
		setup  oauthtest.Setup
		before func(t *testing.T, s *oauthtest.Server, store oauth.Store) // changes the state after a sign-in, or nil if no user signs in
		change func(*oauth.Config)
		want   []string
	}{
		"empty": {want: []string{"Consent needs a terminal, and no token is stored."}},
		"empty, of a parent": {
			setup: oauthtest.Setup{ResourceMetadata: func(d map[string]any) map[string]any {
				d["resource"] = strings.TrimSuffix(d["resource"].(string), "/mcp")
				return d
			}},
			want: []string{"Consent needs a terminal, and no token is stored. The metadata names the resource \"http://", ", and not this URL", "set resource in the metadata to this URL"},
		},
		"off":        {change: func(c *oauth.Config) { c.Store = nil }, want: []string{"no tokens are stored for later commands (--token-store off)"}},
		"unreadable": {change: func(c *oauth.Config) { c.Store = keeps{c.Store, errors.New("the keyring is locked")} }, want: []string{"the stored tokens cannot be read: the keyring is locked", "--token-store file"}},
		"another client": {
			setup: oauthtest.Setup{Clients: map[string]string{"me": ""}}, before: spoil(func(*oauth.StoredToken) {}),
			change: func(c *oauth.Config) { c.Client.ID = "me" }, want: []string{"the stored tokens for this URL are not used: they are of another client"},
		},
		"expired": {
			setup: oauthtest.Setup{NoRefresh: true}, before: spoil(expired),
			want: []string{"The stored token has expired, and http://", " has issued no refresh token with it.", "mcptea auth login http://"},
		},
		"revoked": {
			setup: oauthtest.Setup{NoRefresh: true}, before: func(_ *testing.T, s *oauthtest.Server, _ oauth.Store) { s.Revoke(true) },
			want: []string{"The server rejects the token (POST http://", "and no other was obtained", "The stored token was rejected by the server, and http://"},
		},
		"refresh refused": {
			before: func(_ *testing.T, s *oauthtest.Server, _ oauth.Store) { s.Revoke(true) },
			want: []string{
				"The stored token was rejected by the server, and it could not be refreshed: the token endpoint returned 400 invalid_grant: oauthtest does not like it.",
				"refresh              failed after ", ": the token endpoint returned 400 invalid_grant",
			},
		},
		"refresh refused with another code": {
			setup: oauthtest.Setup{Token: invalidRequest}, before: func(t *testing.T, s *oauthtest.Server, store oauth.Store) {
				t.Helper()
				s.Revoke(true)
				spoil(expired)(t, s, store)
			},
			want: []string{"The stored token has expired, and it could not be refreshed: the token endpoint returned 400 invalid_request: refresh_token is invalid."},
		},
		"refresh token of another issuer": {
			before: spoil(func(st *oauth.StoredToken) { expired(st); st.Issuer = "https://old.example" }),
			want:   []string{"The stored token has expired, and its refresh token is of https://old.example, which the server does not name as its authorization server."},
		},
		"more scopes": {
			setup: oauthtest.Setup{Scope: "mcp", AdminScope: "admin"}, before: spoil(func(*oauth.StoredToken) {}),
			want: []string{
				"The server requires a token with more scopes (POST http://", "returned 403 Forbidden), and none was obtained",
				"The token has the scopes mcp, and the request requires admin.", "--scope 'mcp admin'",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Start(c.setup)
			defer server.Close()
			store := keeps{Store: &oauth.Memory{}}
			if c.before != nil {
				var cfg session.Config
				agreeing(&cfg)
				cfg.Authorization.Store, cfg.Authorization.Scopes = store, strings.Fields(c.setup.Scope)
				if text, err := explained(t, server.URL(), "echo", cfg.Authorization); err != nil {
					t.Fatal(text)
				}
				c.before(t, server, store)
			}
			cfg := &oauth.Config{Store: store}
			if c.change != nil {
				c.change(cfg)
			}
			text, err := explained(t, server.URL(), "admin", cfg)
			if err == nil {
				t.Fatal("nothing has failed")
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing:\n%s", want, text)
				}
			}
			if strings.Contains(text, "no token is stored") != strings.HasPrefix(name, "empty") {
				t.Errorf("what is stored:\n%s", text)
			}
		})
	}
}

// explained connects and calls a tool that may need more scopes. It returns the text about a failure.
func explained(t *testing.T, url, tool string, auth *oauth.Config) (text string, failed error) {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{URL: url}, Authorization: auth, Record: "off", Client: client.Config{Name: "test", Version: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err = s.Connect(t.Context()); err == nil {
		_, err = s.Start("tools/call", []byte(`{"name":"`+tool+`"}`)).Wait(t.Context())
	}
	return failure.Explain(err, failure.FactsOf(s)).Text(), err
}
