package oauth_test

import (
	"errors"
	"reflect"
	"testing"

	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
)

// lasting is a store that outlives the program; loading fails with err.
type lasting struct {
	oauth.Store
	err error
}

func (s lasting) Load(resource string) ([]oauth.StoredToken, error) {
	all, err := s.Store.Load(resource)
	return all, errors.Join(err, s.err)
}

// The error of a flow without a browser contains the stored data, the outcome, and the requirements of the
// server.
func TestFactsOf_WithoutBrowser(t *testing.T) {
	refuse := func(answer map[string]any, code, description string) int {
		clear(answer)
		answer["error"], answer["error_description"] = code, description
		return 400
	}
	const admin = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"admin"}}`
	for name, c := range map[string]struct {
		setup  oauthtest.Setup
		before func(t *testing.T, r *run, kept oauth.Store) // a session in which the user has signed in; nil without one
		change func(*oauth.Config)
		body   string
		want   oauth.Facts
		answer string // of the token endpoint
	}{
		"nothing stored": {want: oauth.Facts{Stored: oauth.StoreEmpty}},
		"no store":       {change: func(c *oauth.Config) { c.Store = nil }, want: oauth.Facts{Stored: oauth.StoreOff}},
		"in memory":      {change: func(c *oauth.Config) { c.Store = &oauth.Memory{} }, want: oauth.Facts{Stored: oauth.StoreOff}},
		"unreadable":     {change: func(c *oauth.Config) { c.Store = lasting{c.Store, errors.New("keyring is locked")} }, want: oauth.Facts{Stored: oauth.StoreUnreadable}},
		"of another client": {
			setup: oauthtest.Setup{Clients: map[string]string{"me": ""}}, before: func(*testing.T, *run, oauth.Store) {},
			change: func(c *oauth.Config) { c.Client.ID = "me" }, want: oauth.Facts{Stored: oauth.StoreUnused},
		},
		"expired": {
			setup:  oauthtest.Setup{NoRefresh: true},
			before: func(t *testing.T, r *run, kept oauth.Store) { expire(t, kept, r.URL()) },
			want:   oauth.Facts{Stored: oauth.StoreHasToken, Token: oauth.TokenFacts{Expired: true}, Refresh: oauth.NoRefreshToken},
		},
		"revoked": {
			setup:  oauthtest.Setup{NoRefresh: true},
			before: func(_ *testing.T, r *run, _ oauth.Store) { r.Revoke(true) },
			want:   oauth.Facts{Stored: oauth.StoreHasToken, Token: oauth.TokenFacts{Sent: true}, Refresh: oauth.NoRefreshToken},
		},
		"refresh refused": {
			before: func(t *testing.T, r *run, kept oauth.Store) { r.Revoke(true); expire(t, kept, r.URL()) },
			want:   oauth.Facts{Stored: oauth.StoreHasToken, Token: oauth.TokenFacts{Expired: true, Refreshable: true}, Refresh: oauth.RefreshFailed},
			answer: "the token endpoint returned 400 invalid_grant: oauthtest does not like it",
		},
		"refresh refused in another way": {
			setup: oauthtest.Setup{Token: func(status int, answer map[string]any) int {
				if status != 200 {
					return refuse(answer, "invalid_request", "refresh_token is invalid")
				}
				return status
			}},
			before: func(t *testing.T, r *run, kept oauth.Store) { r.Revoke(true); expire(t, kept, r.URL()) },
			want:   oauth.Facts{Stored: oauth.StoreHasToken, Token: oauth.TokenFacts{Expired: true, Refreshable: true}, Refresh: oauth.RefreshFailed},
			answer: "the token endpoint returned 400 invalid_request: refresh_token is invalid",
		},
		"scopes": {
			setup: oauthtest.Setup{Scope: "mcp", AdminScope: "admin"}, before: func(*testing.T, *run, oauth.Store) {}, body: admin,
			want: oauth.Facts{
				Stored: oauth.StoreHasToken, Token: oauth.TokenFacts{Sent: true, Refreshable: true, Scopes: []string{"mcp"}},
				Challenge: oauth.ChallengeFacts{StepUp: true, Code: "insufficient_scope", Scopes: []string{"admin"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			memory := &oauth.Memory{}
			kept := lasting{Store: memory}
			keep := func(c *oauth.Config) { c.Store = kept }
			r := begin(t, c.setup, keep)
			if c.before != nil {
				r.ok(ping)
				c.before(t, r, kept)
			}
			later := connect(t, r.Server, func(cfg *oauth.Config) {
				if keep(cfg); c.change != nil {
					c.change(cfg)
				}
				cfg.OpenBrowser = nil
			})
			body := ping
			if c.body != "" {
				body = c.body
			}
			err := later.fails(body)
			got, ok := oauth.FactsOf(err)
			var none *oauth.NoBrowserError
			if !ok || !errors.As(err, &none) {
				t.Fatalf("facts %t: %v\n%s", ok, err, later.told())
			}
			if known := later.a.Facts(); !reflect.DeepEqual(known, got) {
				t.Errorf("the authorizer has %+v, the error %+v", known, got)
			}
			if answer := ""; got.RefreshErr != nil || c.answer != "" {
				if got.RefreshErr != nil {
					answer = got.RefreshErr.Error()
				}
				if answer != c.answer {
					t.Errorf("the refresh failed with %q, want %q", answer, c.answer)
				}
			}
			if (got.StoreErr != nil) != (c.want.Stored == oauth.StoreUnreadable) {
				t.Errorf("error of the store: %v", got.StoreErr)
			}
			if c.before != nil && c.want.Stored == oauth.StoreHasToken {
				c.want.Token.Present, c.want.Token.Registered, c.want.Token.Issuer = true, true, r.Issuer()
				if got.Token.ClientID == "" {
					t.Error("no client")
				}
			}
			got.Token.ClientID, got.RefreshErr, got.StoreErr = "", nil, nil
			if c.setup.Scope == "" {
				got.Token.Scopes = nil
			}
			if !reflect.DeepEqual(got, c.want) && c.want.Challenge.StepUp || got.Stored != c.want.Stored || !reflect.DeepEqual(got.Token, c.want.Token) || got.Refresh != c.want.Refresh {
				t.Errorf("got  %+v\nwant %+v\n%s", got, c.want, later.told())
			}
		})
	}
}

// Between two flows of one connection another process stores a token: it is used.
func TestStore_TokenStoredSinceTheFlowFailed(t *testing.T) {
	kept := lasting{Store: &oauth.Memory{}}
	first := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.Store, c.OpenBrowser = kept, nil })
	if facts, _ := oauth.FactsOf(first.fails(ping)); facts.Stored != oauth.StoreEmpty {
		t.Errorf("the store has %d", facts.Stored)
	}
	connect(t, first.Server, func(c *oauth.Config) { c.Store = kept }).ok(ping)
	first.ok(ping)
}
