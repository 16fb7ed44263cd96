package authority_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/authority"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/transporttest"
)

// A connection is mcptea as the client of a server that requires tokens of an authority.
type connection struct {
	transporttest.Discard
	*rig
	server string
	wire   *mcphttp.Client

	mu       sync.Mutex
	consents int
	steps    strings.Builder // names, details and remarks
	now      time.Time       // of the authority
}

// connect starts an authority with a wrong answer, and a client for a server that it protects.
func connect(t *testing.T, wrong string, change func(*oauth.Config), needs ...string) *connection {
	t.Helper()
	c := &connection{now: time.Now()}
	c.rig = start(t, authority.Options{Wrong: wrong, Scopes: []string{"tools", "files"}, Now: func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.now
	}})
	c.SetSlow(0)
	c.server = c.protected(needs...)
	c.wire = c.client(t, change)
	return c
}

// client returns a client with an authorization of its own.
func (c *connection) client(t *testing.T, change func(*oauth.Config)) *mcphttp.Client {
	t.Helper()
	cfg := oauth.Config{Server: c.server, Version: "1", Timeout: 30 * time.Second, ConsentTimeout: 30 * time.Second, Store: &oauth.Memory{}, OpenBrowser: c.browse, OnStep: c.step}
	if change != nil {
		change(&cfg)
	}
	a, err := oauth.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	wire := mcphttp.NewClient(mcphttp.TLS{}, "", func() error { return nil })
	wire.Receiver, wire.Authorization = c, a
	t.Cleanup(wire.CloseIdle)
	return wire
}

func (c *connection) Exchange(transport.Exchange) {}

func (c *connection) step(s oauth.Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(&c.steps, "%s %s: %s %q\n", s.State, s.Name, s.Detail, s.Remarks)
}

// browse opens the consent page as a user does who consents.
func (c *connection) browse(ctx context.Context, at oauth.Consent) error {
	c.mu.Lock()
	c.consents++
	c.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{}).Do(r) // follows the redirect to the client
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// call sends one request and returns its error, or one for a status that is not 200.
func (c *connection) call(t *testing.T, wire *mcphttp.Client) error {
	t.Helper()
	u, err := url.Parse(c.server)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := wire.Begin(u, "message", http.MethodPost, http.Header{"Content-Type": {"application/json"}}, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)).RoundTrip(t.Context())
	if err != nil {
		return err
	}
	_, err = ex.Read(mcphttp.HeadLimit)
	ex.Finish(err)
	if err == nil && ex.Report.Status != http.StatusOK {
		err = fmt.Errorf("status %d", ex.Report.Status)
	}
	return err
}

// later lets the access tokens expire.
func (c *connection) later(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *connection) told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps.String()
}

// short bounds the wait for a response that never counts.
func short(c *oauth.Config) { c.ConsentTimeout = 50 * time.Millisecond }

// An end is how mcptea must react to a wrong answer.
type end struct {
	fails    string // in the error of the first request, or "" if it succeeds
	says     string // in the steps
	again    bool   // a second request, after the expiry, succeeds too
	consents int
	reached  map[string]int // requests of the authority, where they matter
	change   func(*oauth.Config)
}

// ends maps the answers to the reaction of mcptea.
var ends = map[string]end{
	"metadata-issuer":         {fails: `has the issuer "https://issuer.example", expected`, reached: map[string]int{"register": 0}},
	"metadata-no-s256":        {fails: "does not announce PKCE with S256", reached: map[string]int{"register": 0}},
	"metadata-500":            {fails: "returned 500 Internal Server Error", reached: map[string]int{"register": 0}},
	"endpoint-http":           {fails: "the authorization_endpoint is http://issuer.example/authorize", reached: map[string]int{"register": 0}},
	"endpoint-script":         {fails: `the authorization_endpoint is "javascript:alert(1)", which a browser runs as code`, reached: map[string]int{"register": 0}},
	"register-400":            {fails: "the registration endpoint returned 400 invalid_redirect_uri", reached: map[string]int{"authorize": 0}},
	"register-no-id":          {fails: `has no "client_id"`, reached: map[string]int{"authorize": 0}},
	"register-redirect":       {consents: 1},
	"denied":                  {fails: "access_denied", consents: 1, reached: map[string]int{"token": 0}},
	"state-other":             {fails: "no consent in the browser", says: "", consents: 1, reached: map[string]int{"token": 0}, change: short},
	"state-missing":           {fails: "no consent in the browser", consents: 1, reached: map[string]int{"token": 0}, change: short},
	"iss-other":               {fails: `has iss "https://issuer.example"`, consents: 1, reached: map[string]int{"token": 0}},
	"iss-missing":             {fails: "has no iss", consents: 1, reached: map[string]int{"token": 0}},
	"token-500":               {fails: "the token endpoint returned 500 server_error", consents: 1, reached: map[string]int{"token": 1}},
	"token-slow":              {consents: 1, reached: map[string]int{"token": 1}},
	"token-html":              {fails: "the token endpoint returned text/html, a page, with status 200 instead of JSON", consents: 1, reached: map[string]int{"token": 1}},
	"token-no-type":           {fails: `the token type ""`, consents: 1, reached: map[string]int{"token": 1}},
	"token-type-mac":          {fails: `the token type "mac"`, consents: 1, reached: map[string]int{"token": 1}},
	"expires-text":            {says: `expires_in is the text \"3600\", not a number (RFC 6749 §5.1): it was read as 3600`, consents: 1},
	"scope-less":              {says: "token for tools", consents: 1},
	"no-refresh":              {again: true, consents: 2},
	"expires-at-once":         {again: true, consents: 1, reached: map[string]int{"token": 2}},
	"refresh-invalid-grant":   {again: true, consents: 2, reached: map[string]int{"token": 3, "register": 1}, says: "the token endpoint returned 400 invalid_grant"},
	"refresh-invalid-request": {again: true, consents: 2, reached: map[string]int{"token": 3, "register": 1}, says: "the token endpoint returned 400 invalid_request"},
	"refresh-invalid-client":  {again: true, consents: 2, reached: map[string]int{"token": 3, "register": 2}, says: "the token endpoint returned 401 invalid_client"},
	"refresh-same":            {again: true, consents: 1, reached: map[string]int{"token": 2}},
	"aud-ignored":             {fails: "the server rejects the token that", consents: 1, reached: map[string]int{"token": 1}},
	"pkce-unchecked":          {consents: 1},
	"":                        {again: true, consents: 1, reached: map[string]int{"token": 2, "register": 1}},
}

// mcptea reacts to each wrong answer as a right client does, and the authority has no finding about it.
func TestAnswers_Mcptea(t *testing.T) {
	all := []string{""}
	for _, w := range authority.Answers() {
		all = append(all, w.Name)
	}
	if len(all) != len(ends) {
		t.Errorf("%d answers, and the test has %d", len(all), len(ends))
	}
	for _, name := range all {
		t.Run(name, func(t *testing.T) {
			want, ok := ends[name]
			if !ok {
				t.Fatal("the test does not know this answer")
			}
			c := connect(t, name, want.change)
			err := c.call(t, c.wire)
			if (err == nil) != (want.fails == "") || err != nil && !strings.Contains(err.Error(), want.fails) {
				t.Fatalf("it ended with %v\n%s", err, c.told())
			}
			if want.again {
				c.later(2 * time.Hour)
				if err := c.call(t, c.wire); err != nil {
					t.Errorf("after the expiry: %v\n%s", err, c.told())
				}
			}
			if !strings.Contains(c.told(), want.says) || c.consents != want.consents {
				t.Errorf("%d consents; steps:\n%s", c.consents, c.told())
			}
			s := c.Summary()
			for endpoint, count := range want.reached {
				if s.Reached[endpoint] != count {
					t.Errorf("%d requests to %s, expected %d", s.Reached[endpoint], endpoint, count)
				}
			}
			for _, f := range s.Findings {
				t.Errorf("%s %s: %s", f.Level, f.Code, f.Text)
			}
		})
	}
}

// The rest of what mcptea does with a right authority: step-up, tokens that are bound to a key, client credentials.
func TestMcptea_StepUp(t *testing.T) {
	c := connect(t, "", func(c *oauth.Config) { c.Scopes = []string{"tools"} }, "admin")
	if err := c.call(t, c.wire); err != nil || c.consents != 2 {
		t.Errorf("%v, %d consents\n%s", err, c.consents, c.told())
	}
	for _, f := range c.Summary().Findings {
		if f.Level != "info" { // admin is not in scopes_supported
			t.Errorf("%s: %s", f.Code, f.Text)
		}
	}
}

func TestMcptea_DPoPWithNonce(t *testing.T) {
	c := &connection{now: time.Now()}
	c.rig = start(t, authority.Options{DPoP: true})
	c.server = c.protected()
	c.wire = c.client(t, nil)
	for range 2 {
		if err := c.call(t, c.wire); err != nil {
			t.Fatalf("%v\n%s", err, c.told())
		}
	}
	if !strings.Contains(c.told(), "DPoP token") || c.consents != 1 {
		t.Errorf("%d consents\n%s", c.consents, c.told())
	}
	for _, f := range c.Summary().Findings {
		t.Errorf("%s: %s", f.Code, f.Text)
	}
}

func TestMcptea_ClientCredentials(t *testing.T) {
	c := connect(t, "", nil)
	got := c.send(http.MethodPost, "/register", `{"grant_types":["client_credentials"]}`, nil)
	wire := c.client(t, func(cfg *oauth.Config) {
		cfg.Grant, cfg.Client = oauth.ClientCredentials{}, oauth.Client{ID: got.member("client_id"), Secret: got.member("client_secret")}
	})
	if err := c.call(t, wire); err != nil || c.consents != 0 {
		t.Errorf("%v, %d consents\n%s", err, c.consents, c.told())
	}
}

// The authority is the identity provider, too: an ID token of a consent is exchanged for an assertion, once.
func TestMcptea_Enterprise(t *testing.T) {
	c := &connection{now: time.Now()}
	c.rig = start(t, authority.Options{Clients: []authority.Client{{ID: "editor", Secret: "hidden"}}})
	c.server = c.protected()
	q := authorization("editor")
	q.Set("scope", "openid tools")
	form := exchange("editor", c.send(http.MethodGet, "/authorize?"+q.Encode(), "", nil).redirected().Get("code"))
	form.Set("client_secret", "hidden")
	idToken := c.token(form, nil).member("id_token")
	asked := 0
	wire := c.client(t, func(cfg *oauth.Config) {
		cfg.Client, cfg.Scopes = oauth.Client{ID: "editor", Secret: "hidden"}, []string{"tools"}
		cfg.Grant = oauth.Enterprise{TokenEndpoint: c.Issuer() + "/token", Client: cfg.Client, IDToken: func(context.Context) (string, error) {
			asked++
			return idToken, nil
		}}
	})
	if err := c.call(t, wire); err != nil || c.consents != 0 || asked != 1 {
		t.Errorf("%v, %d consents, %d ID tokens\n%s", err, c.consents, asked, c.told())
	}
	jag := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"}, "subject_token": {idToken}, "audience": {c.Issuer()}, "resource": {c.server},
		"client_id": {"editor"}, "client_secret": {"hidden"}, "scope": {"tools"},
	}
	assertion := c.token(jag, nil).member("access_token")
	grant := func(assertion string) url.Values {
		return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}, "client_id": {"editor"}, "client_secret": {"hidden"}}
	}
	for _, step := range []struct {
		name   string
		form   url.Values
		status int
	}{
		{"first use", grant(assertion), http.StatusOK},
		{"second use", grant(assertion), http.StatusBadRequest},
		{"ID token as assertion", grant(idToken), http.StatusBadRequest},
		{"forged", grant("e30.e30.AA"), http.StatusBadRequest},
	} {
		if got := c.token(step.form, nil); got.status != step.status {
			t.Errorf("%s: %d %s", step.name, got.status, got.body)
		}
	}
	access, _ := c.Forge("aud-other", authority.Grant{Client: "editor", Resource: c.server})
	for name, token := range map[string]string{"access token": access, "none": ""} {
		jag.Set("subject_token", token)
		if got := c.token(jag, nil); got.status != http.StatusBadRequest {
			t.Errorf("exchange of %s: %d", name, got.status)
		}
	}
}
