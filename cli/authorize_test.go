//go:build unix

package cli

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/internal/test/oauthtest"
)

var shownPage = regexp.MustCompile(`http://127\.0\.0\.1:\d+/authorize\?\S+`)

func TestConsent_PageOnATerminal(t *testing.T) {
	t.Setenv(settings.StoreVariable, settings.StoreOff)
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	term := onTerminal(t, "list", "tools", s.URL(), "--auth-timeout", "1m")
	term.waitFor("on this machine within")
	term.waitFor("&state=")
	term.waitFor("\r\n\r\n") // the URL is complete
	shown := strings.ReplaceAll(ansi.Strip(term.raw()), "\r\n\r\n", " ")
	if !strings.Contains(shown, "on this machine within 60 s") && !strings.Contains(shown, "on this machine within 1m") {
		t.Errorf("the deadline is missing: %q", shown)
	}
	resp, err := http.Get(shownPage.FindString(shown))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	term.waitFor("whoami")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestConsent_Timeout(t *testing.T) {
	t.Setenv(settings.StoreVariable, settings.StoreOff)
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	term := onTerminal(t, "list", "tools", s.URL(), "--auth-timeout", "300ms")
	term.waitFor("no consent in the browser within 300 ms")
	if code := term.exit(); code != app.ExitAuth {
		t.Errorf("exit code %d", code)
	}
}

// auth login shows the consent page even if stderr is not a terminal: the user asked for it. auth steps
// does what it does, with one step more that uses the refresh token.
func TestLogin_PageWithoutTerminal(t *testing.T) {
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	state := t.TempDir()
	if out, pages := authorize(t, state, "login", s.URL()); !strings.Contains(out, s.URL()) || pages != 1 {
		t.Errorf("%d pages, %s", pages, out)
	}
	for _, tc := range []struct {
		state, until, want string
		pages              int
	}{
		{t.TempDir(), "token", "✓ token  Bearer token", 1},
		{t.TempDir(), "refresh", "✓ refresh  Bearer token", 1},
		{state, "refresh", "✓ refresh  Bearer token", 0}, // the stored one
	} {
		out, pages := authorize(t, tc.state, "steps", s.URL(), "--until", tc.until)
		if !strings.Contains(out, tc.want) || pages != tc.pages {
			t.Errorf("%s: %d pages, %s", tc.until, pages, out)
		}
		for _, secret := range []string{"access-", "refresh-", "code-"} {
			if strings.Contains(out, "="+secret) || strings.Contains(out, `"`+secret) {
				t.Errorf("%s: the output has a secret: %s", tc.until, out)
			}
		}
	}
}

// authorize runs a command of auth, whose consent pages it opens, and returns its output and
// their number.
func authorize(t *testing.T, state string, args ...string) (out string, pages int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mcptea", append([]string{"auth"}, append(args, "--token-store", "file", "--auth-timeout", "1m")...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "MCPTEA_CONFIG=off")
	var stdout strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if page := shownPage.FindString(lines.Text()); page != "" {
			pages++
			resp, err := http.Get(page)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %q, %s", err, stdout.String(), all.String())
	}
	return stdout.String(), pages
}
