package authority_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcptea/authority"
	"mcptea/internal/jose"
)

// A rig is an authority that listens, with a browser that does not follow redirects.
type rig struct {
	*authority.Authority
	t    *testing.T
	http *http.Client
}

func start(t *testing.T, o authority.Options) *rig {
	t.Helper()
	a, err := authority.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(a.Handler())
	t.Cleanup(s.Close)
	a.ServeAs(s.URL)
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &rig{a, t, client}
}

// A reply is a response that was read.
type reply struct {
	status int
	header http.Header
	body   string
}

// member returns a member of a JSON response as a text, or "".
func (r reply) member(name string) string {
	var d map[string]any
	_ = json.Unmarshal([]byte(r.body), &d)
	text, _ := d[name].(string)
	return text
}

// redirected returns the query of the redirect.
func (r reply) redirected() url.Values {
	u, err := url.Parse(r.header.Get("Location"))
	if err != nil {
		return nil
	}
	return u.Query()
}

// send sends a request; change may be nil.
func (r *rig) send(method, at, body string, change func(*http.Request)) reply {
	r.t.Helper()
	if !strings.HasPrefix(at, "http") {
		at = r.Issuer() + at
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, at, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(req)
	}
	got, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply{got.StatusCode, got.Header, string(b)}
}

const (
	redirectURI = "http://127.0.0.1:9/callback"
	verifier    = "a-verifier-of-at-least-forty-three-characters-1234"
	resource    = "http://127.0.0.1:1/mcp"
)

// register registers a public client and returns its id.
func (r *rig) register() string {
	r.t.Helper()
	got := r.send(http.MethodPost, "/register", `{"application_type":"native","redirect_uris":["http://127.0.0.1:1/callback"],"token_endpoint_auth_method":"none"}`, nil)
	if got.status != http.StatusCreated {
		r.t.Fatalf("register: %d %s", got.status, got.body)
	}
	return got.member("client_id")
}

// authorization returns the parameters of a right authorization request.
func authorization(client string) url.Values {
	return url.Values{
		"client_id": {client}, "response_type": {"code"}, "redirect_uri": {redirectURI}, "state": {"s"}, "resource": {resource}, "scope": {"tools"},
		"code_challenge": {jose.SHA256(verifier)}, "code_challenge_method": {"S256"},
	}
}

// code returns a code for a client.
func (r *rig) code(client string) string {
	r.t.Helper()
	got := r.send(http.MethodGet, "/authorize?"+authorization(client).Encode(), "", nil)
	if got.status != http.StatusFound {
		r.t.Fatalf("authorize: %d %s", got.status, got.body)
	}
	return got.redirected().Get("code")
}

// exchange returns the parameters of a right token request.
func exchange(client, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {redirectURI},
		"code_verifier": {verifier}, "resource": {resource},
	}
}

// token sends a token request.
func (r *rig) token(form url.Values, change func(*http.Request)) reply {
	r.t.Helper()
	return r.send(http.MethodPost, "/token", form.Encode(), change)
}

// jsonOf returns a value as JSON.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
