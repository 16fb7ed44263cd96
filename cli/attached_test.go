//go:build linux

package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcptea/cli/app"
)

// Commands use the connection of an inspector on a terminal, which shows them.
func TestAttach_CommandsUseAnInspector(t *testing.T) {
	state := "XDG_STATE_HOME=" + t.TempDir()
	term := onTerminalWith(t, []string{state}, "demo")
	term.waitFor("make-report") // the list of tools
	id := ""
	for _, tc := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"call add a=1 b=2 --attach", 0, "3", ""},
		{"call add a=1 b=2 --attach --json", 0, `"structuredContent":`, ""},
		{"call fail --attach", 1, "", "tool error"},
		{"call add a=1 --attach=0", 2, "", `no inspector or tap has the id "0"`},
		{"call add a=1 --attach=ID", 0, "2", ""},
		{"call add a=1 --attach ID", 0, "2", ""}, // two words
		{"call add a=1 --attach other", 2, "", `--attach and the target "other" cannot be used together`},
		{"call add a=1 --attach http://127.0.0.1:1/mcp", 2, "", `--attach and the target "http://127.0.0.1:1/mcp" cannot be used together`},
		{"list tools --attach", 0, "make-report", ""},
		{"task list --attach", 0, "", "The session of the process has no tasks."},
		{"read demo://nowhere --attach", 1, "", "resource not found"},
		{"prompt greeting --attach", 1, "", "greeting"},
		{"send ping --attach --json", 1, `{"error":`, ""}, // the demo server speaks 2026-07-28, which has no ping
		{"complete language=p --prompt code-review --attach", 0, "python", ""},
		{"info --attach", 0, "attached     to the inspector ID: ", ""},
		{"bench echo message=a --attach --requests 5", 0, "requests  5", ""},
		{"call add a=1 --attach --trace", 0, "2", "tools/call  id 4"},
		{"call add a=1 --attach -- mcptea demo --serve", 2, "", "--attach and a command after -- cannot be used together"},
		{"call add a=1 --attach --protocol 2025-11-25", 2, "", "--attach and --protocol cannot be used together"},
		{"call add a=1 --attach --server x", 2, "", "--attach and --server cannot be used together"},
	} {
		args := strings.Fields(strings.ReplaceAll(tc.args, "ID", id))
		out, errs, code := runWith(t, state, args...)
		if code != tc.code || !strings.Contains(out, strings.ReplaceAll(tc.stdout, "ID", id)) || !strings.Contains(errs, tc.stderr) {
			t.Errorf("%s: exit code %d\n%s%s", tc.args, code, out, errs)
		}
		if _, rest, found := strings.Cut(errs, "  "); id == "" && found {
			id, _, _ = strings.Cut(rest, " ")
		}
	}
	listensWhile(t, state, func() { runWith(t, state, "call", "change-tools", "--attach") })
	if _, errs, code := runWith(t, state, "listen", "--attach", "--reconnect"); code != 2 || !strings.Contains(errs, "exclude each other") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	term.typed("9")
	term.waitFor("attached")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	recordings, err := filepath.Glob(filepath.Join(strings.TrimPrefix(state, "XDG_STATE_HOME="), "mcptea", "recordings", "*.jsonl"))
	if err != nil || len(recordings) != 1 {
		t.Fatal(recordings, err)
	}
	if out, _, code := runWith(t, state, "lint", recordings[0], "--max-calls", "fail=0"); code != 1 || !strings.Contains(out, `contract-calls  "fail" was called 1 time, by a command over --attach; --max-calls allows 0.`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, errs, code := runWith(t, state, "call", "add", "a=1", "--attach"); code != 2 || !strings.Contains(errs, "no inspector or tap is running") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// listensWhile runs mcptea listen --attach until the list of tools has changed.
func listensWhile(t *testing.T, state string, change func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mcptea", "listen", "tools", "--count", "1", "--attach")
	cmd.Env = append(os.Environ(), state)
	var out strings.Builder
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(stderr)
	if !said.Scan() || !strings.HasPrefix(said.Text(), "listening: what the ") {
		t.Errorf("listen says %q", said.Text())
	}
	change()
	for said.Scan() {
		t.Errorf("listen says %q", said.Text())
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "tools changed: ") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// Commands use the connection of a tap, and ^C cancels a request of one.
func TestAttach_CommandsUseATap(t *testing.T) {
	dir := t.TempDir()
	state, recording := "XDG_STATE_HOME="+dir, filepath.Join(dir, "tap.mcptea.jsonl")
	host := exec.CommandContext(t.Context(), "mcptea", "tap", "--as", "editor/demo", "--record", recording, "--", "mcptea", "demo", "--serve")
	host.Env = append(os.Environ(), state)
	stdin, lines := piped(t, host)
	exchange := func(frame, want string) {
		t.Helper()
		if _, err := io.WriteString(stdin, frame+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("the host received %s", lines.Text())
		}
	}
	exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`, `"id":1`)
	connected := func() bool { // it is recorded later than it is passed on
		out, _, code := runWith(t, state, "call", "add", "a=1", "b=2", "--attach")
		return code == 0 && strings.Contains(out, "3")
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	for !connected() {
		if ctx.Err() != nil {
			t.Fatal("the connection of the tap cannot be used")
		}
	}
	if out, errs, code := runWith(t, state, "info", "--attach=editor/demo"); code != 0 || !strings.Contains(out, "2025-06-18") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	listensWhile(t, state, func() {
		runWith(t, state, "call", "change-tools", "--attach")
		if !lines.Scan() || !strings.Contains(lines.Text(), "list_changed") { // it is for the host as well
			t.Errorf("the host received %s", lines.Text())
		}
	})
	if _, errs, code := runWith(t, state, "call", "echo", "message=a", "--attach", "--answer", "elicitation=accept"); code != 2 || !strings.Contains(errs, "--answer and --sampler cannot be used with the connection of the tap") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, errs, code := runWith(t, state, "call", "never-answer", "--attach", "--timeout", "200ms"); code != 1 || !strings.Contains(errs, "Timed out after 200 ms") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	recorded := func(part string, times int) { // what a command does reaches the tap later
		t.Helper()
		for n := 0; n < times; {
			exchange(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
			b, err := os.ReadFile(recording)
			if err != nil {
				t.Fatal(err)
			}
			n = strings.Count(string(b), part)
			if ctx.Err() != nil {
				t.Fatalf("%s is %d times in the recording", part, n)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "mcptea", "call", "never-answer", "--attach", "--trace")
	cmd.Env = append(os.Environ(), state)
	trace, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for frames := bufio.NewScanner(trace); frames.Scan(); {
		if strings.Contains(frames.Text(), "never-answer") { // it is about to be sent
			recorded(`"name":"never-answer"`, 2)
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
	}
	_ = cmd.Wait() // the exit code says it
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d after ^C", code)
	}
	recorded(`"method":"notifications/cancelled"`, 2)
	_ = stdin.Close()
	if err := host.Wait(); err != nil {
		t.Errorf("the tap: %v", err)
	}
	b, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	if out, errs, _ := runWith(t, state, "lint", recording); strings.Contains(out, "J030") || out+errs == "" {
		t.Errorf("findings: %s%s", out, errs)
	}
	if n := strings.Count(string(b), `"method":"notifications/cancelled"`); n != 2 {
		t.Errorf("%d requests were cancelled", n)
	}
	out, _, code := runWith(t, state, "lint", recording, "--expect-tool", "add", "--forbid-tool", "change-*", "--json")
	if want := `"message":"\"change-tools\" was called by a command over --attach; --forbid-tool change-* forbids it."`; code != 1 || strings.Contains(out, "contract-expect") || !strings.Contains(out, want) || !strings.Contains(out, `"by":"attached"`) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if n := strings.Count(string(b), `"method":"initialize"`); n != 1 {
		t.Errorf("the server was initialized %d times", n)
	}
}
