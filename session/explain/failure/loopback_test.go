package failure

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

func TestRenamed(t *testing.T) {
	for _, tt := range []struct{ target, named, use string }{
		{"http://127.0.0.1:8080/api/sse?x=1", "http://localhost:8080", "http://localhost:8080/api/sse?x=1"},
		{"http://localhost/mcp", "http://[::1]:80/", "http://[::1]:80/mcp"},
		{"https://[::1]/mcp", "https://127.0.0.1/x", "https://127.0.0.1/mcp"},
		{"http://localhost:1/mcp", "http://LOCALHOST:1", ""},
		{"http://localhost:1/mcp", "http://127.0.0.1:2", ""},
		{"http://localhost:1/mcp", "https://127.0.0.1:1", ""},
		{"http://localhost:1/mcp", "http://evil.example:1", ""},
		{"http://example.com/mcp", "http://localhost", ""},
		{"http://localhost/mcp", "::", ""},
	} {
		if _, _, use, _ := renamed(tt.target, tt.named); use != tt.use {
			t.Errorf("%s and %s: %q, want %q", tt.target, tt.named, use, tt.use)
		}
	}
}

func TestFailure_OtherNameOfThisMachine(t *testing.T) {
	refused := &transport.StatusError{Method: "POST", URL: "http://127.0.0.1:8080/sse", Status: http.StatusMethodNotAllowed}
	origin := &mcphttp.OriginError{Server: "http://127.0.0.1:8080", Endpoint: "http://localhost:8080"}
	foreign := func(found string) error {
		return &transport.AuthorizationError{
			Status: &transport.StatusError{Method: "POST", URL: "http://127.0.0.1:8080/sse", Status: 401},
			Err:    &oauth.Refusal{Kind: oauth.CrossOriginMetadata, Found: found, Text: "the challenge names resource metadata on another origin", Rule: "RFC 9728 §3"},
		}
	}
	f := Facts{target: client.Target{URL: "http://127.0.0.1:8080/sse"}}
	for name, err := range map[string]error{
		"endpoint of HTTP+SSE, asked for":      origin,
		"endpoint of HTTP+SSE, after fallback": &client.FallbackError{HTTP: refused, SSE: origin},
		"resource metadata":                    foreign("http://localhost:8080/.well-known/oauth-protected-resource"),
	} {
		e := Explain(&client.ConnectError{Err: err}, f)
		if !strings.HasPrefix(e.Sentence, "The URL has 127.0.0.1, and the server ") || e.Try() != "Connect to http://localhost:8080/sse." {
			t.Errorf("%s:\n%s", name, e.Text())
		}
	}
	e := Explain(&client.ConnectError{Err: foreign("https://evil.example/x")}, f)
	if !strings.Contains(e.Sentence, "on another origin") || strings.Contains(e.Try(), "Connect to") {
		t.Errorf("a foreign origin:\n%s", e.Text())
	}
}

func TestFailure_StoredTokenIsSuspected(t *testing.T) {
	f := Facts{target: client.Target{URL: "http://localhost:7204/mcp"}, suspectToken: true}
	for status, suspected := range map[int]bool{401: true, 500: true, 404: false} {
		err := error(&transport.StatusError{Method: "POST", URL: "http://localhost:7204/mcp", Status: status})
		if status == 401 {
			err = &transport.AuthorizationError{Status: err.(*transport.StatusError), Err: &oauth.NoBrowserError{Issuer: "https://i"}}
		}
		text := Explain(&client.ConnectError{Err: err}, f).Text()
		if got := strings.Contains(text, "mcptea auth logout http://localhost:7204/mcp"); got != suspected {
			t.Errorf("%d:\n%s", status, text)
		}
		f := f
		f.suspectToken = false
		if text := Explain(&client.ConnectError{Err: err}, f).Text(); strings.Contains(text, "auth logout") {
			t.Errorf("%d without a stored token:\n%s", status, text)
		}
	}
}
