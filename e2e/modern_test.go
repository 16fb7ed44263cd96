package e2e

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/session"
)

// The SDK's server in the revision without handshake.

func TestGoSDKWithoutHandshakeOverStdio(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exerciseModern(t, client.Target{Argv: []string{self}, Env: append(os.Environ(), sdkServerEnv+"=1")}, wire{cancellations: 1, progress: 3})
}

func TestGoSDKWithoutHandshakeOverHTTP(t *testing.T) {
	for name, wire := range map[string]wire{"answers as event streams": {progress: 3}, "answers as JSON": {}} {
		t.Run(name, func(t *testing.T) {
			peer := sdkServer()
			options := &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: wire.progress == 0, PropagateRequestCancellation: true}
			watched := &watch{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return peer }, options)}
			server := httptest.NewServer(watched)
			defer server.Close()
			defer server.CloseClientConnections()
			exerciseModern(t, client.Target{URL: server.URL}, wire)
			watched.judge(t)
		})
	}
}

// watch keeps the heads of the requests that a server gets.
type watch struct {
	http.Handler
	mu  sync.Mutex
	got []*http.Request
}

func (w *watch) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.got = append(w.got, r)
	w.mu.Unlock()
	w.Handler.ServeHTTP(rw, r)
}

// judge looks for what has no place without sessions.
func (w *watch) judge(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.got {
		h := r.Header
		if r.Method != http.MethodPost || h.Get("Mcp-Session-Id") != "" || h.Get("MCP-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Method") == "" {
			t.Errorf("%s with %v", r.Method, h)
		}
	}
}

// wire is the number of messages that a transport has for a cancelled call and for one that reports
// progress.
type wire struct{ cancellations, progress int }

// exerciseModern connects, lists, calls, cancels and leaves.
func exerciseModern(t *testing.T, target client.Target, want wire) {
	before := goleak.IgnoreCurrent()
	s, err := session.Open(session.Config{
		Target: target, Record: "off", Lists: client.ListKinds,
		Client: client.Config{Name: "mcptea", Version: "0", Revision: revision.R20260728},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	defer s.Close(ctx) // a test that gives up halfway leaves nothing behind
	if err := s.Connect(ctx); err != nil {
		t.Fatalf("connect: %v", err)
	}
	if got := s.State().Handshake; got.Server.Name != "sdk-peer" || got.Revision != "2026-07-28" || !got.HasCapability("tools") {
		t.Errorf("the server: %+v", got)
	}
	listsOfSDK(t, s)
	callsWithoutHandshake(t, s, want.progress)
	cancelSDK(t, s, want.cancellations)
	for _, method := range []string{"initialize", "notifications/initialized", "ping"} {
		if n := countFrames(s.Store(), transport.Out, method); n > 0 {
			t.Errorf("%d times %s", n, method)
		}
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := goleak.Find(before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreTopFunction("net/http.(*connReader).backgroundRead")); err != nil {
		t.Error(err)
	}
}

func callsWithoutHandshake(t *testing.T, s *session.Session, progress int) {
	t.Helper()
	for _, c := range []struct {
		method string
		params map[string]any
		want   string
	}{
		{"tools/call", map[string]any{"name": "shout", "arguments": map[string]any{"text": "tea"}}, `"TEA"`},
		{"tools/call", map[string]any{"name": "spoil"}, `"isError":true`},
		{"resources/read", map[string]any{"uri": "tea://leaf"}, `"Assam"`},
		{"resources/read", map[string]any{"uri": "tea://leaf/green"}, `"one of many"`},
		{"prompts/get", map[string]any{"name": "order"}, "A pot of tea."},
		{"tools/call", map[string]any{"name": "steep"}, `"steeped"`},
	} {
		if got := result(t, s, c.method, c.params); !strings.Contains(got, c.want) {
			t.Errorf("%s %v: %s", c.method, c.params, got)
		}
	}
	if n := countFrames(s.Store(), transport.In, "notifications/progress"); n != progress {
		t.Errorf("%d reports of progress, want %d", n, progress)
	}
	if answer, err := outcome(t, s.Start("no/such", nil)); err != nil || answer.Err() == nil {
		t.Errorf("an unknown method: %s, %v", answer.Frame, err)
	}
}

// A server with sessions says that it cannot do without.
func TestGoSDKWithSessionsHasAHandshake(t *testing.T) {
	peer := sdkServer()
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return peer }, nil))
	defer server.Close()
	s, err := session.Open(session.Config{
		Target: client.Target{URL: server.URL}, Record: "off", Client: client.Config{Revision: revision.R20260728},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	var revisions *client.RevisionError
	if err := s.Connect(ctx); !errors.As(err, &revisions) || !strings.Contains(err.Error(), "2025-11-25") {
		t.Errorf("connected with %v", err)
	}
}
