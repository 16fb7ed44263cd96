package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/test/worker"
)

// runWith runs the program in a worker, with one more variable in its environment, and returns
// its output and its exit code.
func runWith(t *testing.T, env string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	o := runProgram(t, worker.Command{Args: args, Env: append(os.Environ(), env)})
	return string(o.Stdout), string(o.Stderr), o.Code
}

// unsubscribedUpdates are a handshake and a number of updates that no client has subscribed to.
func unsubscribedUpdates(n int) string {
	var b strings.Builder
	b.WriteString(`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`)
	for i := range n {
		fmt.Fprintf(&b, `< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///%d"}}`+"\n", i)
	}
	return b.String()
}

// Of the same findings the first ones are printed, and the number of all is exact.
func TestLint_RepeatedFindings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "frames.jsonl")
	if err := os.WriteFile(file, []byte(unsubscribedUpdates(250)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		flag    string
		printed int
		more    string
	}{
		{"--fail-on=error", 100, "warning R009  150 more at the same places, the last one in line 253 (--all prints each)\n"},
		{"--all", 250, ""},
		{"--json", 250, ""},
	} {
		out, errs, code := runWith(t, "", "lint", tt.flag, file)
		if n := strings.Count(out, "not subscribed to"); n != tt.printed || code != 0 || !strings.HasSuffix(out, tt.more) {
			t.Errorf("%s: %d of 250 findings, code %d, at the end %q", tt.flag, n, code, out[max(0, len(out)-200):])
		}
		if tt.flag != "--json" && !strings.Contains(errs, "0 errors, 250 warnings") {
			t.Errorf("%s: %s", tt.flag, errs)
		}
		if tt.more != "" && strings.Count(out, "more at the same places") != 1 {
			t.Errorf("%s: %s", tt.flag, out)
		}
	}
}

// A finding is printed while the input goes on: the lines of a log come slowly.
func TestLint_FindingBeforeTheEndOfTheInput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "mcptea", "lint", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, unsubscribedUpdates(1)); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "R009") {
		t.Errorf("the first line: %q, %v", line, err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}
