//go:build unix

package cli

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/oauthtest"
)

var shownPage = regexp.MustCompile(`http://127\.0\.0\.1:\d+/authorize\?\S+`)

func TestCommandAsksOnATerminal(t *testing.T) {
	t.Setenv(storeVariable, storeOff)
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	term := onTerminal(t, "list", "tools", s.URL(), "--auth-timeout", "1m")
	term.waitFor("on this machine:")
	term.waitFor("&state=")
	term.waitFor("\r\n\r\n") // the address is whole
	shown := strings.ReplaceAll(ansi.Strip(term.raw()), "\r\n\r\n", " ")
	if !strings.Contains(shown, "Open this page within 60") && !strings.Contains(shown, "Open this page within 1 min") {
		t.Errorf("no deadline is told: %q", shown)
	}
	resp, err := http.Get(shownPage.FindString(shown))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	term.waitFor("whoami")
	if code := term.exit(); code != ExitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestNobodyAgreesOnATerminal(t *testing.T) {
	t.Setenv(storeVariable, storeOff)
	s := oauthtest.Start(oauthtest.Setup{Scope: "mcp"})
	defer s.Close()
	term := onTerminal(t, "list", "tools", s.URL(), "--auth-timeout", "300ms")
	term.waitFor("no consent in the browser within 300 ms")
	if code := term.exit(); code != ExitAuth {
		t.Errorf("exit code %d", code)
	}
}
