//go:build unix

package cli

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/oauthtest"
)

const hostInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}` + "\n"

// tapOfURL is a process of mcptea tap URL, and the host that has started it.
type tapOfURL struct {
	t              *testing.T
	cmd            *exec.Cmd
	in             io.WriteCloser
	out            *bufio.Scanner
	stderr, stdout []string // all lines
	lines          chan string
}

func startTapOfURL(t *testing.T, state string, args ...string) *tapOfURL {
	t.Helper()
	h := &tapOfURL{t: t, cmd: exec.CommandContext(t.Context(), "mcptea", append([]string{"tap", "--token-store", "file"}, args...)...), lines: make(chan string, 1000)}
	h.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "MCPTEA_CONFIG=off")
	stdin, err := h.cmd.StdinPipe()
	stdout, wrong := h.cmd.StdoutPipe()
	stderr, failed := h.cmd.StderrPipe()
	if err != nil || wrong != nil || failed != nil {
		t.Fatal(err, wrong, failed)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	h.in, h.out = stdin, bufio.NewScanner(stdout)
	go func() {
		defer close(h.lines)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			h.lines <- lines.Text()
		}
	}()
	return h
}

// says reads stderr up to a line with a text.
func (h *tapOfURL) says(text string) string {
	h.t.Helper()
	for line := range h.lines {
		h.stderr = append(h.stderr, line)
		if strings.Contains(line, text) {
			return line
		}
	}
	h.t.Fatalf("stderr has no %q: %q", text, h.stderr)
	return ""
}

func (h *tapOfURL) send(frame string) { _, _ = io.WriteString(h.in, frame) }

func (h *tapOfURL) gets(want string) {
	h.t.Helper()
	if !h.out.Scan() || !strings.Contains(h.out.Text(), want) {
		h.t.Fatalf("the host got %q, want %s; stderr: %q", h.out.Text(), want, h.stderr)
	}
	h.stdout = append(h.stdout, h.out.Text())
}

// ends closes stdin, and returns all that the tap has written.
func (h *tapOfURL) ends() string {
	h.t.Helper()
	_ = h.in.Close()
	for h.out.Scan() {
		h.stdout = append(h.stdout, h.out.Text())
	}
	for line := range h.lines {
		h.stderr = append(h.stderr, line)
	}
	if err := h.cmd.Wait(); err != nil {
		h.t.Errorf("%v: %q", err, h.stderr)
	}
	return strings.Join(slices.Concat(h.stdout, h.stderr), "\n")
}

// Two taps of one server, as a host starts them, ask for one sign-in: the second one waits for the token
// of the first one. No token is anywhere but in the store.
func TestTapURL_OneSignInForTwo(t *testing.T) {
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	state := t.TempDir()
	first := startTapOfURL(t, state, s.URL())
	first.send(hostInitialize)
	page := shownPage.FindString(first.says("/authorize?"))
	second := startTapOfURL(t, state, s.URL())
	second.send(hostInitialize)
	resp, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	first.gets(`"serverInfo":{"name":"oauthtest"`)
	second.gets(`"serverInfo":{"name":"oauthtest"`)
	wrote := first.ends() + second.ends()
	if n := strings.Count(wrote, "/authorize?"); n != 1 {
		t.Errorf("%d pages:\n%s", n, wrote)
	}
	if pages := len(s.Seen("/authorize")); pages != 1 {
		t.Errorf("the authorization server was asked %d times", pages)
	}
	files := 0
	_ = filepath.WalkDir(state, func(path string, d os.DirEntry, _ error) error {
		if d.IsDir() || filepath.Base(path) == "authorizations.json" {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		wrote += string(text)
		return nil
	})
	if files == 0 {
		t.Error("no recording was written")
	}
	for _, token := range []string{"access-", "refresh-", "code-"} {
		if strings.Contains(wrote, token) {
			t.Errorf("a token %s… is in what was written", token)
		}
	}
	for _, line := range slices.Concat(first.stdout, second.stdout) {
		if !strings.HasPrefix(line, `{`) {
			t.Errorf("stdout has %q", line)
		}
	}
}

// A sign-in in another way, such as mcptea auth login, is enough for a tap that waits.
func TestTapURL_SignInElsewhere(t *testing.T) {
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	state := t.TempDir()
	h := startTapOfURL(t, state, s.URL())
	h.send(hostInitialize)
	h.says("/authorize?")
	authorize(t, state, "login", s.URL())
	h.gets(`"serverInfo":{"name":"oauthtest"`)
	h.ends()
}
