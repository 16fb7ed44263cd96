package oauth_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"mcptea/client/oauth"
	"mcptea/client/oauth/oauthtest"
)

func TestRefusals(t *testing.T) {
	set := func(name, value string) func(url.Values) {
		return func(q url.Values) { q.Set(name, value) }
	}
	for name, c := range map[string]struct {
		setup oauthtest.Setup
		kind  oauth.Kind
		says  string
		// deaf says that even leniency ends in a failure: what is at fault is
		// not there.
		deaf bool
	}{
		"resource of another": {
			setup: oauthtest.Setup{ResourceMetadata: with("resource", "https://evil.example/mcp")},
			kind:  oauth.ResourceMismatch, says: `is about the resource "https://evil.example/mcp", and this server is "http://127.0.0.1:`,
		},
		"resource of a longer name": {
			setup: oauthtest.Setup{ResourceMetadata: func(d map[string]any) map[string]any {
				d["resource"] = strings.TrimSuffix(d["resource"].(string), "cp")
				return d
			}},
			kind: oauth.ResourceMismatch, says: "/m\", and this server is",
		},
		"no resource": {
			setup: oauthtest.Setup{ResourceMetadata: without("resource")},
			kind:  oauth.ResourceMismatch, says: `has no "resource"`,
		},
		"issuer of another": {
			setup: oauthtest.Setup{ServerMetadata: with("issuer", "https://evil.example"), Callback: set("iss", "https://evil.example")},
			kind:  oauth.IssuerMismatch, says: `its issuer is "https://evil.example"`,
		},
		"issuer with a slash": {
			setup: oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
				d["issuer"] = d["issuer"].(string) + "/"
				return d
			}},
			kind: oauth.IssuerMismatch, says: "the slash at the end",
		},
		"no PKCE": {
			setup: oauthtest.Setup{ServerMetadata: without("code_challenge_methods_supported")},
			kind:  oauth.NoPKCE, says: "does not announce PKCE",
		},
		"plain PKCE": {
			setup: oauthtest.Setup{ServerMetadata: with("code_challenge_methods_supported", []string{"plain"})},
			kind:  oauth.NoPKCE, says: `"plain", and S256 is not among them`,
		},
		"answer of another": {
			setup: oauthtest.Setup{Callback: set("iss", "https://evil.example")},
			kind:  oauth.WrongIssuer, says: `comes from the issuer "https://evil.example"`,
		},
		"error of another": {
			setup: oauthtest.Setup{Callback: func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("iss", "https://evil.example")
			}},
			kind: oauth.WrongIssuer, says: "evil.example", deaf: true,
		},
		"answer of nobody": {
			setup: oauthtest.Setup{Callback: func(q url.Values) { q.Del("iss") }},
			kind:  oauth.MissingIssuer, says: "names no issuer",
		},
		"metadata elsewhere": {
			setup: oauthtest.Setup{Challenge: func(string) string {
				return `Bearer resource_metadata="http://127.0.0.1:1/metadata"`
			}},
			kind: oauth.ForeignMetadata, says: "http://127.0.0.1:1",
		},
		"token endpoint without https": {
			setup: oauthtest.Setup{ServerMetadata: with("token_endpoint", "http://issuer.example/token")},
			kind:  oauth.Insecure, says: "the token_endpoint is http://issuer.example/token", deaf: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, c.setup, nil)
			err := r.fails(ping)
			var refusal *oauth.Refusal
			if !errors.As(err, &refusal) || refusal.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("it failed with %v", err)
			}
			if len(r.Seen("/token")) > 0 {
				t.Error("the token endpoint was asked all the same")
			}
			if !strings.Contains(r.told(), "failed") {
				t.Errorf("no step failed:\n%s", r.told())
			}
			lenient := connect(t, r.Server, func(c *oauth.Config) { c.Lenient = true })
			if c.deaf {
				if err := lenient.fails(ping); errors.As(err, &refusal) {
					t.Errorf("it was refused all the same: %v", err)
				}
			} else {
				lenient.ok(ping)
			}
			if told := lenient.told(); !strings.Contains(told, "continued because of --lenient") {
				t.Errorf("nothing is said of it:\n%s", told)
			}
		})
	}
}

func TestStateIsNoMatterOfLeniency(t *testing.T) {
	r := begin(t, oauthtest.Setup{Callback: func(q url.Values) { q.Set("state", "another") }},
		func(c *oauth.Config) { c.Lenient = true })
	if err := r.fails(ping); !strings.Contains(err.Error(), "another state") {
		t.Errorf("it failed with %v", err)
	}
	if len(r.Seen("/token")) > 0 {
		t.Error("the token endpoint was asked all the same")
	}
}

func TestServerSaysNo(t *testing.T) {
	r := begin(t, oauthtest.Setup{Callback: func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", "not today")
	}}, nil)
	var refused *oauth.ServerError
	if err := r.fails(ping); !errors.As(err, &refused) || refused.Code != "access_denied" || refused.Description != "not today" {
		t.Errorf("it failed with %v", err)
	}
}

func TestServersOfEarlierRevisions(t *testing.T) {
	nothing := func(map[string]any) map[string]any { return nil }
	// The two servers have different origins here, so that there is nothing at
	// all where the older revision would have had everything.
	r := begin(t, oauthtest.Setup{ResourceMetadata: nothing, ServerMetadata: nothing}, nil)
	var nowhere *oauth.UnannouncedError
	if err := r.fails(ping); !errors.As(err, &nowhere) || !strings.Contains(err.Error(), "the registration endpoint answered 404") {
		t.Errorf("it failed with %v", err)
	}
	var paths []string
	for _, s := range r.Seen("") {
		paths = append(paths, s.Path)
	}
	want := "/mcp /.well-known/oauth-protected-resource/mcp /.well-known/oauth-protected-resource " +
		"/.well-known/oauth-authorization-server /.well-known/openid-configuration /register"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("asked %s", got)
	}
}
