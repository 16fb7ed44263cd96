//go:build unix

package pages

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// The messages that the page of troubleshooting explains are those of the program.
func TestTroubleshooting_Messages(t *testing.T) {
	text, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	dir := t.TempDir()
	p := &place{dir: dir, env: environment(dir), replace: strings.NewReplacer("http://plain", plain.URL, "https://plain", strings.Replace(plain.URL, "http:", "https:", 1), "http://refused", refused.URL)}
	for line, messages := range map[string][]string{
		"mcptea list -- nosuchprogram":                                        {"executable file not found in $PATH."},
		"mcptea list nosuchserver":                                            {"is neither a configured server, nor a program on PATH"},
		"mcptea list -- sh -c 'exit 3'":                                       {"The server process exited with code 3", "without an error message."},
		"mcptea list --connect-timeout 100ms -- sleep 60":                     {"written nothing to stdout or stderr."},
		"mcptea list --connect-timeout 100ms -- sh -c 'echo ready; sleep 60'": {"The server wrote text to stdout and no response to initialize."},
		"mcptea list http://refused/mcp":                                      {"connection refused."},
		"mcptea list http://nosuch.invalid/mcp":                               {"no such host."},
		"mcptea list https://plain/mcp":                                       {"does not speak TLS: tls: first record does not look like a TLS handshake."},
		"mcptea list http://plain/mcp":                                        {"returned 404 Not Found"},
		"mcptea call ask-user -- mcptea demo --serve":                         {"the client must declare: elicitation.form"},
		"mcptea call ask-model -- mcptea demo --serve":                        {"the client must declare: sampling"},
		"mcptea call nosuch -- mcptea demo --serve":                           {"the server has no tool "},
		"mcptea -- node server.js":                                            {"the inspector requires a terminal"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), deadline)
			defer stop()
			out, err := p.command(ctx, line).CombinedOutput()
			if err == nil {
				t.Errorf("it succeeds: %s", out)
			}
			for _, message := range messages {
				if !strings.Contains(string(out), message) {
					t.Errorf("the program does not say %q:\n%s", message, out)
				}
				if !strings.Contains(string(text), message) {
					t.Errorf("docs/troubleshooting.md does not have %q", message)
				}
			}
		})
	}
}
