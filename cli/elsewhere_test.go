package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcptea/demo"
)

// noted is a demo server over HTTP that notes the headers that it got.
type noted struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
}

func newNoted(t *testing.T) *noted {
	n, server := &noted{}, demo.New(demo.Options{}).HandlerContext(t.Context())
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.headers = append(n.headers, r.Header.Clone())
		n.mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

// got reports whether the server was asked, and whether it got a value.
func (n *noted) got(value string) (asked, got bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range n.headers {
		for _, values := range h {
			got = got || strings.Contains(strings.Join(values, " "), value)
		}
	}
	return len(n.headers) > 0, got
}

// A token of the environment, and what the flags give for the target of the command line, is sent to no
// other server: not to those of a list, not to one that a script or an agent names.
func TestElsewhere_GetsNothingOfTheTarget(t *testing.T) {
	const token, header = "token-of-the-target", "header-of-the-target"
	target, other := newNoted(t), newNoted(t)
	dir := t.TempDir()
	t.Chdir(dir)
	home := filepath.Join(dir, "home")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	env := append(os.Environ(), "MCPTEA_CONFIG=off", "MCPTEA_TOKEN="+token, "XDG_STATE_HOME="+dir)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("home/.cursor/mcp.json", `{"mcpServers":{"other":{"url":"`+other.URL+`/mcp"}}}`)
	write("s.txtar", "call echo message=a\nconnect "+other.URL+"/mcp\ncall echo message=b\n")
	agent := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"connect","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"connect","arguments":{"url":"` + other.URL + `/mcp"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"connect","arguments":{"server":"other"}}}
`
	for name, args := range map[string][]string{
		"list":             {"servers", "--connect"},
		"script":           {"run", "s.txtar", "-H", "X-Given: " + header, "--url", target.URL + "/mcp"},
		"agent":            {"mcp", "-H", "X-Given: " + header, "--url", target.URL + "/mcp"},
		"agent, no target": {"mcp", "-H", "X-Given: " + header},
	} {
		t.Run(name, func(t *testing.T) {
			target.headers, other.headers = nil, nil
			_, stderr, _ := fed(t, env, agent, args...)
			asked, gotToken := other.got(token)
			if _, gotHeader := other.got(header); !asked || gotToken || gotHeader {
				t.Errorf("asked %t, token %t, header %t: %s", asked, gotToken, gotHeader, stderr)
			}
			if strings.Contains(strings.Join(args, " "), target.URL) {
				_, gotToken := target.got(token)
				if _, gotHeader := target.got(header); !gotToken || !gotHeader {
					t.Errorf("the target itself: token %t, header %t: %s", gotToken, gotHeader, stderr)
				}
			}
		})
	}
}

// fed is [calledIn] with a text on stdin.
func fed(t *testing.T, env []string, text string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}()
	defer func() { _ = r.Close() }()
	return calledOn(t, r, env, args...)
}
