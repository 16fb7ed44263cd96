package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// --record of a check has the requests with tokens and the verdict of each token, and no token.
func TestCheckAuthority_Recording(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(lenient))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "check.jsonl")
	stdout, stderr, code := called(t, "check", s.URL+"/mcp", "--authority", freeAddress(t), "--only", "P-160", "--record", path)
	if code != app.ExitError {
		t.Fatalf("%d\n%s\n%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{`"purpose":"trial"`, `"step":"token aud-other","state":"failed"`, `"step":"token garbage","state":"done"`} {
		if !strings.Contains(string(text), has) {
			t.Errorf("%s is not in the recording", has)
		}
	}
	if token := regexp.MustCompile(`eyJ[\w-]{20,}`).FindString(string(text)); token != "" {
		t.Errorf("a token is in the recording: %s", token)
	}
}

// Probes cannot send bound tokens: a check of a server that accepts only these leads to auth check.
func TestCheckAuthority_OnlyBoundTokens(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "oauth-protected-resource") {
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": "http://" + r.Host + "/mcp", "dpop_bound_access_tokens_required": true})
			return
		}
		w.Header().Set("WWW-Authenticate", `DPoP algs="ES256"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer s.Close()
	_, stderr, code := called(t, "check", s.URL+"/mcp", "--authority", freeAddress(t))
	if code != app.ExitUsage || !strings.Contains(stderr, "bound to a key (DPoP)") || !strings.Contains(stderr, "mcptea auth check URL") {
		t.Errorf("%d %s", code, stderr)
	}
}
