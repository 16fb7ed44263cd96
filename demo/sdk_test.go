//go:build gosdk

package demo

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client/revision"
	"mcptea/demo/primitives"
)

// The official Go SDK as an independent client: it checks what it
// reads more strictly than the tests over raw frames can. The tag keeps its
// dependencies out of builds that do not have them in go.sum.

func sdkClient(progress chan<- float64, changed chan<- struct{}) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m-1", Content: &mcp.TextContent{Text: "Assam"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			answer := &mcp.ElicitResult{Action: "accept"}
			switch message := r.Params.Message; {
			case strings.Contains(message, "bring you"):
				answer.Content = map[string]any{"tea": "green", "cups": 2}
			case strings.Contains(message, "name"):
				answer.Content = map[string]any{"name": "Ada"}
			case r.Params.Mode != "url":
				answer.Content = map[string]any{"yes": true}
			}
			return answer, nil
		},
		Capabilities: &mcp.ClientCapabilities{
			RootsV2: &mcp.RootCapabilities{ListChanged: true},
			Elicitation: &mcp.ElicitationCapabilities{
				Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
			},
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Progress
		},
	})
}

func TestSDKOverPipes(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { sdkOverPipes(t, revision) })
	}
}

func sdkOverPipes(t *testing.T, revision string) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- New(Options{Pace: time.Millisecond}).ServeStdio(t.Context(), inR, outW, io.Discard)
		_ = outW.Close()
	}()
	progress, changed := make(chan float64, 16), make(chan struct{}, 1)
	session, err := sdkClient(progress, changed).Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	exercise(t, session, revision, progress)
	sdkCall(t, session, &mcp.CallToolParams{Name: "change-tools"})
	<-changed
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSDKInEachRevision(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- New(Options{}).ServeStdio(t.Context(), inR, outW, io.Discard)
			_ = outW.Close()
		}()
		session, err := sdkClient(nil, nil).Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW},
			&mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatalf("%s: %v", revision, err)
		}
		if got := session.InitializeResult().ProtocolVersion; got != revision {
			t.Errorf("asked for %s, got %s", revision, got)
		}
		listEverything(t, session, revision)
		sdkCall(t, session, &mcp.CallToolParams{Name: "content"})
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestSDKOverHTTP(t *testing.T) {
	for path, revision := range map[string]string{"/mcp": "2026-07-28", "/legacy": "2025-11-25", "/modern": "2026-07-28"} {
		t.Run(path, func(t *testing.T) { sdkOverHTTP(t, path, revision) })
	}
}

func sdkOverHTTP(t *testing.T, path, revision string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	server := httptest.NewServer(New(Options{Pace: time.Millisecond}).HandlerContext(ctx))
	defer server.Close()
	defer stop()
	progress, changed := make(chan float64, 16), make(chan struct{}, 1)
	client := server.Client()
	session, err := sdkClient(progress, changed).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + path, HTTPClient: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	exercise(t, session, revision, progress)
	sdkCall(t, session, &mcp.CallToolParams{Name: "change-tools"})
	<-changed
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
}

func exercise(t *testing.T, session *mcp.ClientSession, revision string, progress <-chan float64) {
	t.Helper()
	if got := session.InitializeResult(); got.ProtocolVersion != revision || got.ServerInfo.Title != "mcptea demo" {
		t.Errorf("initialize: %+v", got)
	}
	listEverything(t, session, revision)
	if got := sdkCall(t, session, &mcp.CallToolParams{Name: "weather", Arguments: map[string]any{"city": "Lisbon"}}); got.StructuredContent == nil {
		t.Error("no structured content")
	}
	if got := sdkCall(t, session, &mcp.CallToolParams{Name: "content"}); len(got.Content) != 7 {
		t.Errorf("%d blocks of content", len(got.Content))
	}
	answers := map[string]string{
		"ask-user": `"tea":"green"`, "ask-model": "m-1 says: Assam", "list-roots": "0 roots",
		"ask-twice": `is it right: you filled in: {"yes":true}`, "ask-all": `page: {"action":"accept"}`,
	}
	for tool, want := range answers {
		got, err := json.Marshal(sdkCall(t, session, &mcp.CallToolParams{Name: tool}).Content[0])
		if err != nil || !strings.Contains(strings.ReplaceAll(string(got), `\"`, `"`), want) {
			t.Errorf("%s: %s, %v", tool, got, err)
		}
	}
	params := &mcp.CallToolParams{Name: "long-work", Arguments: map[string]any{"steps": 3, "duration": 1}}
	params.SetProgressToken("p")
	sdkCall(t, session, params)
	for want := 1.0; want <= 3; want++ {
		if got := <-progress; got != want {
			t.Errorf("progress %v, want %v", got, want)
		}
	}
}

func sdkCall(t *testing.T, session *mcp.ClientSession, params *mcp.CallToolParams) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", params.Name, err)
	}
	if result.IsError {
		t.Errorf("%s failed: %+v", params.Name, result.Content[0])
	}
	return result
}

// shownTools is the number of tools in a list of the revision.
func shownTools(version string) int {
	r := revision.Revision(version)
	n := 0
	for _, tool := range primitives.New(0).Lists["tools"] {
		if !tool.Hidden && r >= tool.From && (tool.Until == "" || r <= tool.Until) {
			n++
		}
	}
	return n
}

func listEverything(t *testing.T, session *mcp.ClientSession, revision string) {
	t.Helper()
	tools := 0
	for _, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools++
	}
	if want := shownTools(revision); tools != want {
		t.Errorf("%d tools, want %d", tools, want)
	}
	for resource, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI}); err != nil {
			t.Errorf("%s: %v", resource.URI, err)
		}
	}
	for _, err := range session.ResourceTemplates(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for prompt, err := range session.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		args := map[string]string{}
		for _, a := range prompt.Arguments {
			args[a.Name] = "x"
		}
		if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt.Name, Arguments: args}); err != nil {
			t.Errorf("%s: %v", prompt.Name, err)
		}
	}
}
