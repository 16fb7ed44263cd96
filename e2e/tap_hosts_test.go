//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/internal/shell"
)

// Hosts that others wrote must not notice a tap: they get the same results with it as
// without.

// hostOutput runs a program of a host and returns its stdout.
func hostOutput(t *testing.T, argv ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*deadline)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s\n%s", argv, err, out, stderr.Bytes())
	}
	if len(out) == 0 {
		t.Fatalf("%q printed nothing\n%s", argv, stderr.Bytes())
	}
	return string(out)
}

// stdioTap is the command line of a tap in front of a server.
func stdioTap(t *testing.T, server []string) []string {
	t.Helper()
	return append([]string{program(t), "tap", "--record", filepath.Join(t.TempDir(), "s.mcptea.jsonl"), "--"}, server...)
}

func sameOutput(t *testing.T, direct, through string) {
	t.Helper()
	if diff := cmp.Diff(direct, through); diff != "" {
		t.Errorf("the host gets other results (-direct +tap):\n%s", diff)
	}
}

func TestTap_TypeScriptSDKs(t *testing.T) {
	t.Parallel() // each of its processes begins with Node.js
	node := everything(t)[0]
	peer(t, "@modelcontextprotocol/client/package.json")
	client := func(sdk string, target ...string) []string {
		script := filepath.Join(root(t), "testdata", "peers", "client.mjs")
		return append([]string{node, script, sdk}, target...)
	}
	demo := []string{program(t), "demo", "--serve"}
	for _, sdk := range []string{"v1", "v2"} {
		t.Run(sdk+" stdio", func(t *testing.T) {
			sameOutput(t, hostOutput(t, client(sdk, everything(t)...)...), hostOutput(t, client(sdk, stdioTap(t, everything(t))...)...))
		})
		t.Run(sdk+" stdio, demo", func(t *testing.T) {
			sameOutput(t, hostOutput(t, client(sdk, demo...)...), hostOutput(t, client(sdk, stdioTap(t, demo)...)...))
		})
		t.Run(sdk+" http", func(t *testing.T) {
			url := everythingOverHTTP(t, "streamableHttp", "/mcp")
			sameOutput(t, hostOutput(t, client(sdk, url)...), hostOutput(t, client(sdk, listeningTap(t, url))...))
		})
	}
	t.Run("v1 sse", func(t *testing.T) {
		url := everythingOverHTTP(t, "sse", "/sse")
		sameOutput(t, hostOutput(t, client("v1", url)...), hostOutput(t, client("v1", listeningTap(t, url))...))
	})
}

// inspectorCLI is the command line of the official Inspector without its screen.
func inspectorCLI(t *testing.T) []string {
	t.Helper()
	others(t)
	const install = "install it with: npm ci --prefix testdata/inspector --ignore-scripts"
	script := filepath.Join(root(t), "testdata", "inspector", "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	if _, err := os.Stat(script); err != nil {
		lacks(t, "the Inspector is not there; %s", install)
	}
	return []string{newNode(t), script, "--cli"}
}

// newNode is a node of version 22 or newer: the one in PATH, or the one that
// .ci/conformance installs.
func newNode(t *testing.T) string {
	t.Helper()
	others(t)
	cache, _ := os.UserCacheDir()
	for _, path := range []string{"node", filepath.Join(cache, "mcptea-ci", "node22", "node_modules", "node", "bin", "node")} {
		out, err := exec.Command(path, "-p", "process.versions.node").Output()
		major, _, _ := strings.Cut(string(out), ".")
		if n, _ := strconv.Atoi(major); err == nil && n >= 22 {
			return path
		}
	}
	lacks(t, "there is no node of version 22 or newer")
	return ""
}

func TestTap_InspectorCLI(t *testing.T) {
	t.Parallel() // each of its processes begins with Node.js
	inspector := inspectorCLI(t)
	methods := [][]string{
		{"--method", "tools/list"},
		{"--method", "resources/list"},
		{"--method", "prompts/list"},
		{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=tea"},
	}
	run := func(t *testing.T, target []string, flags ...string) (all string) {
		t.Helper()
		for _, m := range methods {
			// Such as the address in a message of the CLI itself.
			out := hostOutput(t, append(append(append(inspector[:len(inspector):len(inspector)], target...), flags...), m...)...)
			all += regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out, "SERVER")
		}
		return all
	}
	t.Run("stdio", func(t *testing.T) {
		// The Inspector takes "--" for its own.
		line, err := shell.Bash.Join(shell.Literals(stdioTap(t, everything(t))...))
		if err != nil {
			t.Fatal(err)
		}
		sameOutput(t, run(t, everything(t)), run(t, []string{"sh", "-c", "exec " + line}))
	})
	t.Run("http", func(t *testing.T) {
		url := everythingOverHTTP(t, "streamableHttp", "/mcp")
		sameOutput(t, run(t, []string{url}, "--transport", "http"), run(t, []string{listeningTap(t, url)}, "--transport", "http"))
	})
}

// useSDK uses a server through the Go SDK and returns what it got, as JSON.
func useSDK(t *testing.T, transport mcp.Transport) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	var progress []float64
	c := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress = append(progress, r.Params.Progress)
		},
	})
	s, err := c.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	got := map[string]any{"server": s.InitializeResult()}
	note := func(name string, result any, err error) {
		if got[name] = result; err != nil {
			got[name] = err.Error()
		}
	}
	tools, err := s.ListTools(ctx, nil)
	note("tools", tools, err)
	resource, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "tea://leaf"})
	note("resource", resource, err)
	prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "order"})
	note("prompt", prompt, err)
	for _, call := range []*mcp.CallToolParams{
		{Name: "shout", Arguments: map[string]any{"text": "tea \u2028 " + strings.Repeat("x", 100_000)}},
		{Name: "spoil"},
		{Name: "no-such-tool"},
		{Name: "shout", Arguments: map[string]any{"text": 1}},
	} {
		result, err := s.CallTool(ctx, call)
		note("call "+call.Name, result, err)
	}
	call := &mcp.CallToolParams{Name: "steep"}
	call.SetProgressToken("p")
	result, err := s.CallTool(ctx, call)
	note("steep", result, err)
	waiting, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("not wanted"))
	_, err = s.CallTool(waiting, &mcp.CallToolParams{Name: "wait"})
	note("cancelled", nil, err)
	text, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTap_GoSDKOverStdio(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := func(argv ...string) mcp.Transport {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), sdkServerEnv+"=1", "XDG_STATE_HOME="+t.TempDir())
		return &mcp.CommandTransport{Command: cmd}
	}
	sameOutput(t, useSDK(t, command(self)), useSDK(t, command(stdioTap(t, []string{self})...)))
}

func TestTap_GoSDKOverHTTP(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"event streams": nil, "JSON": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			peer := sdkServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return peer }, options))
			defer server.Close()
			direct := useSDK(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"})
			sameOutput(t, direct, useSDK(t, &mcp.StreamableClientTransport{Endpoint: listeningTap(t, server.URL+"/mcp")}))
			server.CloseClientConnections()
		})
	}
}

// TestTap_RecordsEveryFrameOfFlood passes a million frames through a tap.
func TestTap_RecordsEveryFrameOfFlood(t *testing.T) {
	if !demanded() {
		t.Skip("it takes a while; MCPTEA_E2E=1 runs it")
	}
	flood, _ := floodFile(t)
	want, err := os.ReadFile(flood)
	if err != nil {
		t.Fatal(err)
	}
	argv := stdioTap(t, []string{"cat", flood})
	if got := hostOutput(t, argv...); got != string(want) {
		t.Errorf("the host got %d bytes, want %d", len(got), len(want))
	}
	recorded := filepath.Join(t.TempDir(), "recorded.jsonl")
	mcptea(t, "export", argv[3], "--to", "raw", "--dir", "in", "--output", recorded).exits(t, 0)
	if got, err := os.ReadFile(recorded); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the recording has %d bytes, want %d; %v", len(got), len(want), err)
	}
}
