//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// met is the result of connecting to a server without a description.
type met struct {
	target   func(*testing.T) client.Target
	revision revision.Revision
	era      revision.Era
	server   string   // its name
	tools    int      // how many at least
	evidence []string // words, one sentence each
	spent    int      // handshakes
}

// Real servers of both eras over each transport: which revision it comes to,
// and what told.
func TestEraOfPeers(t *testing.T) {
	t.Parallel() // most of its servers begin with Node.js
	const (
		asked    = "server/discover returned error "
		noMethod = asked + "-32601 Method not found"
		older    = `server/discover lists 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05`
		newer    = `server/discover lists 2026-07-28`
	)
	node := func(script ...string) func(*testing.T) client.Target {
		return func(t *testing.T) client.Target { return stdioOf(peer(t, script...)...) }
	}
	everythingAt := func(over, path string) func(*testing.T) client.Target {
		return func(t *testing.T) client.Target { return client.Target{URL: everythingOverHTTP(t, over, path)} }
	}
	sdk := func(pkg string) func(*testing.T) client.Target {
		return func(t *testing.T) client.Target { return stdioOf(sdkProgram(t, pkg)) }
	}
	sdkAt := func(pkg string, args ...string) func(*testing.T) client.Target {
		return func(t *testing.T) client.Target {
			return client.Target{URL: listening(t, "", "-http", append([]string{sdkProgram(t, pkg)}, args...)...)}
		}
	}
	const dist = "@modelcontextprotocol/"
	for name, want := range map[string]met{
		"everything over stdio":           {node(dist+"server-everything/dist/index.js", "stdio"), revision.R20251125, revision.EraHandshake, "mcp-servers/everything", 13, []string{noMethod}, 1},
		"filesystem over stdio":           {node(dist+"server-filesystem/dist/index.js", os.TempDir()), revision.R20251125, revision.EraHandshake, "secure-filesystem-server", 14, []string{noMethod}, 1},
		"memory over stdio":               {node(dist + "server-memory/dist/index.js"), revision.R20251125, revision.EraHandshake, "memory-server", 9, []string{noMethod}, 1},
		"everything of 2024":              {node("everything-2024/dist/index.js"), revision.R20241105, revision.EraHandshake, "example-servers/everything", 5, []string{noMethod}, 1},
		"everything over Streamable HTTP": {everythingAt("streamableHttp", "/mcp"), revision.R20251125, revision.EraHandshake, "mcp-servers/everything", 13, []string{asked + "-32000"}, 1},
		"everything over HTTP+SSE":        {everythingAt("sse", "/sse"), revision.R20251125, revision.EraHandshake, "mcp-servers/everything", 10, []string{"HTTP 404", "opened an event stream with an endpoint event"}, 2},
		"the SDK's example over stdio":    {sdk(exampleServer), revision.R20260728, revision.EraStateless, "everything", 10, []string{newer}, 0},
		"the SDK's example over HTTP":     {sdkAt(exampleServer), revision.R20251125, revision.EraHandshake, "everything", 10, []string{older}, 1},
		"the conformance server":          {sdk(conformanceServer), revision.R20260728, revision.EraStateless, "mcp-conformance-test-server", 28, []string{newer}, 0},
		"the conformance server, alone":   {sdkAt(conformanceServer), revision.R20260728, revision.EraStateless, "mcp-conformance-test-server", 28, []string{newer}, 0},
		"the conformance server, session": {sdkAt(conformanceServer, "-stateless=false"), revision.R20251125, revision.EraHandshake, "mcp-conformance-test-server", 28, []string{older}, 1},
		"one of the modern era alone":     {smallOne("modern-only"), revision.R20260728, revision.EraStateless, "modern-only", 1, []string{newer}, 0},
		"one of the legacy era alone":     {smallOne("legacy-only"), revision.R20250618, revision.EraHandshake, "legacy-only", 1, []string{noMethod}, 1},
		"one that crashes at what is new": {smallOne("crashes"), revision.R20250618, revision.EraHandshake, "legacy-only", 1, []string{"the server ended after server/discover (the server process exited with code 1", "after a restart, initialize succeeded"}, 1},
	} {
		t.Run(name, func(t *testing.T) { want.judge(t) })
	}
}

func smallOne(name string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		target := stdioOf(self)
		target.Env = append(target.Env, smallServerEnv+"="+name)
		return target
	}
}

func (want met) judge(t *testing.T) {
	s := visit(t, want.target(t), "")
	st := s.State()
	if st.Handshake.Revision != want.revision || !strings.HasSuffix(st.Handshake.Server.Name, want.server) {
		t.Errorf("%s with %s", st.Handshake.Server, st.Handshake.Revision)
	}
	if st.Detection.Era != want.era || st.Detection.DetectedBy != client.EraProbed || len(st.Detection.Evidence) != len(want.evidence) {
		t.Fatalf("verdict %+v", st.Detection)
	}
	for i, words := range want.evidence {
		if !strings.Contains(st.Detection.Evidence[i], words) {
			t.Errorf("the evidence %q does not say %q", st.Detection.Evidence[i], words)
		}
	}
	if got := len(st.Lists["tools"].Items); got < want.tools {
		t.Errorf("%d tools", got)
	}
	if n := countFrames(s.Store(), transport.Out, "initialize"); n != want.spent {
		t.Errorf("%d handshakes", n)
	}
}

// A server of one era and a client that is told to speak the other: what is
// said names both and the way out.
func TestErasThatDoNotMeet(t *testing.T) {
	self := func(name string) []string {
		return []string{"env", smallServerEnv + "=" + name, smallOne(name)(t).Argv[0]}
	}
	for name, tt := range map[string]struct {
		server   string
		protocol string
		want     []string
	}{
		"an old client and a modern server": {"modern-only", "2025-11-25", []string{"2026-07-28, which has no initialize handshake", "--protocol"}},
		"a modern client and an old server": {"legacy-only", "2026-07-28", []string{"server/discover", "-32601", "--protocol 2025-11-25"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mcptea(t, on(self(tt.server), "list", "--protocol", tt.protocol, "--record", filepath.Join(t.TempDir(), "r.jsonl"))...)
			r.exits(t, 3)
			for _, words := range tt.want {
				if !strings.Contains(r.stderr, words) {
					t.Errorf("it does not say %q:\n%s", words, r.stderr)
				}
			}
		})
	}
}
