//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/session/session"
)

// trueErrors are what the rules rightly find in third-party servers, by peer and rule, with the reason.
var trueErrors = map[string]map[string]string{
	"conformance over HTTP":   {"H030": "test_reconnection closes its stream and keeps nothing to resume from"},
	"conformance in sessions": {"H030": "test_reconnection closes its stream and keeps nothing to resume from"},
	"demo":                    {"S034": "the answer that is given to each form lacks what this one wants"},
	"everything over SSE":     {"S020": "resource_link is newer than the revision that HTTP+SSE leads to"},
}

// The rules report no false error: third-party servers,
// all of their tools called, their resources read and their prompts got.
func TestRealServers_NoFalseErrors(t *testing.T) {
	t.Parallel()
	const dist = "@modelcontextprotocol/"
	for name, target := range map[string]func(*testing.T) client.Target{
		"everything": func(t *testing.T) client.Target {
			return stdioOf(peer(t, dist+"server-everything/dist/index.js", "stdio")...)
		},
		"everything over HTTP": func(t *testing.T) client.Target {
			return client.Target{URL: everythingOverHTTP(t, "streamableHttp", "/mcp")}
		},
		"everything over SSE": func(t *testing.T) client.Target {
			return client.Target{URL: everythingOverHTTP(t, "sse", "/sse")}
		},
		"filesystem": func(t *testing.T) client.Target {
			return stdioOf(peer(t, dist+"server-filesystem/dist/index.js", t.TempDir())...)
		},
		"memory":      func(t *testing.T) client.Target { return stdioOf(peer(t, dist+"server-memory/dist/index.js")...) },
		"SDK":         func(t *testing.T) client.Target { return stdioOf(sdkProgram(t, exampleServer)) },
		"conformance": func(t *testing.T) client.Target { return stdioOf(sdkProgram(t, conformanceServer)) },
		"conformance over HTTP": func(t *testing.T) client.Target {
			return client.Target{URL: listening(t, "", "-http", sdkProgram(t, conformanceServer))}
		},
		"conformance in sessions": func(t *testing.T) client.Target {
			return client.Target{URL: listening(t, "", "-http", sdkProgram(t, conformanceServer), "-stateless=false")}
		},
		"demo": func(t *testing.T) client.Target { return stdioOf(program(t), "demo", "--serve") },
	} {
		for _, r := range []revision.Revision{"", revision.R20251125, revision.R20250618} {
			t.Run(strings.TrimSpace(fmt.Sprintf("%s %s", name, r)), func(t *testing.T) {
				t.Parallel() // most of them wait for a slow tool
				s := visit(t, target(t), r)
				useAll(t, s)
				judged(t, s, trueErrors[name])
			})
		}
	}
}

// useAll calls, reads and gets all that the server offers, with arguments made
// from the schemas. The result does not matter here.
func useAll(t *testing.T, s *session.Session) {
	t.Helper()
	lists := s.State().Lists
	var calls []*session.Call
	start := func(method string, params map[string]any) {
		calls = append(calls, s.Start(method, client.Params(params)))
	}
	for _, tool := range lists["tools"].Items {
		support, _ := jsonrpc.Unquote(tool.Member("execution", "taskSupport"))
		if leftAlone[tool.Name] || support == "required" {
			continue
		}
		start("tools/call", map[string]any{"name": tool.Name, "arguments": sample(tool.Member("inputSchema"))})
	}
	for _, r := range lists["resources"].Items[:min(len(lists["resources"].Items), 20)] {
		start("resources/read", map[string]any{"uri": r.URI})
	}
	for _, p := range lists["prompts"].Items {
		args := map[string]string{}
		var listed []struct{ Name string }
		_ = json.Unmarshal(p.Member("arguments"), &listed) // absent: empty
		for _, a := range listed {
			args[a.Name] = "1"
			if strings.Contains(strings.ToLower(a.Name), "uri") {
				args[a.Name] = "test://static-text"
			}
		}
		start("prompts/get", map[string]any{"name": p.Name, "arguments": args})
	}
	for _, c := range calls {
		select {
		case <-c.Done():
		case <-time.After(deadline):
			t.Fatalf("%s %s does not end", c.Method, c.Name)
		}
	}
}

// leftAlone are tools that never answer, or end the server.
var leftAlone = map[string]bool{
	"never-answer": true, "flood": true, "end-subscriptions": true, "gzip-file-as-resource": true,
	"ping": true, // of the SDK: it waits for the client to be asked, which no server may without handshake
}

// sample makes arguments that a schema allows.
func sample(inputSchema []byte) map[string]any {
	var s struct {
		Properties map[string]struct {
			Type    any
			Enum    []any
			Default any
			Minimum float64
		}
		Required []string
	}
	_ = json.Unmarshal(inputSchema, &s) // one that cannot be read asks for nothing
	args := map[string]any{}
	for name, p := range s.Properties {
		takesTime := name == "seconds" || name == "duration"
		if !slices.Contains(s.Required, name) && !takesTime {
			continue
		}
		switch {
		case takesTime:
			args[name] = max(p.Minimum, 1)
		case p.Default != nil:
			args[name] = p.Default
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case p.Type == "number" || p.Type == "integer":
			args[name] = max(p.Minimum, 1)
		case p.Type == "boolean":
			args[name] = true
		case p.Type == "array":
			args[name] = []any{}
		case p.Type == "object":
			args[name] = map[string]any{}
		default:
			args[name] = os.TempDir()
		}
	}
	return args
}

// judged waits until every frame was looked at and tells of the errors.
func judged(t *testing.T, s *session.Session, right map[string]string) {
	t.Helper()
	eventually(t, "the judgement", func() bool { return s.Findings().Behind == 0 })
	for _, g := range s.Findings().Groups {
		if g.Severity != lint.Error || right[g.Rule.ID] != "" {
			continue
		}
		body, _ := s.Store().Body(max(g.Newest.Row, 0))
		t.Errorf("%s %s, %d times, at %q: %s\n%.400s", g.Rule.ID, g.Rule.Slug, g.Count, g.Newest.Path, g.Newest.Message, body)
	}
}
