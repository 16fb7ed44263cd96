//go:build linux

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/raced"
)

// TestSoak follows a server that does not stop to send, 1,500 frames a second, and records
// them: memory and open files are at the end what they were when the newest frames had filled
// their places. MCPTEA_E2E_SOAK is how long, if not a minute:
//
//	MCPTEA_E2E=1 MCPTEA_E2E_SOAK=1h go test ./e2e -run TestSoak -v -timeout 2h
func TestSoak(t *testing.T) {
	raced.Never(t, "measures memory of a program that is built without the detector")
	if !demanded() {
		t.Skip("takes a minute; set MCPTEA_E2E=1")
	}
	t.Parallel() // with the other test of memory; each measures a process of its own
	length, err := time.ParseDuration(cmp.Or(os.Getenv("MCPTEA_E2E_SOAK"), "30s"))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const perSecond, noise = 1500, 12 << 20
	frames := pacedFrom + int(length.Seconds())*perSecond
	term := onTerminalFor(t, 2*length+3*deadline, "--record", filepath.Join(t.TempDir(), "soak.jsonl"), "--record-limit", "100GB", "--timeout", "3h",
		"--protocol", "2025-11-25", "-e", fmt.Sprintf("%s=frames %d %d", hostileEnv, frames, perSecond), "--", self)
	pid := term.cmd.Process.Pid
	term.shows("no arguments")
	term.types("\r")
	term.shows("enter send")
	term.types("\r")
	eventually(t, "the paced part", func() bool { return paced.MatchString(term.text()) })
	time.Sleep(length / 6)
	memory, files := memoryOf(t, pid, "VmRSS:"), openFiles(t, pid)
	t.Logf("at first %d MB, %d files", memory>>20, files)
	for end := time.Now().Add(length + deadline); !strings.Contains(term.text(), "0 responses"); time.Sleep(length / 12) {
		now, open := memoryOf(t, pid, "VmRSS:"), openFiles(t, pid)
		t.Logf("%d MB, %d files", now>>20, open)
		if now > memory+noise || open > files+2 { // a file may be read for a moment
			t.Errorf("%d MB and %d files were %d MB and %d", now>>20, open, memory>>20, files)
		}
		if time.Now().After(end) {
			t.Fatalf("the server has not ended:\n%s", term.text())
		}
	}
	term.shows("Logs " + grouped(frames))
	term.leaves()
}

// paced is a number of logs behind those that come at once.
var paced = regexp.MustCompile(`Logs (7[5-9]|[89]\d|\d{3}),\d{3}`)

// openFiles returns the number of files that a process has open.
func openFiles(t *testing.T, pid int) int {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
