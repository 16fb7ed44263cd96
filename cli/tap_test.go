//go:build linux

package cli

import (
	"bufio"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tapped starts a tap in front of a command, with its streams, and waits for a line on
// stdout.
func tapped(t *testing.T, f family, recording string, argv ...string) (cmd *exec.Cmd, stdin io.WriteCloser) {
	t.Helper()
	cmd = f.command(t, append([]string{"tap", "--record", recording, "--"}, argv...)...)
	stdin, lines := piped(t, cmd)
	if !lines.Scan() {
		t.Fatal("the command wrote no line: ", lines.Err())
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stdin
}

// TestLifetime_TapKilled kills a tap: its server, with all that it has started, ends.
func TestLifetime_TapKilled(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	recording := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	cmd, stdin := tapped(t, f, recording, "sh", "-c", `trap "" TERM HUP; sleep 1000 & echo ready; cat; sleep 1000`)
	defer func() { _ = stdin.Close() }()
	pids := f.alive(cmd.Process.Pid)
	if len(pids) < 2 {
		t.Fatalf("the server has %d processes", len(pids))
	}
	_ = cmd.Process.Kill()
	f.ends(t, cmd, -1, pids)
}

// TestLifetime_TapSignals sends signals to a tap: they reach the server, and the tap ends
// as the server does.
func TestLifetime_TapSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		send         syscall.Signal
		code         int
		by           syscall.Signal
	}{
		{"handled", `trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done`, syscall.SIGTERM, 9, 0},
		{"default", `echo ready; exec sleep 1000`, syscall.SIGTERM, -1, syscall.SIGTERM},
		{"interrupt", `trap "exit 4" INT; echo ready; while :; do sleep 0.01; done`, syscall.SIGINT, 4, 0},
		{"user", `trap "exit 5" USR1; echo ready; while :; do sleep 0.01; done`, syscall.SIGUSR1, 5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := family(t.Name())
			cmd, stdin := tapped(t, f, filepath.Join(t.TempDir(), "s.mcptea.jsonl"), "sh", "-c", c.script)
			defer func() { _ = stdin.Close() }()
			pids := f.alive(cmd.Process.Pid)
			_ = cmd.Process.Signal(c.send)
			f.ends(t, cmd, c.code, pids)
			if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); c.by != 0 && ws.Signal() != c.by {
				t.Errorf("the tap ended with %v, want the signal %v", cmd.ProcessState, c.by)
			}
		})
	}
}

// TestTap_HostClosesStdout closes what the host reads: the server gets EPIPE.
func TestTap_HostClosesStdout(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	cmd := f.command(t, "tap", "--record", "off", "--", "sh", "-c", "yes")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	_ = stdout.Close()
	_ = exitCode(t, cmd)
	f.awaitEnd(t, nil)
}

// TestTap_ServerWithTLS has a tap in front of a server with TLS.
func TestTap_ServerWithTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s with TLS: %v", r.Host, r.TLS != nil)
	}))
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f := family(t.Name())
	cmd := f.command(t, "tap", "--record", "off", "--listen", "127.0.0.1:0", server.URL+"/mcp")
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+authority)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stderr).ReadString('\n')
	_, own, _ := strings.Cut(strings.TrimSpace(line), "listens at ")
	response, err := http.Get(own)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if want := strings.TrimPrefix(server.URL, "https://") + " with TLS: true"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	f.ends(t, cmd, 0, nil)
}
