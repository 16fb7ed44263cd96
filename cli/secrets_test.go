package cli

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/test/raced"
)

// planted are the secrets of the tests below; none of them may be in anything
// that mcptea shows or writes. They are made up.
var planted = []string{
	"ghp_PLANTED0123456789abcdef", "sk-PLANTED-0123456789abcdef", "pl4nted-0pti0n", "pl4nted-env", "pl4nted-file",
	"PLANTEDpath0123456789abcdEFG", "pl4nted-query", "pl4nted-pass", "pl4nted-header", "pl4nted-token", "pl4nted-conn", "pl4ntedshort",
}

// findPlanted returns the secrets in a text.
func findPlanted(text []byte) (found []string) {
	for _, s := range planted {
		if bytes.Contains(text, []byte(s)) {
			found = append(found, s)
		}
	}
	return found
}

// runWithSecrets runs mcptea with a state directory of its own and looks for the
// secrets in its output, in its files and in their names. The frames of a
// recording are exact, so that the server must not repeat the secrets there.
func runWithSecrets(t *testing.T, args ...string) (output string) {
	t.Helper()
	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	recording := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := exec.Command(path, append([]string{args[0], "--record", recording}, args[1:]...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+t.TempDir(), "MCPTEA_TOKEN_STORE=file",
		"PASSED_TOKEN=pl4nted-env", "GORACE=atexit_sleep_ms=0")
	out, _ := cmd.CombinedOutput() // the exit code is not of interest
	for _, s := range findPlanted(out) {
		t.Errorf("%s is in the output:\n%s", s, out)
	}
	record, err := os.ReadFile(recording)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(record) {
		for _, s := range findPlanted(line) {
			if !bytes.Contains(line, []byte(`"k":"in"`)) && !bytes.Contains(line, []byte(`"k":"err"`)) {
				t.Errorf("%s is in the recording:\n%s", s, line)
			}
		}
	}
	err = filepath.WalkDir(state, func(path string, _ fs.DirEntry, err error) error {
		for _, s := range findPlanted([]byte(path)) {
			t.Errorf("%s is in the name of %s", s, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

func TestSecrets_Arguments(t *testing.T) {
	raced.ByNight(t, "hundreds of commands, which other tests race too")
	envFile := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(envFile, []byte("FILE_SECRET=pl4nted-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{
		"--api-key", "pl4nted-0pti0n", "--token=pl4nted-token", "ghp_PLANTED0123456789abcdef", "sk-PLANTED-0123456789abcdef",
		"-p", "pl4ntedshort", "--connection-string", "Server=x;Password=pl4nted-conn", "https://u:pl4nted-pass@h/PLANTEDpath0123456789abcdEFG?key=pl4nted-query",
	}
	flags := []string{"-e", "PASSED_TOKEN", "--env-file", envFile}
	echo := `echo "Error: refused with $PASSED_TOKEN and $FILE_SECRET and $*" >&2; exit 3`
	for name, server := range map[string][]string{
		"server that works":   append([]string{"--", "sh", "-c", "exec mcptea demo --serve", "sh"}, arguments...),
		"server that repeats": append([]string{"--", "sh", "-c", echo, "sh"}, arguments...),
		"no such command":     append([]string{"--", "no-such-command"}, arguments...),
		"script":              {"--", "sh", "-c", "API_KEY=pl4nted-0pti0n exec mcptea demo --serve --token pl4nted-token"},
	} {
		for _, command := range [][]string{{"info"}, {"info", "--json"}, {"list"}} {
			t.Run(name+"/"+strings.Join(command, " "), func(t *testing.T) {
				out := runWithSecrets(t, append(append(command, flags...), server...)...)
				if command[0] == "info" && !strings.Contains(out, "••••") {
					t.Errorf("nothing is redacted in:\n%s", out)
				}
			})
		}
	}
}

// TestSecrets_Echo connects to a server that answers with what it was sent, as
// the error pages of web frameworks do.
func TestSecrets_Echo(t *testing.T) {
	raced.ByNight(t, "hundreds of commands, which other tests race too")
	t.Parallel()
	for name, status := range map[string]int{"401": 401, "403": 403, "500": 500, "200": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a 500 is tried again
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var dump bytes.Buffer
				_ = r.Header.Write(&dump)
				w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"`)
				w.Header().Set("X-Debug", r.Header.Get("X-Api-Key"))
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(status)
				_, _ = w.Write([]byte("request was " + r.URL.String() + "\n" + dump.String()))
			}))
			defer server.Close()
			url := strings.Replace(server.URL, "http://", "http://u:pl4nted-pass@", 1) + "/PLANTEDpath0123456789abcdEFG/mcp?key=pl4nted-query"
			for _, command := range [][]string{{"info"}, {"info", "--json"}, {"call", "x"}} {
				runWithSecrets(t, append(command, "-H", "Authorization: Bearer pl4nted-token", "-H", "X-Api-Key: pl4nted-header", "--url", url)...)
				runWithSecrets(t, append(command, "-H", "X-Api-Key: pl4nted-header", "--token", "pl4nted-token", "--url", strings.Replace(url, "u:pl4nted-pass@", "", 1))...)
			}
		})
	}
}
