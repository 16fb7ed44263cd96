package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// lenient is a server that accepts every JWT, with the error messages of the Go SDK and golang-jwt.
func lenient(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if strings.Count(token, ".") == 2 {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	text := "no bearer token"
	if token != "" {
		text = "invalid token: token is malformed: token contains an invalid number of segments"
	}
	http.Error(w, text, http.StatusUnauthorized)
}

// What a library does is one line with its name and version, in auth check and in check.
func TestAuthCheck_Libraries(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(lenient))
	defer s.Close()
	args := []string{"auth", "check", s.URL + "/mcp", "--only", "crit-unknown", "--only", "dpop-as-bearer"}
	for _, c := range []struct {
		flags  []string
		has    []string
		hasNot string
	}{
		{nil, []string{"library   golang-jwt 5.3.1: the parser does not read crit (crit-unknown). (--verbose)", "0 errors, 1 warning, 1 info"}, "fix"},
		{[]string{"--verbose"}, []string{"warning   crit-unknown", "are those of golang-jwt (token is malformed", "If it is built on that: the parser does not read crit.", "fix     Reject tokens whose header has crit in the key function"}, "library "},
		{[]string{"--json"}, []string{`"library":"golang-jwt 5.3.1"`, `"library":"the Go SDK 1.8.0"`}, "(--verbose)"},
	} {
		stdout, stderr, code := called(t, append(args, c.flags...)...)
		text := strings.Join(strings.Fields(stdout), " ")
		for _, has := range c.has {
			if code != app.ExitOK || !strings.Contains(text, strings.Join(strings.Fields(has), " ")) {
				t.Errorf("%v: %d, %q is not in %s\n%s", c.flags, code, has, stdout, stderr)
			}
		}
		if strings.Contains(text, c.hasNot) {
			t.Errorf("%v: %q is in %s", c.flags, c.hasNot, stdout)
		}
	}
}

// The line that says what is started shows no secret.
func TestAuthCheck_StartedCommandHidesSecrets(t *testing.T) {
	_, stderr, _ := called(t, "auth", "check", "http://"+freeAddress(t)+"/mcp", "--connect-timeout", "1ms",
		"-e", "DB_PASSWORD=pw123456 {issuer}", "-e", "OTHER=plain-value-1", "-e", "ISSUER={issuer}/tenant",
		"--", "mcptea", "version", "--token", "SECRET123456", "--api-key=SECRET99999")
	line, _, _ := strings.Cut(stderr, "\n")
	for _, hidden := range []string{"pw123456", "plain-value-1", "SECRET"} {
		if strings.Contains(line, hidden) {
			t.Errorf("%s is in %s", hidden, line)
		}
	}
	if !strings.HasPrefix(line, "Starting: DB_PASSWORD=… OTHER=… ISSUER=http://127.0.0.1:") || !strings.Contains(line, "/tenant mcptea version --token ••••") {
		t.Errorf("the line is %s", line)
	}
}
