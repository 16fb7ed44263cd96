//go:build unix

package e2e

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mcptea/internal/test/oddframes"
)

// exportRaw returns the bytes of one direction of a recording.
func exportRaw(t *testing.T, recording, dir string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "raw")
	mcptea(t, "export", recording, "--to", "raw", "--dir", dir, "--output", out).exits(t, 0)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sameSum(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if sha256.Sum256(got) != sha256.Sum256(want) {
		t.Errorf("%s: other bytes: %d, want %d", what, len(got), len(want))
	}
}

// TestTap_BytesOverStdio passes odd lines through a tap and exports them again.
func TestTap_BytesOverStdio(t *testing.T) {
	sent := bytes.Join(oddframes.Lines(11, 2000), nil)
	argv := stdioTap(t, []string{"cat"})
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	cmd.Stdin = bytes.NewReader(sent)
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sameSum(t, "passed", got, sent)
	sameSum(t, "recorded from the host", exportRaw(t, argv[3], "out"), sent)
	sameSum(t, "recorded from the server", exportRaw(t, argv[3], "in"), sent)
}

// TestTap_BytesOverHTTP does the same with the bodies of HTTP messages.
func TestTap_BytesOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	defer server.Close()
	recording := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	bodies := oddframes.Bodies(12, 300)
	sent := bytes.Join(bodies, []byte("\n"))
	t.Run("pass", func(t *testing.T) {
		url := listeningTap(t, "--record", recording, server.URL+"/mcp")
		for _, body := range bodies {
			response, err := http.Post(url, "application/json", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || !bytes.Equal(got, body) {
				t.Fatalf("passed %q, %v, want %q", got, err, body)
			}
		}
		http.DefaultClient.CloseIdleConnections()
	})
	sameSum(t, "recorded from the host", exportRaw(t, recording, "out"), sent)
	sameSum(t, "recorded from the server", exportRaw(t, recording, "in"), sent)
}
