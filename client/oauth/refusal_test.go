package oauth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/test/oauthtest"
)

func TestFlow_Refusals(t *testing.T) {
	set := func(name, value string) func(url.Values) {
		return func(q url.Values) { q.Set(name, value) }
	}
	for name, c := range map[string]struct {
		setup oauthtest.Setup
		kind  oauth.Kind
		says  string
		// fails reports that the flow fails also if lenient, since what it needs is
		// missing.
		fails bool
	}{
		"resource of another": {
			setup: oauthtest.Setup{ResourceMetadata: with("resource", "https://evil.example/mcp")},
			kind:  oauth.ResourceMismatch, says: `has the resource "https://evil.example/mcp", expected "http://127.0.0.1:`,
		},
		"resource of a longer name": {
			setup: oauthtest.Setup{ResourceMetadata: func(d map[string]any) map[string]any {
				d["resource"] = strings.TrimSuffix(d["resource"].(string), "cp")
				return d
			}},
			kind: oauth.ResourceMismatch, says: "/m\", expected",
		},
		"no resource": {
			setup: oauthtest.Setup{ResourceMetadata: without("resource")},
			kind:  oauth.ResourceMismatch, says: `has no "resource"`,
		},
		"issuer of another": {
			setup: oauthtest.Setup{ServerMetadata: with("issuer", "https://evil.example"), Callback: set("iss", "https://evil.example")},
			kind:  oauth.IssuerMismatch, says: `has the issuer "https://evil.example"`,
		},
		"issuer with a slash": {
			setup: oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
				d["issuer"] = d["issuer"].(string) + "/"
				return d
			}},
			kind: oauth.IssuerMismatch, says: "trailing slash",
		},
		"no PKCE": {
			setup: oauthtest.Setup{ServerMetadata: without("code_challenge_methods_supported")},
			kind:  oauth.NoPKCE, says: "does not announce PKCE",
		},
		"plain PKCE": {
			setup: oauthtest.Setup{ServerMetadata: with("code_challenge_methods_supported", []string{"plain"})},
			kind:  oauth.NoPKCE, says: `the PKCE methods "plain", but not S256`,
		},
		"response of another issuer": {
			setup: oauthtest.Setup{Callback: set("iss", "https://evil.example")},
			kind:  oauth.WrongIssuer, says: `has iss "https://evil.example"`,
		},
		"error of another issuer": {
			setup: oauthtest.Setup{Callback: func(q url.Values) {
				q.Del("code")
				q.Set("error", "access_denied")
				q.Set("iss", "https://evil.example")
			}},
			kind: oauth.WrongIssuer, says: "evil.example", fails: true,
		},
		"response without issuer": {
			setup: oauthtest.Setup{Callback: func(q url.Values) { q.Del("iss") }},
			kind:  oauth.MissingIssuer, says: "has no iss",
		},
		"metadata elsewhere": {
			setup: oauthtest.Setup{Challenge: func(string) string {
				return `Bearer resource_metadata="http://127.0.0.1:1/metadata"`
			}},
			kind: oauth.CrossOriginMetadata, says: "http://127.0.0.1:1",
		},
		"token endpoint without https": {
			setup: oauthtest.Setup{ServerMetadata: with("token_endpoint", "http://issuer.example/token")},
			kind:  oauth.InsecureURL, says: "the token_endpoint is http://issuer.example/token", fails: true,
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
			if c.fails {
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

// The flow itself compares the state, too: whatever comes, here a response to another
// request, and then nothing.
func TestConsent_StateCheckedIfLenient(t *testing.T) {
	var r *run
	r = begin(t, oauthtest.Setup{}, func(c *oauth.Config) {
		c.Lenient, c.ConsentTimeout = true, 200*time.Millisecond
		c.OpenBrowser = func(context.Context, oauth.Consent) error {
			r.a.Call(url.Values{"state": {"another"}, "code": {"theirs"}})
			return nil
		}
	})
	err := r.fails(ping)
	if !errors.Is(err, oauth.ErrConsentTimeout) || !errors.Is(err, transport.ErrSignInEnded) {
		t.Errorf("it failed with %v", err)
	}
	if !strings.Contains(r.told(), "a response with another state was ignored") {
		t.Errorf("told:\n%s", r.told())
	}
	if len(r.Seen("/token")) > 0 {
		t.Error("the token endpoint was asked all the same")
	}
}

func TestConsent_ErrorResponse(t *testing.T) {
	r := begin(t, oauthtest.Setup{Callback: func(q url.Values) {
		q.Del("code")
		q.Set("error", "access_denied")
		q.Set("error_description", "not today")
	}}, nil)
	var refused *oauth.ServerError
	if err := r.fails(ping); !errors.As(err, &refused) || refused.Code != "access_denied" || refused.Description != "not today" || !errors.Is(err, transport.ErrSignInEnded) {
		t.Errorf("it failed with %v", err)
	}
}

func TestFlow_NoMetadata(t *testing.T) {
	nothing := func(map[string]any) map[string]any { return nil }
	// The two servers have different origins here, so that there is nothing at
	// all where the older revision would have had everything.
	r := begin(t, oauthtest.Setup{ResourceMetadata: nothing, ServerMetadata: nothing}, func(c *oauth.Config) { c.RegisterUnannounced = true })
	var nowhere *oauth.NoMetadataError
	if err := r.fails(ping); !errors.As(err, &nowhere) || !strings.Contains(err.Error(), "the registration endpoint returned 404") {
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
	if !slices.ContainsFunc(r.steps, func(s oauth.Step) bool {
		return s.Name == oauth.StepServer && s.Absent && strings.HasPrefix(s.Detail, "not named; using http://")
	}) {
		t.Errorf("the default server counts as found:\n%s", r.told())
	}
}

// Metadata that require authorization are not missing: the error does not claim that there are none.
func TestFlow_MetadataRequireAuthorization(t *testing.T) {
	nothing := func(map[string]any) map[string]any { return nil }
	r := begin(t, oauthtest.Setup{ResourceMetadata: nothing, ServerMetadata: nothing, MetadataStatus: http.StatusUnauthorized}, nil)
	err := r.fails(ping)
	if err == nil || !strings.HasSuffix(err.Error(), "requires authorization, even for its OAuth metadata (401), so it is unknown how to obtain a token") {
		t.Errorf("it failed with %v", err)
	}
	for _, want := range []string{
		"resource metadata: unknown, since its URLs require authorization, too; ",
		"/.well-known/oauth-protected-resource/mcp: requires authorization (401)",
		"server metadata: not found; ",
	} {
		if !strings.Contains(r.told(), want) {
			t.Errorf("the steps lack %q:\n%s", want, r.told())
		}
	}
}

// A server that has not offered to register clients is not changed unasked: the error says what
// would be sent where.
func TestFlow_NoMetadataRegistersOnRequestOnly(t *testing.T) {
	nothing := func(map[string]any) map[string]any { return nil }
	r := begin(t, oauthtest.Setup{ResourceMetadata: nothing, ServerMetadata: nothing}, nil)
	var unannounced *oauth.UnannouncedError
	err := r.fails(ping)
	if !errors.As(err, &unannounced) || !strings.Contains(unannounced.Endpoint, "/register") || !strings.Contains(err.Error(), "no way to register a client was found; nothing was sent to the default endpoint "+unannounced.Endpoint) {
		t.Errorf("it failed with %v", err)
	}
	if len(r.Seen("/register")) > 0 {
		t.Error("a client was registered without a request of the user")
	}
}

// Metadata at a place that is not a URL is not requested, and the error says so.
func TestChallenge_MetadataWithoutPlace(t *testing.T) {
	for _, place := range []string{"http://[::1", "mailto:me@example.com", "http:///x", "%zz"} {
		r := begin(t, oauthtest.Setup{Challenge: func(string) string { return `Bearer resource_metadata="` + place + `"` }}, nil)
		if err := r.fails(ping); !strings.Contains(err.Error(), "the resource_metadata of the challenge is not a URL") {
			t.Errorf("%s: it failed with %v", place, err)
		}
		if seen := r.Seen(""); len(seen) != 1 {
			t.Errorf("%s: asked %v", place, seen)
		}
	}
}

// An authorization server that cannot be reached is explained by the error of the system.
func TestFlow_ServerNotReached(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	r := begin(t, oauthtest.Setup{ResourceMetadata: with("authorization_servers", []string{gone.URL})}, nil)
	if err := r.fails(ping); !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("it failed with %v", err)
	}
}

func TestScopeError_Words(t *testing.T) {
	for want, err := range map[string]error{
		"insufficient scope: it is the one that was granted":                    &oauth.ScopeError{Why: "it is the one that was granted"},
		`insufficient scope, "a b" is required: it is the one that was granted`: &oauth.ScopeError{Wanted: []string{"a", "b"}, Why: "it is the one that was granted"},
	} {
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Each step says what the specification requires of it, and where.
func TestRequirement_OfEachStep(t *testing.T) {
	for step, want := range map[string]string{
		oauth.StepChallenge: "WWW-Authenticate", oauth.StepLoad: "by issuer", oauth.StepResource: "RFC 9728 §3", oauth.StepServer: "RFC 9728 §7.6",
		oauth.StepMetadata: "RFC 8414 §3", oauth.StepClient: "RFC 7591 §3", oauth.StepConsent: "S256", oauth.StepIdentity: "RFC 8693 §2",
		oauth.StepToken: "code_verifier", oauth.StepRefresh: "refresh_token", oauth.StepStore: "0600",
	} {
		if text := oauth.Requirement(step); !strings.Contains(text, want) {
			t.Errorf("%s: %q", step, text)
		}
	}
}

func TestCheckURL_RemoteServerNamesLoopback(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, nil)
	elsewhere := connect(t, r.Server, func(c *oauth.Config) { c.Server = "https://mcp.example.com/mcp" })
	err := elsewhere.a.Refresh(t.Context(), transport.ResponseInfo{
		Status: http.StatusUnauthorized, URL: mustParse(t, "https://mcp.example.com/mcp"),
		Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + r.URL() + `"`}},
	}, elsewhere.wire)
	var refusal *oauth.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != oauth.InsecureURL || !strings.Contains(err.Error(), "on this machine, but the MCP server is not") {
		t.Errorf("it failed with %v", err)
	}
	if seen := r.Seen(""); len(seen) > 0 {
		t.Errorf("asked %v", seen)
	}
}

func TestServerError_SecretsRedacted(t *testing.T) {
	var code string
	r := begin(t, oauthtest.Setup{
		Callback: func(q url.Values) { code = q.Get("code") },
		Token: func(_ int, answer map[string]any) int {
			clear(answer)
			answer["error"], answer["error_description"] = "invalid_grant", "no such code: "+code
			return http.StatusBadRequest
		},
	}, nil)
	err := r.fails(ping)
	if code == "" || strings.Contains(err.Error(), code) || !strings.Contains(err.Error(), "no such code: ••••") {
		t.Errorf("it failed with %v", err)
	}
}

func TestFlow_ServerWithoutHTTPS(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, nil)
	far := connect(t, r.Server, func(c *oauth.Config) { c.Server = "http://mcp.example.com/mcp" })
	err := far.a.Refresh(t.Context(), transport.ResponseInfo{
		Status: http.StatusUnauthorized, URL: mustParse(t, "http://mcp.example.com/mcp"), Header: http.Header{},
	}, far.wire)
	var refusal *oauth.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != oauth.InsecureURL || refusal.Found != "http://mcp.example.com" {
		t.Errorf("it failed with %v", err)
	}
	if len(far.exchanges) > 0 {
		t.Errorf("asked %v", far.exchanges)
	}
}

func TestResource_Canonical(t *testing.T) {
	for raw, want := range map[string]string{
		"HTTPS://Me:pw@Host.Example/MCP?api_key=hush#x": "https://host.example/MCP",
		"http://127.0.0.1:80/":                          "http://127.0.0.1:80",
		"not a URL":                                     "",
	} {
		if got := oauth.Resource(raw); got != want {
			t.Errorf("%s is called %q", raw, got)
		}
	}
}

// TestConsent_UserNameInURL has an authorization endpoint that looks like one of another host: it
// is not opened, and no other endpoint of that kind is asked.
func TestConsent_UserNameInURL(t *testing.T) {
	for _, endpoint := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		r := begin(t, oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
			d[endpoint] = strings.Replace(d[endpoint].(string), "://", "://bank.example@", 1)
			return d
		}}, nil)
		err := r.fails(ping)
		if err == nil || !strings.Contains(err.Error(), "the "+endpoint+" is ") || !strings.Contains(err.Error(), "with a user name a URL looks like one of another host") {
			t.Errorf("%s: it failed with %v", endpoint, err)
		}
		path := map[string]string{"authorization_endpoint": "/authorize", "token_endpoint": "/token", "registration_endpoint": "/register"}[endpoint]
		if len(r.Seen(path)) > 0 {
			t.Errorf("%s was asked", path)
		}
	}
}
