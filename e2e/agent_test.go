//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/internal/shell"
)

// useTool calls a tool of mcptea mcp whose target is the demo server with a fault, and
// returns the result as JSON.
type useTool func(t *testing.T, fault, tool string, arguments map[string]any) string

// debug is a debugging session of broken servers, by a client of mcptea mcp.
func debug(t *testing.T, use useTool) {
	t.Helper()
	for _, step := range []struct {
		fault, tool string
		arguments   map[string]any
		contains    []string
	}{
		{"exit-at-once", "connect", nil, []string{`"isError":true`, "exited with code 3", `"try"`}},
		{"exit-at-once", "status", nil, []string{`"state":"failed"`, "exited with code 3"}},
		{"exit-at-once", "call", map[string]any{"tool": "echo"}, []string{`"isError":true`, "exited with code 3"}},
		{"banner", "status", nil, []string{`"state":"ready"`, "mcptea-demo"}},
		{"banner", "findings", nil, []string{`"rule":"K001"`, `"responsible":"server"`, `"fix"`}},
		{"banner", "call", map[string]any{"tool": "echo", "arguments": map[string]any{"message": "hi"}}, []string{`"outcome":"result"`, `"server_text":"hi"`}},
		{"banner", "traffic", nil, []string{"invalid"}},
		{"banner", "check", map[string]any{"only": []string{"P-100"}}, []string{"P-100 ", `"verdict":"fail"`}},
		{"", "check", map[string]any{"only": []string{"P-050"}}, []string{`"pass"`, `"findings":[]`}},
	} {
		result := use(t, step.fault, step.tool, step.arguments)
		for _, text := range step.contains {
			if !strings.Contains(result, text) {
				t.Errorf("%s of the server with the fault %q lacks %s: %.800s", step.tool, step.fault, text, result)
			}
		}
	}
}

// agentCommand is the command line of mcptea mcp for a demo server with a fault.
func agentCommand(t *testing.T, fault string) []string {
	t.Helper()
	command := []string{program(t), "mcp", "--", program(t), "demo", "--serve"}
	if fault != "" {
		command = append(command, "--fault", fault)
	}
	return command
}

// compactJSON is a value without blanks.
func compactJSON(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return b.String()
}

// The official Inspector starts mcptea for each call, which connects to the server of
// the command line by itself.
func TestMCP_InspectorCLI(t *testing.T) {
	t.Parallel() // each of its processes begins with Node.js
	inspector := inspectorCLI(t)
	debug(t, func(t *testing.T, fault, tool string, arguments map[string]any) string {
		t.Helper()
		// The Inspector takes "--" for its own.
		line, err := shell.Bash.Join(shell.Literals(agentCommand(t, fault)...))
		if err != nil {
			t.Fatal(err)
		}
		command := append(inspector[1:len(inspector):len(inspector)], "sh", "-c", "exec "+line, "--method", "tools/call", "--tool-name", tool)
		for name, value := range arguments {
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			command = append(command, "--tool-arg", name+"="+string(raw))
		}
		ctx, stop := context.WithTimeout(t.Context(), 3*deadline)
		defer stop()
		cmd := exec.CommandContext(ctx, inspector[0], command...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		text, err := cmd.Output() // a tool error is not a success
		if len(text) == 0 {
			t.Fatalf("%s: %v %s", tool, err, stderr.Bytes())
		}
		return compactJSON(t, text)
	})
}

func TestMCP_GoSDK(t *testing.T) {
	sessions := map[string]*mcp.ClientSession{}
	debug(t, func(t *testing.T, fault, tool string, arguments map[string]any) string {
		t.Helper()
		command := agentCommand(t, fault) // builds the program, which no call has to wait for
		ctx, stop := context.WithTimeout(t.Context(), 3*deadline)
		defer stop()
		c := sessions[fault]
		if c == nil {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
			var err error
			if c, err = mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			sessions[fault] = c
		}
		result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return compactJSON(t, text)
	})
}
