//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"mcptea/session/apps/chromium"
)

// By keys: o opens the app of a tool in the browser of the user, here one without a window; the
// host is changed, a message is sent on purpose, and the app is closed.
func TestApp_Keys(t *testing.T) {
	browser, err := chromium.Find()
	if err != nil {
		lacks(t, "%v", err)
	}
	bin, profile := t.TempDir(), t.TempDir()
	open := "#!/bin/sh\nexec '" + browser + "' --headless=new --no-sandbox --disable-gpu --user-data-dir='" + profile + "' --remote-debugging-port=0 \"$1\" >/dev/null 2>&1\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(open), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	term := onTerminal(t, "demo", "--record", filepath.Join(t.TempDir(), "apps.mcptea.jsonl"))
	term.shows("weather")
	term.types("/weather\r")
	term.types("o")
	term.shows("✗ required")
	term.types("Berlin\x1bo")
	term.shows("● initialized in")
	term.shows("of the tool weather")
	term.types("jj\r")
	term.shows("host-context-changed")
	term.types("x")
	term.shows("The app is closed.")
	term.shows("ui/resource-teardown")
	term.types("\x03\x03")
	term.ends()
}
