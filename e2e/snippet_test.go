//go:build unix

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The exported program makes the calls of the recording, over stdio and HTTP.
func TestSnippets_Run(t *testing.T) {
	if !demanded() {
		t.Skip("runs a program with the SDK; set MCPTEA_E2E=1")
	}
	const script = "list tools\ncall echo 'message=it''s \"quoted\"'\nread demo://readme\nlist prompts\n"
	for name, target := range map[string][]string{
		"stdio": {program(t), "demo", "--serve"},
		"HTTP":  {listening(t, "/legacy", "--listen", program(t), "demo")},
	} {
		t.Run(name, func(t *testing.T) {
			file := recordScript(t, script, target, "--protocol", "2025-06-18")
			out, err := runTypeScript(t, exportedFrom(t, file, "typescript")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if text := string(out); !strings.Contains(text, `it's \"quoted\"`) || !strings.Contains(text, "demo://readme") || !strings.Contains(text, "echo") {
				t.Errorf("the program printed %s", text)
			}
		})
	}
}

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*deadline)
	t.Cleanup(stop)
	return exec.CommandContext(ctx, name, args...)
}

// runTypeScript runs a program beside the packages of the servers, which have the SDK.
// Node.js 20 knows no types, so they are left out.
func runTypeScript(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	node := peer(t, "@modelcontextprotocol/sdk/package.json")[0]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	if err := os.Symlink(filepath.Join(root(t), "testdata", "peers", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "snippet.mjs")
	if err := os.WriteFile(program, []byte(strings.ReplaceAll(string(text), "(result: unknown)", "(result)")), 0o600); err != nil {
		t.Fatal(err)
	}
	return command(t, node, program)
}
