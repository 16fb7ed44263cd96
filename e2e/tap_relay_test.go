//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watchedTap is the command line of a tap that restarts a server when a file of a directory changes.
func watchedTap(t *testing.T, dir string, server []string) []string {
	t.Helper()
	return append([]string{program(t), "tap", "--record", filepath.Join(t.TempDir(), "s.mcptea.jsonl"), "--watch=" + dir, "--"}, server...)
}

// urlTap is the command line of a tap over stdio of a server with a URL.
func urlTap(t *testing.T, url string) []string {
	t.Helper()
	return []string{program(t), "tap", "--record", filepath.Join(t.TempDir(), "s.mcptea.jsonl"), "--token-store", "off", url}
}

// A host gets the same results from a tap that watches, and over stdio from a server with a URL, as from
// the server itself.
func TestTapRelay_SameResults(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := func(argv ...string) mcp.Transport {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), sdkServerEnv+"=1", "XDG_STATE_HOME="+t.TempDir())
		return &mcp.CommandTransport{Command: cmd}
	}
	t.Run("Go SDK, watched", func(t *testing.T) {
		sameOutput(t, useSDK(t, command(self)), useSDK(t, command(watchedTap(t, t.TempDir(), []string{self})...)))
	})
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"event streams": nil, "JSON": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run("Go SDK, "+name, func(t *testing.T) {
			peer := sdkServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return peer }, options))
			defer server.Close()
			direct := useSDK(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"})
			// The SDK adds the status of HTTP to the error of the server.
			direct = strings.NewReplacer(`sending \"tools/call\": `, "", ": rejected by transport: Bad Request", "").Replace(direct)
			sameOutput(t, direct, useSDK(t, command(urlTap(t, server.URL+"/mcp")...)))
			server.CloseClientConnections()
		})
	}
}

// The same with the hosts and servers of others.
func TestTapRelay_SameResultsTypeScript(t *testing.T) {
	t.Parallel() // each of its processes begins with Node.js
	node := everything(t)[0]
	client := func(sdk string, target ...string) []string {
		return append([]string{node, filepath.Join(root(t), "testdata", "peers", "client.mjs"), sdk}, target...)
	}
	demo := []string{program(t), "demo", "--serve"}
	for _, sdk := range []string{"v1", "v2"} {
		t.Run(sdk+" watched", func(t *testing.T) {
			sameOutput(t, hostOutput(t, client(sdk, everything(t)...)...), hostOutput(t, client(sdk, watchedTap(t, t.TempDir(), everything(t))...)...))
		})
		t.Run(sdk+" watched, demo", func(t *testing.T) {
			sameOutput(t, hostOutput(t, client(sdk, demo...)...), hostOutput(t, client(sdk, watchedTap(t, t.TempDir(), demo)...)...))
		})
		t.Run(sdk+" URL", func(t *testing.T) {
			url := everythingOverHTTP(t, "streamableHttp", "/mcp")
			sameOutput(t, hostOutput(t, client(sdk, url)...), hostOutput(t, client(sdk, urlTap(t, url)...)...))
		})
	}
	t.Run("v1 HTTP+SSE", func(t *testing.T) {
		url := everythingOverHTTP(t, "sse", "/sse")
		sameOutput(t, hostOutput(t, client("v1", url)...), hostOutput(t, client("v1", urlTap(t, url)...)...))
	})
}

// An agent edits the server, saves, and calls it, ten times, and stays connected: each call is answered by
// the server as it was saved, and the list that follows has its tool.
func TestTapWatch_AgentLoop(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*deadline)
	defer stop()
	dir := t.TempDir()
	source := filepath.Join(dir, "tool.txt")
	written := filepath.Join(t.TempDir(), "tool.txt")
	save := func(name string) { // at once, as editors do: a server that starts meanwhile reads one name or the other
		if err := os.WriteFile(written, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(written, source); err != nil {
			t.Fatal(err)
		}
	}
	save("tool0")
	argv := watchedTap(t, dir, []string{self})
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), smallServerEnv+"=edited", editedToolEnv+"="+source, "XDG_STATE_HOME="+t.TempDir())
	changed := make(chan struct{}, 100)
	host := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	s, err := host.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if !s.InitializeResult().Capabilities.Tools.ListChanged {
		t.Error("listChanged is not declared")
	}
	list := func() string {
		tools, err := s.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 1 {
			t.Fatalf("%v, %v", tools, err)
		}
		return tools.Tools[0].Name
	}
	if name := list(); name != "tool0" {
		t.Fatalf("the tool is %s", name)
	}
	for n := 1; n <= 10; n++ {
		time.Sleep(100 * time.Millisecond) // the agent thinks; it is what happens then, and not when, that is checked
		name := fmt.Sprintf("tool%d", n)
		save(name)
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name})
		if err != nil || result.Content[0].(*mcp.TextContent).Text != name {
			t.Fatalf("edit %d: %v, %v", n, result, err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("edit %d: the host is not told", n)
		}
		if got := list(); got != name {
			t.Errorf("edit %d: the list has %s", n, got)
		}
	}
}
