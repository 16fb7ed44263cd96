package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcptea/client/step"
	"mcptea/client/transport"
)

// redirecting responds with redirects, and then with a document.
type redirecting struct{ left int }

func (r *redirecting) Request(context.Context, transport.Request) (transport.Reply, error) {
	if r.left--; r.left >= 0 {
		return transport.Reply{Status: http.StatusFound, Header: http.Header{"Location": {fmt.Sprintf("/%d", r.left)}}}, nil
	}
	return transport.Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"issuer":"x"}`)}, nil
}

func TestMetadata_MaxRedirects(t *testing.T) {
	at := &url.URL{Scheme: "https", Host: "login.example.com", Path: "/.well-known/oauth-authorization-server"}
	for redirects, want := range map[int]string{0: "", 5: "", 6: "more than 5 redirects"} {
		f := &flow{a: &Authorizer{server: at}, cfg: &Config{Timeout: time.Minute}, requester: &redirecting{redirects}, list: step.NewList(1, nil)}
		var document struct{ Issuer string }
		err := f.getJSON(t.Context(), at, &document)
		if want == "" && (err != nil || document.Issuer != "x") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d redirects: %+v, %v", redirects, document, err)
		}
	}
}

func TestStepUp_Bound(t *testing.T) {
	for before, refused := range map[int]bool{0: false, 9: false, 10: true} {
		a := &Authorizer{stepUps: before}
		err := a.checkStepUp(challengeParams{scopes: []string{"more"}, err: "insufficient_scope"})
		var scope *ScopeError
		if errors.As(err, &scope) != refused || refused && !strings.Contains(err.Error(), "added 10 times") {
			t.Errorf("after %d step-ups: %v", before, err)
		}
	}
}

// A failure of the server does not show that it accepts a token.
func TestShouldRefresh_TokenAccepted(t *testing.T) {
	at := &url.URL{Scheme: "https", Host: "mcp.example.com"}
	for status, accepted := range map[int]bool{
		200: true, 202: true, 400: true, 404: true, 499: true,
		401: false, 403: false, 500: false, 502: false, 503: false,
	} {
		a := &Authorizer{server: at, issued: map[string]int{"Bearer x": 1}, current: grantedToken{number: 1}, unconfirmed: true}
		a.ShouldRefresh(transport.ResponseInfo{URL: at, RequestHeader: http.Header{"Authorization": {"Bearer x"}}, Status: status, Purpose: "message"})
		if a.current.accepted != accepted || a.StoredTokenUnconfirmed() == accepted {
			t.Errorf("status %d: accepted %t, unconfirmed %t", status, a.current.accepted, a.StoredTokenUnconfirmed())
		}
	}
}

// TestUse_MaxIssued has a session in which the token is renewed again and again: the last ones
// are known, and no more.
func TestUse_MaxIssued(t *testing.T) {
	a := &Authorizer{issued: map[string]int{}}
	header := func(n int) http.Header { return http.Header{"Authorization": {fmt.Sprintf("Bearer t%d", n)}} }
	const n = 10 * maxIssued
	for i := 1; i <= n; i++ {
		a.use(grantedToken{token: Token{Type: "Bearer", Access: fmt.Sprintf("t%d", i)}})
	}
	if len(a.issued) != maxIssued {
		t.Errorf("%d tokens are known", len(a.issued))
	}
	for i, want := range map[int]bool{n: true, n - maxIssued + 1: true, n - maxIssued: false} {
		if number, ours := a.numberOf(header(i)); ours != want || want && number != i {
			t.Errorf("token %d: number %d, %t", i, number, ours)
		}
	}
}

// Nonces, clients and tokens of servers that name another origin each time are bounded.
func TestAuthorizer_OriginsBound(t *testing.T) {
	p, a, m := &dpopSigner{}, &Authorizer{clients: map[string]Client{}}, &Memory{}
	for i := range 10 * maxStored {
		at := fmt.Sprintf("https://as%d.example", i)
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		answer := http.Header{http.CanonicalHeaderKey(nonceHeader): {"n"}}
		if !p.noteNonce(u, answer) || p.noteNonce(u, answer) {
			t.Fatalf("nonce %d is not kept", i)
		}
		a.addClient(Client{Issuer: at, ID: "c"})
		if _, ok := a.registered(at); !ok {
			t.Fatalf("client %d is not kept", i)
		}
		_ = m.Save(StoredToken{Resource: "r", Issuer: at})
		if len(p.nonces) > maxNonces || len(a.clients) > maxClients || len(m.all) > maxStored {
			t.Fatalf("%d nonces, %d clients, %d tokens", len(p.nonces), len(a.clients), len(m.all))
		}
	}
	if m.all[0].Issuer != fmt.Sprintf("https://as%d.example", 10*maxStored-1) || len(m.all) != maxStored {
		t.Errorf("%d tokens, the newest of %s", len(m.all), m.all[0].Issuer)
	}
}
