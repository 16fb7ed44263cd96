//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	mcpjsonrpc "mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// pythonServer is a server in the standard library of Python.
const pythonServer = `import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if 'id' not in m:
        continue
    r, p = {}, m.get('params', {})
    if m['method'] == 'initialize':
        r = {'protocolVersion': p['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'python', 'version': '1'}}
    elif m['method'] == 'tools/list':
        r = {'tools': [{'name': 'echo', 'inputSchema': {'type': 'object'}}]}
    elif m['method'] == 'tools/call':
        r = {'content': [{'type': 'text', 'text': p['arguments']['message']}]}
    elif m['method'] == 'server/discover':
        print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'error': {'code': -32601, 'message': 'Method not found'}}), flush=True)
        continue
    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)
`

// outcomes are what came of the calls of a host: of each one a result of its own, an error of the tap, or
// another thing.
type outcomes struct {
	Calls, Results int
	Tap            int // errors of the tap
	Other          []string
	Wrong          int // results of another call
	Faults         []string
}

// steadyHost calls a tool through a command, four calls at a time, from when connected is called until
// stop is closed.
type steadyHost func(t *testing.T, argv, env []string, connected func(), stop <-chan struct{}) outcomes

// steadyHosts are hosts that others wrote, and mcptea's own client.
var steadyHosts = map[string]steadyHost{
	"TypeScript SDK v1": typeScriptHost("v1"),
	"TypeScript SDK v2": typeScriptHost("v2"),
	"Go SDK":            goSDKHost,
	"mcptea":            ownHost,
}

func typeScriptHost(sdk string) steadyHost {
	return func(t *testing.T, argv, env []string, connected func(), stop <-chan struct{}) (got outcomes) {
		script := filepath.Join(root(t), "testdata", "peers", "steady.mjs")
		cmd := exec.CommandContext(t.Context(), everything(t)[0], append([]string{script, sdk, "echo", `{"message":"n#e"}`}, argv...)...)
		cmd.Env = env
		stdin, stdout := startOverPipes(t, cmd)
		lines := bufio.NewReader(stdout)
		if line, err := lines.ReadString('\n'); err != nil || line != "connected\n" {
			t.Fatalf("%q, %v", line, err)
		}
		connected()
		<-stop
		_ = stdin.Close()
		text, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return got
	}
}

// callSteadily calls until stop is closed. call returns the result as text, and the data of an error.
func callSteadily(stop <-chan struct{}, call func(n int) (result string, data []byte, err error)) (got outcomes) {
	var mu sync.Mutex
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.Lock()
				got.Calls++
				n := got.Calls
				mu.Unlock()
				result, data, err := call(n)
				mu.Lock()
				switch {
				case err == nil && strings.Contains(result, fmt.Sprintf("n%de", n)):
					got.Results++
				case err == nil:
					got.Wrong++
				case strings.Contains(string(data), `"mcptea tap"`):
					got.Tap++
				default:
					got.Other = append(got.Other, err.Error())
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return got
}

func goSDKHost(t *testing.T, argv, env []string, connected func(), stop <-chan struct{}) outcomes {
	ctx, end := context.WithTimeout(t.Context(), 60*deadline)
	defer end()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.ListTools(ctx, nil); err != nil {
		t.Fatal(err)
	}
	connected()
	return callSteadily(stop, func(n int) (string, []byte, error) {
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": fmt.Sprintf("n%de", n)}})
		if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return "", wire.Data, err
		}
		if err != nil {
			return "", nil, err
		}
		text, err := json.Marshal(result)
		return string(text), nil, err
	})
}

// discardTap keeps nothing.
type discardTap struct{ transporttest.Discard }

func (discardTap) Frame(transport.Frame) (at transport.Ref) { return at }

func (discardTap) Step(client.Step) {}

func (discardTap) Lost(mcpjsonrpc.ID, error) {}

func ownHost(t *testing.T, argv, env []string, connected func(), stop <-chan struct{}) outcomes {
	ctx, end := context.WithTimeout(t.Context(), 60*deadline)
	defer end()
	c := client.New(client.Target{Argv: argv, Env: env}, discardTap{}, client.Config{Name: "host", Version: "1"})
	if err := c.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(ctx) }()
	if _, err := c.List(ctx, client.ListKinds[0]); err != nil {
		t.Fatal(err)
	}
	connected()
	return callSteadily(stop, func(n int) (string, []byte, error) {
		r, err := c.Call(ctx, "tools/call", fmt.Appendf(nil, `{"name":"echo","arguments":{"message":"n%de"}}`, n))
		if err == nil {
			err = r.Err()
		}
		return string(r.Result()), r.Frame, err
	})
}
