//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/cli/app"
)

// An agent attaches to an inspector on a terminal; the user agrees to a call and
// declines another one.
func TestAttach_InspectorOnATerminal(t *testing.T) {
	state := "XDG_STATE_HOME=" + t.TempDir()
	term := onTerminalWith(t, []string{state}, "demo")
	term.waitFor("make-report") // the list of tools

	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "mcp", "--attach")
	cmd.Env = append(os.Environ(), state)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "helper", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	call := func(tool, arguments string) *mcp.CallToolResult {
		t.Helper()
		result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": tool, "arguments": map[string]any{"message": arguments}}})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if r := call("echo", "from the agent"); r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "from the agent") {
		t.Errorf("%+v", r.Content)
	}
	declined := make(chan *mcp.CallToolResult, 1)
	go func() { declined <- call("delete-everything", "now") }()
	term.waitFor("Allow this call?")
	for len(declined) == 0 { // keys right after the window opens are ignored
		term.typed("\x1b")
		select {
		case <-term.grown:
		case r := <-declined:
			declined <- r
		case <-ctx.Done():
			t.Fatal("the call is not declined")
		}
	}
	if r := <-declined; !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "declined") {
		t.Errorf("%+v", r.Content[0])
	}
	if err := c.Close(); err != nil {
		t.Errorf("mcptea mcp --attach: %v", err)
	}
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	again := exec.Command(path, "mcp", "--attach")
	again.Env = append(os.Environ(), state)
	out, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no inspector is running") {
		t.Errorf("%s %v", out, err)
	}
}
