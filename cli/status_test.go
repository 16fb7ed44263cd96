package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/cli/app"
	"mcptea/internal/test/raced"
)

// The exit code depends on the message of the server, not on its status: a lost session is not a missing
// authorization. A limit of requests is waited out by bench, and counted apart.
func TestRun_StatusByWhatItSays(t *testing.T) {
	raced.ByNight(t, "what is printed of scripts, whose runs TestScripts races")
	serve := func(t *testing.T, limits func(n int64) bool, status int, body string, headers ...string) string {
		t.Helper()
		var calls atomic.Int64
		s := httptest.NewServer(overHTTP(func(w http.ResponseWriter, method, _ string) (string, bool) {
			switch {
			case method == "initialize":
				w.Header().Set("Mcp-Session-Id", "s1")
			case method == "tools/list":
				return `{"tools":[{"name":"now","inputSchema":{"type":"object"}}]}`, false
			case limits(calls.Add(1)):
				for _, header := range headers {
					name, value, _ := strings.Cut(header, ": ")
					w.Header().Set(name, value)
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return "", true
			case method == "tools/call":
				return `{"content":[{"type":"text","text":"done"}]}`, false
			}
			return "{}", false
		}))
		t.Cleanup(s.Close)
		return s.URL + "/mcp"
	}
	env := app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off"}
	always := func(int64) bool { return true }
	for _, tt := range []struct {
		name           string
		url            string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"a lost session with 401", serve(t, always, 401, "Unauthorized: Session not found"), []string{"call", "now"}, app.ExitError, "", "says that the session is gone"},
		{"a token that is missing", serve(t, always, 401, "Unauthorized"), []string{"call", "now"}, app.ExitAuth, "", "401 Unauthorized"},
		{"a limit", serve(t, func(n int64) bool { return n == 3 || n == 4 }, 429, "slow down", "Retry-After: 0", "RateLimit-Reset: 0"), []string{"bench", "now", "-n", "5"}, app.ExitOK, "limited   ", ""},
		{"a limit that lasts longer than the run", serve(t, func(n int64) bool { return n > 2 }, 429, "slow down", "Retry-After: 3600"), []string{"bench", "now", "--max-time", "20s"}, app.ExitError, "1  the server limits the rate of requests (HTTP status 429)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := calledIn(t, env, append(tt.args, tt.url)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, want %d\nstdout %q, want %q\nstderr %q, want %q", code, tt.code, stdout, tt.stdout, stderr, tt.stderr)
			}
		})
	}
}
