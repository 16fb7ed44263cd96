package oauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/test/oauthtest"
)

func TestAuthorizationCode_Token(t *testing.T) {
	r := begin(t, oauthtest.Setup{Scope: "mcp"}, nil)
	r.ok(ping)
	r.ok(ping)
	if r.agreed() != 1 {
		t.Errorf("%d requests for consent", r.agreed())
	}
	q := r.Seen("/authorize")[0].Form
	if q.Get("scope") != "mcp" || q.Get("resource") != r.URL() {
		t.Errorf("asked for %v", q)
	}
	told := r.told()
	for _, want := range []string{
		"1 done challenge: 401 Unauthorized to ping, Bearer",
		"1 done resource metadata: " + "http://",
		"1 done authorization server: " + r.Issuer(),
		"1 done client id: client-",
		"1 done consent: consent given",
		"1 done token: Bearer token for mcp, expires in 1h00m",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("no step says %q:\n%s", want, told)
		}
	}
}

// A resource that covers the URL is used, and the step says that other clients compare the two.
func TestAuthorizationCode_ResourceOfTheOrigin(t *testing.T) {
	const remark = "not the URL of the server"
	for name, setup := range map[string]oauthtest.Setup{
		"the URL": {},
		"the origin": {ResourceMetadata: func(d map[string]any) map[string]any {
			d["resource"] = strings.TrimSuffix(d["resource"].(string), "mcp")
			return d
		}},
	} {
		r := begin(t, setup, nil)
		r.ok(ping)
		if told := r.told(); strings.Contains(told, remark) != (name == "the origin") {
			t.Errorf("%s:\n%s", name, told)
		}
	}
}

func TestReports_NoSecrets(t *testing.T) {
	r := begin(t, oauthtest.Setup{Clients: map[string]string{"me": "hunter2-secret"}}, func(c *oauth.Config) {
		c.Client = oauth.Client{ID: "me", Secret: "hunter2-secret"}
	})
	r.ok(ping)
	r.Revoke(false)
	r.ok(ping) // by the refresh token
	secrets := []string{"hunter2", "access-", "refresh-", "code-"}
	for _, s := range r.Seen("/token") {
		secrets = append(secrets, s.Form.Get("code_verifier"), strings.TrimPrefix(s.Authorization, "Basic "))
	}
	var text strings.Builder
	purposes := 0
	for _, x := range r.exchanges {
		for _, part := range []any{x.URL, x.RequestHeader, x.ResponseHeader, string(x.RequestBody), string(x.ResponseBody)} {
			if s, ok := part.(string); ok {
				text.WriteString(s + "\n")
			} else {
				for name, values := range part.(http.Header) {
					text.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
				}
			}
		}
		if x.Purpose == transport.PurposeAuthorization {
			purposes++
		}
	}
	text.WriteString(r.told())
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text.String(), secret) {
			t.Errorf("%q was reported:\n%s", secret, text.String())
		}
	}
	if purposes != 6 || !strings.Contains(text.String(), "grant_type=authorization_code") || !strings.Contains(text.String(), `"token_endpoint"`) {
		t.Errorf("%d exchanges of authorization were reported:\n%s", purposes, text.String())
	}
}

func TestRefresh_ConcurrentRequestsShareFlow(t *testing.T) {
	waiting := make(chan struct{})
	r := begin(t, oauthtest.Setup{}, nil)
	agree := r.agree
	r = connect(t, r.Server, func(c *oauth.Config) {
		c.OpenBrowser = func(ctx context.Context, at oauth.Consent) error {
			<-waiting
			return agree(ctx, at)
		}
	})
	const many = 8
	errs := make(chan error, many)
	for range many {
		go func() {
			_, err := r.post(t.Context(), ping)
			errs <- err
		}()
	}
	for len(r.Seen("/mcp")) < many { // all are rejected before the consent
		runtime.Gosched()
	}
	close(waiting)
	for range many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := len(r.Seen("/token")); n != 1 {
		t.Errorf("%d tokens were fetched", n)
	}
}

func TestRefresh_ExpiredToken(t *testing.T) {
	r := begin(t, oauthtest.Setup{Scope: "mcp"}, nil)
	r.ok(ping)
	r.Revoke(false)
	r.ok(ping)
	if r.agreed() != 1 || !strings.Contains(r.told(), "2 done refresh: Bearer token for mcp") {
		t.Errorf("%d requests for consent:\n%s", r.agreed(), r.told())
	}
	r.Revoke(true)
	r.ok(ping)
	if told := r.told(); r.agreed() != 2 || !strings.Contains(told, "3 failed refresh: the token endpoint returned 400 invalid_grant") {
		t.Errorf("%d requests for consent:\n%s", r.agreed(), told)
	}
}

func TestStepUp_KeepsScopes(t *testing.T) {
	r := begin(t, oauthtest.Setup{Scope: "mcp", AdminScope: "mcp:admin"}, nil)
	r.ok(ping)
	r.ok(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"admin"}}`)
	if q := r.Seen("/authorize")[1].Form; q.Get("scope") != "mcp mcp:admin" {
		t.Errorf("the second time it asked for %q", q.Get("scope"))
	}
	if told := r.told(); !strings.Contains(told, "2 done challenge: 403 Forbidden to tools/call admin, ") {
		t.Errorf("it does not say what was refused:\n%s", told)
	}
}

func TestStepUp_Maximum(t *testing.T) {
	r := begin(t, oauthtest.Setup{Scope: "mcp", AdminScope: "more", Grant: func([]string) []string {
		return []string{"mcp"} // whatever was asked for
	}}, nil)
	r.ok(ping)
	admin := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"admin"}}`
	var scope *oauth.ScopeError
	if err := r.fails(admin); !errors.As(err, &scope) || scope.Wanted[0] != "more" {
		t.Errorf("it failed with %v", err)
	}
	if r.agreed() != 2 {
		t.Errorf("%d requests for consent", r.agreed())
	}
}

func TestRefresh_NewTokenRejected(t *testing.T) {
	r := begin(t, oauthtest.Setup{Token: func(status int, answer map[string]any) int {
		answer["access_token"] = "of-no-use"
		return status
	}}, nil)
	var rejected *oauth.TokenRejectedError
	var status *transport.StatusError
	err := r.fails(ping)
	if !errors.As(err, &rejected) || !errors.As(err, &status) || status.Status != http.StatusUnauthorized {
		t.Errorf("it failed with %v", err)
	}
	if r.agreed() != 1 {
		t.Errorf("%d requests for consent", r.agreed())
	}
}

func TestAuthorize_UserCredentials(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, nil)
	u, err := url.Parse(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"authorization": {"Bearer mine"}}
	ex, err := r.wire.Begin(u, "message", http.MethodPost, h, []byte(ping)).RoundTrip(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ex.Finish(nil)
	if ex.Report.Status != http.StatusUnauthorized || len(r.told()) > 0 {
		t.Errorf("status %d, steps:\n%s", ex.Report.Status, r.told())
	}
}

func TestAuthorize_OtherOrigin(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, nil)
	r.ok(ping)
	for _, other := range []string{r.Issuer(), strings.Replace(r.URL(), "http://", "https://", 1), "http://elsewhere.example/mcp"} {
		u, err := url.Parse(other)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		if r.a.Authorize(http.MethodPost, u, h); len(h) > 0 {
			t.Errorf("%s would get %v", other, h)
		}
	}
}

func TestClientCredentials(t *testing.T) {
	r := begin(t, oauthtest.Setup{Clients: map[string]string{"robot": "s:e/c ret"}}, func(c *oauth.Config) {
		c.Client = oauth.Client{ID: "robot", Secret: "s:e/c ret"}
		c.Grant, c.OpenBrowser = oauth.ClientCredentials{}, nil
	})
	r.ok(ping)
	if len(r.Seen("/authorize")) > 0 || len(r.Seen("/register")) > 0 {
		t.Errorf("the consent page was requested: %v", r.Seen(""))
	}
}

func TestConsent_NoBrowser(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.OpenBrowser = nil })
	var consent *oauth.NoBrowserError
	if err := r.fails(ping); !errors.As(err, &consent) || consent.Issuer != r.Issuer() {
		t.Errorf("it failed with %v", err)
	}
	if len(r.Seen("/register")) > 0 {
		t.Error("a client was registered for nothing")
	}
}

// Without a browser the reason is the one that a browser would not change.
func TestConsent_NoBrowserAndNoClient(t *testing.T) {
	none := func(document map[string]any) map[string]any {
		delete(document, "registration_endpoint")
		return document
	}
	r := begin(t, oauthtest.Setup{ServerMetadata: none}, func(c *oauth.Config) { c.OpenBrowser = nil })
	var who *oauth.ClientError
	if err := r.fails(ping); !errors.As(err, &who) || !strings.Contains(err.Error(), "neither dynamic registration nor") {
		t.Errorf("it failed with %v", err)
	}
	r = begin(t, oauthtest.Setup{ServerMetadata: none, Clients: map[string]string{"me": ""}}, func(c *oauth.Config) {
		c.OpenBrowser, c.Client = nil, oauth.Client{ID: "me"}
	})
	var consent *oauth.NoBrowserError
	if err := r.fails(ping); !errors.As(err, &consent) {
		t.Errorf("with a client it failed with %v", err)
	}
}

func TestClient_OtherIssuer(t *testing.T) {
	r := begin(t, oauthtest.Setup{Clients: map[string]string{"me": ""}}, func(c *oauth.Config) {
		c.Client = oauth.Client{ID: "me", Issuer: "https://elsewhere.example"}
	})
	var who *oauth.ClientError
	if err := r.fails(ping); !errors.As(err, &who) {
		t.Errorf("it failed with %v", err)
	}
	for _, s := range r.Seen("") {
		if s.Form.Get("client_id") != "" {
			t.Errorf("%s %s heard of the client", s.Method, s.Path)
		}
	}
}

func TestClient_NoRegistration(t *testing.T) {
	r := begin(t, oauthtest.Setup{ServerMetadata: without("registration_endpoint")}, nil)
	var who *oauth.ClientError
	if err := r.fails(ping); !errors.As(err, &who) || !strings.Contains(err.Error(), "register a client there and set its client id") {
		t.Errorf("it failed with %v", err)
	}
}

// without takes members out of a document.
func without(names ...string) func(map[string]any) map[string]any {
	return func(document map[string]any) map[string]any {
		for _, name := range names {
			delete(document, name)
		}
		return document
	}
}

// with puts a member into a document.
func with(name string, value any) func(map[string]any) map[string]any {
	return func(document map[string]any) map[string]any {
		document[name] = value
		return document
	}
}

func TestAuthorize_CrossOriginRedirect(t *testing.T) {
	var got http.Header
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Clone() }))
	defer elsewhere.Close()
	away := false
	r := begin(t, oauthtest.Setup{}, nil)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if away && req.Header.Get("Authorization") != "" {
			http.Redirect(w, req, elsewhere.URL+"/mcp", http.StatusTemporaryRedirect)
			return
		}
		if req.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer front.Close()
	in := connect(t, r.Server, func(c *oauth.Config) {
		c.Server, c.Lenient, c.Store = front.URL+"/mcp", true, &memory{all: []oauth.StoredToken{{
			Resource: front.URL + "/mcp", Issuer: front.URL, Token: oauth.Token{Access: "mine", Type: "Bearer"},
		}}}
	})
	in.wire.Lenient = true
	send := func() {
		ex, err := in.wire.Begin(mustParse(t, front.URL+"/mcp"), "message", http.MethodPost, http.Header{}, []byte(ping)).RoundTrip(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ex.Finish(nil)
	}
	send() // which gets the token
	away = true
	send()
	if got == nil || got.Get("Authorization") != "" {
		t.Errorf("the other server got %v", got)
	}
}

// An assertion goes to the token endpoint of the issuer that its aud names, to no place to which
// that redirects, and not into the reports.
func TestClientAssertion_OnlyForTheTokenEndpoint(t *testing.T) {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	key, err := oauth.ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	for _, lenient := range []bool{false, true} {
		elsewhere := 0
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
		defer other.Close()
		var assertions []string
		tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			assertions = append(assertions, req.PostFormValue("client_assertion"))
			http.Redirect(w, req, other.URL+"/token", http.StatusTemporaryRedirect)
		}))
		defer tokens.Close()
		r := begin(t, oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
			d["token_endpoint"], d["token_endpoint_auth_methods_supported"] = tokens.URL+"/token", []string{"private_key_jwt"}
			return d
		}}, func(c *oauth.Config) {
			c.Client, c.Grant, c.OpenBrowser, c.Lenient = oauth.Client{ID: "robot", Key: key}, oauth.ClientCredentials{}, nil, lenient
		})
		r.wire.Lenient = lenient
		if err := r.fails(ping); err == nil {
			t.Error("the redirect was followed")
		}
		if len(assertions) != 1 || assertions[0] == "" || elsewhere > 0 {
			t.Errorf("lenient %v: the token endpoint got %q, and where it redirects to %d requests", lenient, assertions, elsewhere)
			continue
		}
		claims, err := base64.RawURLEncoding.DecodeString(strings.Split(assertions[0], ".")[1])
		if err != nil || !strings.Contains(string(claims), `"aud":"`+r.Issuer()) {
			t.Errorf("the claims are %s, %v", claims, err)
		}
		said := r.told()
		for _, x := range r.exchanges {
			said += x.URL + string(x.RequestBody) + string(x.ResponseBody)
		}
		if !strings.Contains(said, "client_assertion=") || strings.Contains(said, strings.Split(assertions[0], ".")[2]) {
			t.Errorf("reported:\n%s", said)
		}
	}
}
