package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record/store"
	"mcptea/session/session"
)

// The official Go SDK on the other end of the line: it was written from the
// same specification by others, so that where both misread it is not here.

// sdkServerEnv makes this binary the SDK's server on stdio instead of a test.
const sdkServerEnv = "MCPTEA_E2E_SDK_SERVER"

func serveSDK() {
	if err := sdkServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sdkServer has something of everything, and tells afterwards what it was told
// to stop.
func sdkServer() *mcp.Server {
	type none struct{}
	type words struct {
		Text string `json:"text"`
	}
	text := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	var started, stopped atomic.Int32
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk-peer", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	mcp.AddTool(s, &mcp.Tool{Name: "shout"}, func(_ context.Context, _ *mcp.CallToolRequest, in words) (*mcp.CallToolResult, any, error) {
		return text("%s", strings.ToUpper(in.Text)), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		started.Add(1)
		<-ctx.Done()
		stopped.Add(1)
		return nil, nil, ctx.Err()
	})
	mcp.AddTool(s, &mcp.Tool{Name: "waits"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return text("%d begun, %d stopped", started.Load(), stopped.Load()), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "spoil"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("the milk is off")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "steep"}, func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		for n := 1.0; n <= 3; n++ {
			progress := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: n, Total: 3}
			_ = r.Session.NotifyProgress(ctx, progress) // an answer in JSON has no room for it
		}
		return text("steeped"), nil, nil
	})
	s.AddResource(&mcp.Resource{Name: "leaf", URI: "tea://leaf"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "tea://leaf", Text: "Assam"}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "leaves", URITemplate: "tea://leaf/{kind}"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "one of many"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "order"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "A pot of tea."}}}}, nil
	})
	return s
}

func TestGoSDKOverStdio(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exerciseSDK(t, client.Target{Argv: []string{self}, Env: append(os.Environ(), sdkServerEnv+"=1")})
}

func TestGoSDKOverHTTP(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{
		"answers as event streams": nil,
		"answers as JSON":          {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			peer := sdkServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return peer }, options))
			defer server.Close()
			// Close alone would wait for a request that hangs.
			defer server.CloseClientConnections()
			exerciseSDK(t, client.Target{URL: server.URL})
		})
	}
}

// exerciseSDK connects, lists, calls, cancels and leaves.
func exerciseSDK(t *testing.T, target client.Target) {
	before := goleak.IgnoreCurrent()
	s, err := session.Open(session.Config{
		Target: target, Record: "off", Lists: client.ListKinds, Client: client.Config{Revision: revision.R20251125},
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
	if got := s.State().Handshake; got.Server.Name != "sdk-peer" || got.Revision != "2025-11-25" {
		t.Errorf("handshake: %+v", got)
	}
	listsOfSDK(t, s)
	if got := result(t, s, "tools/call", map[string]any{"name": "shout", "arguments": map[string]any{"text": "tea"}}); !strings.Contains(got, `"TEA"`) {
		t.Errorf("shout: %s", got)
	}
	if got := result(t, s, "tools/call", map[string]any{"name": "spoil"}); !strings.Contains(got, `"isError":true`) {
		t.Errorf("spoil: %s", got)
	}
	if got := result(t, s, "resources/read", map[string]any{"uri": "tea://leaf"}); !strings.Contains(got, `"Assam"`) {
		t.Errorf("read: %s", got)
	}
	call := s.Start("tools/list", client.Params(map[string]any{"cursor": "no such page"}))
	if answer, err := outcome(t, call); err != nil || answer.Err() == nil {
		t.Errorf("a wrong cursor: %s, %v", answer.Frame, err)
	}
	cancelSDK(t, s, 1)
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := goleak.Find(before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreTopFunction("net/http.(*connReader).backgroundRead")); err != nil {
		t.Error(err)
	}
}

// listsOfSDK waits for the lists, which come in pages of two.
func listsOfSDK(t *testing.T, s *session.Session) {
	t.Helper()
	want := map[string]int{"tools": 5, "resources": 1, "templates": 1, "prompts": 1}
	eventually(t, "the lists", func() bool {
		lists := s.State().Lists
		for kind := range want {
			if l := lists[kind]; l.Loading || l.Loaded.IsZero() {
				return false
			}
		}
		return true
	})
	for kind, n := range want {
		if l := s.State().Lists[kind]; len(l.Items) != n || l.Err != nil {
			t.Errorf("%d %s, want %d; %v", len(l.Items), kind, n, l.Err)
		}
	}
}

// cancelSDK gives a call up and asks the server whether it noticed. messages is
// how many notifications tell it so.
func cancelSDK(t *testing.T, s *session.Session, messages int) {
	t.Helper()
	waits := func(want string) func() bool {
		return func() bool {
			return strings.Contains(result(t, s, "tools/call", map[string]any{"name": "waits"}), want)
		}
	}
	call := s.Start("tools/call", client.Params(map[string]any{"name": "wait"}))
	// What the SDK is told to stop before it has begun, it never begins.
	eventually(t, "the call at the server", waits("1 begun, 0 stopped"))
	call.Cancel()
	if _, err := outcome(t, call); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("a cancelled call ends with %v", err)
	}
	eventually(t, "word of the cancellation at the server", waits("1 begun, 1 stopped"))
	if n := countFrames(s.Store(), transport.Out, "notifications/cancelled"); n != messages {
		t.Errorf("%d cancellations were sent, want %d", n, messages)
	}
	if waiting := s.Store().Pending(10); len(waiting) > 0 {
		t.Errorf("it is shown as if it still ran: %+v", waiting)
	}
}

// countFrames counts the frames of a method that went one way.
func countFrames(st *store.Store, dir transport.Direction, method string) int {
	n := 0
	for i := int32(0); ; i++ {
		row, ok := st.Row(i)
		if !ok {
			return n
		}
		if st.Method(row.Method) == method && row.Dir == dir {
			n++
		}
	}
}

func outcome(t *testing.T, call *session.Call) (client.Response, error) {
	t.Helper()
	select {
	case <-call.Done():
		return call.Outcome()
	case <-time.After(deadline):
		t.Fatalf("%s has no outcome", call.Method)
		return client.Response{}, nil
	}
}

// result calls a method and returns its result without white space.
func result(t *testing.T, s *session.Session, method string, params map[string]any) string {
	t.Helper()
	var raw []byte
	if params != nil {
		raw = client.Params(params)
	}
	answer, err := outcome(t, s.Start(method, raw))
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	var v any
	if err := json.Unmarshal(answer.Result(), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
