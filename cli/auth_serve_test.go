package cli

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"mcptea/internal/test/raced"
)

// The requests of a client are printed as they arrive, and in the end what the client has done wrong.
func TestAuthServe_Output(t *testing.T) {
	raced.Never(t, "starts a process")
	if runtime.GOOS == "windows" {
		t.Skip("a process is interrupted there in another way")
	}
	dir := t.TempDir()
	cmd := exec.Command("mcptea", "auth", "serve", "--listen", "127.0.0.1:0", "--resource", "http://127.0.0.1:1/mcp")
	cmd.Dir = dir
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	var text []byte
	for buf := make([]byte, 4<<10); !bytes.Contains(text, []byte("keys are at")); {
		n, err := stderr.Read(buf)
		if text = append(text, buf[:n]...); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	_, issuer, _ := strings.Cut(string(text), "listens at ")
	issuer, _, _ = strings.Cut(issuer, "\n")
	resp, err := http.Get(issuer + "/authorize?" + url.Values{"client_id": {"\x1b[31mstranger"}, "scope": {"tools"}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	got := stdout.String()
	for _, want := range []string{"authorize  GET /authorize 400 invalid_client", "scope=tools", "error The client", "is not registered", "(RFC 6749 §4.1.2.1)", "PKCE", "none"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("an escape of the client is printed: %q", got)
	}
}
