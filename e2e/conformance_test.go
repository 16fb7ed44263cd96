//go:build unix

package e2e

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/gobuild"
	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// The servers of the Go SDK that its own authors test it with: the one of the
// official conformance suite, and the one of its examples.

const (
	conformanceServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"
	exampleServer     = "github.com/modelcontextprotocol/go-sdk/examples/server/everything"
)

var sdkBuilds sync.Map // of a package: func() (path string, err error)

// sdkProgram builds a program of the SDK's module, once for all tests of a run.
func sdkProgram(t *testing.T, pkg string) string {
	t.Helper()
	program(t) // whose directory holds it
	build, _ := sdkBuilds.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		path := filepath.Join(built.dir, filepath.Base(filepath.Dir(pkg))+"-"+filepath.Base(pkg))
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
		defer stop()
		return path, gobuild.Run(ctx, root(t), nil, "-o", path, pkg)
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		lacks(t, "%v", err)
	}
	return path
}

// answers is what the tests say when a server asks.
var answers = requests.Policies{
	Sampling:    requests.Policy{Mode: requests.PolicyResult, Result: []byte(`{"role":"assistant","content":{"type":"text","text":"Assam"},"model":"none","stopReason":"endTurn"}`)},
	Elicitation: requests.Policy{Mode: requests.PolicyResult, Result: []byte(`{"action":"accept","content":{"name":"Ada","username":"ada","color":"green","confirmed":true,"context":"tea","ok":true,"yes":true}}`)},
}

// visit opens a session with a server and lists all that it has.
func visit(t *testing.T, target client.Target, offer revision.Revision) *session.Session {
	t.Helper()
	recording := filepath.Join(t.TempDir(), "recording.jsonl")
	s, err := session.Open(session.Config{
		Target: target, Record: recording, Lists: client.ListKinds, Policies: answers, Subscribe: true, Lint: true,
		Client: client.Config{Name: "mcptea", Version: "0", Revision: offer},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), deadline)
		defer stop()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		sameFindings(t, s, recording)
	})
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	if err := s.Connect(ctx); err != nil {
		t.Fatalf("connect: %v", err)
	}
	eventually(t, "the lists", func() bool {
		lists := s.State().Lists
		return !slices.ContainsFunc(client.ListKinds, func(kind client.ListKind) bool { return lists[kind.Name].Loading })
	})
	for _, kind := range client.ListKinds {
		if l := s.State().Lists[kind.Name]; l.Err != nil {
			t.Errorf("%s: %v", kind.Name, l.Err)
		}
	}
	return s
}

// sameFindings checks that mcptea lint finds in the recording of a session what
// was found while it ran.
func sameFindings(t *testing.T, s *session.Session, recording string) {
	t.Helper()
	live := map[string]int{}
	for _, g := range s.Findings().Groups {
		live[g.Rule.ID] = g.Count
	}
	f, err := os.Open(recording)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = f.Close() }()
	recorded := map[string]int{}
	report, err := lintfile.Lint(context.Background(), f, func(f lint.Finding) {
		if !f.Self {
			recorded[f.Rule.ID]++
		}
	})
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("the recording: %+v, %v", report, err)
	}
	if !maps.Equal(live, recorded) {
		t.Errorf("findings of the running session: %v; of its recording: %v", live, recorded)
	}
}

// stdioOf is a server's command as a target.
func stdioOf(argv ...string) client.Target { return client.Target{Argv: argv, Env: os.Environ()} }

// failures are words of what is to fail, by the name of the tool.
type failures map[string]string

func (f failures) and(more failures) failures {
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

var (
	onPurpose = failures{"test_error_handling": "intentionally returns an error"}

	// No server asks by itself in that revision.
	withoutHandshake = onPurpose.and(failures{
		"test_sampling": noRequests, "test_elicitation": noRequests,
		"test_elicitation_sep1034_defaults": noRequests, "test_elicitation_sep1330_enums": noRequests,
	})

	// Some forms that the server asks with are none to its own library.
	withHandshake = onPurpose.and(failures{"test_elicitation_sep1330_enums": "must specify enum"})

	// It closes a stream and keeps nothing that could be resumed.
	overHTTP = withHandshake.and(failures{"test_reconnection": "without an event id it cannot be resumed"})

	// Forms are of 2025-06-18.
	withoutForms = overHTTP.and(failures{
		"test_elicitation": noForms, "test_elicitation_sep1034_defaults": noForms, "test_elicitation_sep1330_enums": noForms,
		"test_input_required_result_elicitation": noForms, "test_input_required_result_multi_round": noForms,
		"test_input_required_result_multiple_inputs": noForms, "test_input_required_result_request_state": noForms,
		"test_input_required_result_tampered_state": noForms,
	})

	// A handshake that the server does not remember offers it nothing.
	forgetful = withoutForms.and(failures{
		"test_sampling": noAsking, "test_input_required_result_sampling": noAsking, "test_input_required_result_list_roots": noAsking,
		"test_input_required_result_multiple_inputs": "fulfilling input request", "test_missing_capability": "sampling capability required but not declared",
	})
)

const (
	noForms  = "client does not support elicitation"
	noAsking = "stateless servers cannot make requests"

	noRequests = "cannot be sent while serving a request on protocol version 2026-07-28"
)

// The conformance server in each era and over each transport: everything that
// it has works.
func TestConformanceServer(t *testing.T) {
	t.Parallel()
	server := sdkProgram(t, conformanceServer)
	pipes := func(*testing.T) client.Target { return stdioOf(server) }
	stateless := func(t *testing.T) client.Target { return client.Target{URL: listening(t, "", "-http", server)} }
	sessions := func(t *testing.T) client.Target {
		return client.Target{URL: listening(t, "", "-http", server, "-stateless=false")}
	}
	for name, tt := range map[string]conformance{
		"stdio without handshake":     {pipes, "", revision.R20260728, withoutHandshake, 1, true},
		"stdio with handshake":        {pipes, revision.R20251125, revision.R20251125, withHandshake, 1, true},
		"HTTP without handshake":      {stateless, "", revision.R20260728, withoutHandshake, 0, true},
		"HTTP with handshake, alone":  {stateless, revision.R20251125, revision.R20251125, forgetful, 1, false},
		"HTTP with sessions":          {sessions, "", revision.R20251125, overHTTP, 1, true},
		"HTTP with sessions, of 2025": {sessions, revision.R20250326, revision.R20250326, withoutForms, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is waiting for the server
			s := visit(t, tt.target(t), tt.offer)
			if got := s.State().Handshake.Revision; got != tt.want {
				t.Errorf("revision %s", got)
			}
			for kind, want := range map[string]int{"tools": 28, "resources": 3, "templates": 1, "prompts": 5} {
				if got := len(s.State().Lists[kind].Items); got != want {
					t.Errorf("%d %s, want %d", got, kind, want)
				}
			}
			callTools(t, s, tt.fails)
			readAndGet(t, s)
			cancelAtFirstProgress(t, s, tt.cancellations)
			if tt.follows {
				follow(t, s)
			}
		})
	}
}

// conformance is one way to reach the server.
type conformance struct {
	target        func(*testing.T) client.Target
	offer, want   revision.Revision
	fails         failures
	cancellations int  // messages that take a call back
	follows       bool // it tells when a resource changes
}

// arguments for the tools that want some.
var arguments = map[string]map[string]any{
	"json_schema_2020_12_tool": {"name": "Ada", "email": "ada@example.com"},
	"test_sampling":            {"prompt": "Which tea?"},
	"test_elicitation":         {"message": "Who?"},
	"test_x_mcp_header":        {"region": "eu-north", "level": 3},
}

// callTools calls each tool once.
func callTools(t *testing.T, s *session.Session, fails failures) {
	t.Helper()
	for _, tool := range s.State().Lists["tools"].Items {
		params := map[string]any{"name": tool.Name}
		if a := arguments[tool.Name]; a != nil {
			params["arguments"] = a
		}
		answer, err := outcome(t, s.Start("tools/call", client.Params(params)))
		if err == nil {
			err = answer.Err()
		}
		wrong := ""
		if err != nil {
			wrong = err.Error()
		} else if failed, _ := jsonrpc.Member(answer.Result(), "isError"); string(failed) == "true" {
			wrong = string(answer.Result())
		}
		want := fails[tool.Name]
		if (wrong != "") != (want != "") || !strings.Contains(wrong, want) {
			t.Errorf("%s: %q, want %q", tool.Name, wrong, want)
		}
	}
	if n := countFrames(s.Store(), transport.In, "notifications/progress"); n < 3 {
		t.Errorf("%d reports of progress", n)
	}
}

// readAndGet reads each resource, gets each prompt and completes an argument.
func readAndGet(t *testing.T, s *session.Session) {
	t.Helper()
	for _, r := range s.State().Lists["resources"].Items {
		if got := result(t, s, "resources/read", map[string]any{"uri": r.URI}); !strings.Contains(got, `"contents":[{`) {
			t.Errorf("%s: %s", r.URI, got)
		}
	}
	if got := result(t, s, "resources/read", map[string]any{"uri": "test://template/7/data"}); !strings.Contains(got, "7") {
		t.Errorf("by the template: %s", got)
	}
	for name, args := range map[string]map[string]string{
		"test_simple_prompt": nil, "test_prompt_with_image": nil,
		"test_prompt_with_arguments":         {"arg1": "black", "arg2": "green"},
		"test_prompt_with_embedded_resource": {"resourceUri": "test://static-text"},
	} {
		if got := result(t, s, "prompts/get", map[string]any{"name": name, "arguments": args}); !strings.Contains(got, `"messages":[{`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	complete := map[string]any{
		"ref":      map[string]string{"type": "ref/prompt", "name": "test_prompt_with_arguments"},
		"argument": map[string]string{"name": "arg1", "value": "b"},
	}
	if got := result(t, s, "completion/complete", complete); !strings.Contains(got, `"values":[]`) {
		t.Errorf("completion: %s", got)
	}
}

// cancelAtFirstProgress gives a call up that is under way; the connection goes
// on.
func cancelAtFirstProgress(t *testing.T, s *session.Session, messages int) {
	t.Helper()
	before := countFrames(s.Store(), transport.In, "notifications/progress")
	call := s.Start("tools/call", client.Params(map[string]any{"name": "test_tool_with_progress"}))
	eventually(t, "progress of the call", func() bool {
		return countFrames(s.Store(), transport.In, "notifications/progress") > before
	})
	call.Cancel()
	if _, err := outcome(t, call); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("a cancelled call ends with %v", err)
	}
	eventually(t, "word of the cancellation", func() bool {
		return countFrames(s.Store(), transport.Out, "notifications/cancelled") == messages
	})
	if got := result(t, s, "tools/call", map[string]any{"name": "test_simple_text"}); !strings.Contains(got, "simple text response") {
		t.Errorf("the call after that: %s", got)
	}
}

// follow waits for news of a resource that changes every three seconds.
func follow(t *testing.T, s *session.Session) {
	t.Helper()
	if _, err := outcome(t, s.SubscribeResource("test://watched-resource", true)); err != nil {
		t.Fatalf("follow: %v", err)
	}
	eventually(t, "news of the resource", func() bool {
		return countFrames(s.Store(), transport.In, "notifications/resources/updated") > 0
	})
}
