//go:build unix

package cli

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/internal/test/oauthtest"
)

var shownPage = regexp.MustCompile(`http://127\.0\.0\.1:\d+/authorize\?\S+`)

func TestConsent_PageOnATerminal(t *testing.T) {
	t.Setenv(target.StoreVariable, target.StoreOff)
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
	t.Setenv(target.StoreVariable, target.StoreOff)
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	term := onTerminal(t, "list", "tools", s.URL(), "--auth-timeout", "300ms")
	term.waitFor("no consent in the browser within 300 ms")
	if code := term.exit(); code != app.ExitAuth {
		t.Errorf("exit code %d", code)
	}
}
