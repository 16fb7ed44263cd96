package session

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/demo"
)

func TestSetLink_TokenIsSentAndNotRecorded(t *testing.T) {
	const token = "sekrit-token-123"
	served := demo.New(demo.Options{}).HandlerContext(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "x.mcptea")
	s, err := Open(Config{Target: client.Target{URL: server.URL + "/mcp"}, Record: path, Authorization: &oauth.Config{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	if err := s.Connect(t.Context()); err == nil {
		t.Fatal("connected without a token")
	}
	without := s.Link()
	with := without
	with.Target.Header, with.Authorization = http.Header{"Authorization": {"Bearer " + token}}, nil
	s.SetLink(with)
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Target().Header.Get("Authorization"); got != "Bearer "+token {
		t.Errorf("the target has %q", got)
	}
	s.SetLink(without)
	if s.Target().Header.Get("Authorization") != "" || s.Link().Authorization == nil {
		t.Error("the token is still set")
	}
	_ = s.Close(t.Context())
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), "Authorization") {
		t.Fatalf("%v, and the headers are not recorded: %d bytes", err, len(b))
	}
	if strings.Contains(string(b), token) {
		t.Error("the token is recorded")
	}
}
