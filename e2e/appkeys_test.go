//go:build linux

package e2e

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/termsvg"
	"mcptea/session/apps/chromium"
)

// picture writes the screen as a picture of the documentation, if MCPTEA_PICTURES is set: it
// has times and numbers of ports in it, so that it is not compared.
func (term *terminal) picture(name, title string) {
	term.t.Helper()
	if os.Getenv("MCPTEA_PICTURES") == "" {
		return
	}
	term.mu.Lock()
	defer term.mu.Unlock()
	term.screen.SetDefaultBackgroundColor(color.RGBA{0x12, 0x14, 0x1c, 0xff})
	svg := termsvg.Still(termsvg.Capture(term.screen), title)
	if err := os.WriteFile(filepath.Join(root(term.t), "docs/screens", name+".svg"), svg, 0o644); err != nil {
		term.t.Fatal(err)
	}
}

// drawn waits until the last of so many rows is drawn.
func (term *terminal) drawn(rows int) {
	term.t.Helper()
	timeout := time.After(deadline)
	for {
		if all := strings.Split(term.text(), "\n"); len(all) >= rows && strings.HasSuffix(strings.TrimSpace(all[rows-1]), "? keys") {
			return
		}
		select {
		case <-term.news:
		case <-timeout:
			term.t.Fatalf("%v have passed, and the last row is not there:\n%s", deadline, term.text())
		}
	}
}

// By keys: o opens the app of a tool in the browser of the user, here one without a window; the
// host is changed, a message is sent on purpose, and the app is closed.
func TestApp_Keys(t *testing.T) {
	others(t)
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
	for _, size := range [][2]int{{80, 24}, {wide, high}, {200, 60}} {
		term.resize(size[0], size[1])
		term.drawn(size[1])
		term.picture(fmt.Sprintf("apps-%dx%d", size[0], size[1]), "The apps that are open in the browser: settings of their host, messages on purpose")
	}
	term.types("x")
	term.shows("The app is closed.")
	term.shows("ui/resource-teardown")
	term.types("\x03\x03")
	term.ends()
}
