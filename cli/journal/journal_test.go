package journal_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/authority"
	"mcptea/cli/journal"
	"mcptea/internal/jose"
	"mcptea/record"
	"mcptea/record/store"
)

// A whole flow with a confidential client leaves no secret in the recording.
func TestJournal_NoSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "authority.mcptea.jsonl")
	recording, err := store.Create(store.Options{Path: path}, record.Header{Transport: "http"})
	if err != nil {
		t.Fatal(err)
	}
	recorder := journal.New(recording)
	a, err := authority.New(authority.Options{Seen: recorder.Seen})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(recorder.Wrap(a.Handler()))
	defer s.Close()
	a.ServeAs(s.URL)
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	send := func(method, at, body, media string, change func(*http.Request)) (map[string]any, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+at, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", media)
		if change != nil {
			change(r)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		_ = json.Unmarshal(text, &d)
		return d, resp.Header
	}
	const form, verifier = "application/x-www-form-urlencoded", "a-verifier-of-at-least-forty-three-characters-1234"
	made, _ := send(http.MethodPost, "/register", `{"redirect_uris":["http://127.0.0.1:1/x"]}`, "application/json", nil)
	id, secret := made["client_id"].(string), made["client_secret"].(string)
	q := url.Values{"client_id": {id}, "response_type": {"code"}, "redirect_uri": {"http://127.0.0.1:1/x"}, "state": {"a-state"}, "code_challenge": {jose.SHA256(verifier)}, "code_challenge_method": {"S256"}, "scope": {"openid"}}
	_, header := send(http.MethodGet, "/authorize?"+q.Encode(), "", "", nil)
	back, err := url.Parse(header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	code := back.Query().Get("code")
	exchange := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}}
	got, _ := send(http.MethodPost, "/token", exchange.Encode(), form, func(r *http.Request) { r.SetBasicAuth(id, secret) })
	access, refresh := got["access_token"].(string), got["refresh_token"].(string)
	send(http.MethodPost, "/introspect", url.Values{"token": {access}}.Encode(), form, nil)
	send(http.MethodPost, "/revoke", url.Values{"token": {refresh}}.Encode(), "text/plain", nil)
	send(http.MethodPost, "/token", url.Values{"client_id": {id}, "client_secret": {secret}, "grant_type": {"refresh_token"}, "refresh_token": {refresh}}.Encode(), "", nil)
	if err := recording.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `"purpose":"authorization"`); n != 6 {
		t.Errorf("%d exchanges are recorded", n)
	}
	for _, step := range []string{
		`"step":"client id","state":"done",`, `"detail":"POST /register 201 `, `"step":"consent"`, `"step":"token"`, `grant_type=authorization_code client authentication client_secret_basic"`,
		`"step":"introspection"`, `"step":"revocation"`, `"step":"refresh"`, `"remarks":["`,
	} {
		if !strings.Contains(string(text), step) {
			t.Errorf("%s is not in the recording", step)
		}
	}
	for name, value := range map[string]string{
		"code": code, "access token": access, "refresh token": refresh, "client secret": secret, "verifier": verifier, "ID token": got["id_token"].(string),
	} {
		if value == "" || strings.Contains(string(text), value) || strings.Contains(string(text), url.QueryEscape(value)) {
			t.Errorf("the %s is in the recording", name)
		}
	}
}
