//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
)

const recordedSession = `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea test","transport":"stdio","target":"node server.js"}
{"s":1,"t":1780000000000000001,"k":"connection","what":"opened","conn":1,"transport":"stdio","target":"node server.js"}
{"s":2,"t":1780000000000000002,"k":"out","id":0,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":0,"method":"ping"}}
{"s":3,"t":1780000000000000003,"k":"in","id":0,"n":36,"msg":{"jsonrpc":"2.0","id":0,"result":{}}}
`

func writeRecording(t *testing.T, text string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), "r.mcptea.jsonl"), text)
}

func TestOpen_Recording(t *testing.T) {
	term := onTerminal(t, "open", writeRecording(t, recordedSession+"garbage\n"))
	term.waitFor("RECORDING")
	term.waitFor("ping")
	if code := term.quits(); code != app.ExitOK || !strings.Contains(term.raw(), "Line 5 is not an event and was skipped") {
		t.Errorf("exit %d, %q", code, term.raw())
	}
}

// A call asks for a target, connects to it, and is in the composer there.
func TestOpen_ConnectsToChosenTarget(t *testing.T) {
	term := onTerminal(t, "open", writeRecording(t, recordedSession), "--", "mcptea", "demo", "--serve")
	term.waitFor("ping")
	term.typed("R")
	term.waitFor("mcptea demo --serve")
	term.typed("\r")
	term.waitFor("make-report")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit %d", code)
	}
}

func TestOpen_Pipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	term := onTerminal(t, "open", path)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if _, err := w.WriteString(recordedSession); err != nil {
		t.Fatal(err)
	}
	term.waitFor("RECORDING")
	term.waitFor("ping")
	if _, err := w.WriteString(`{"s":4,"t":1780000000000000004,"k":"out","n":42,"msg":{"jsonrpc":"2.0","id":1,"method":"logout"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	term.waitFor("logout")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit %d", code)
	}
}

// Without a file the recordings are listed; one is opened, and q goes back to the list.
func TestOpen_List(t *testing.T) {
	path := writeRecording(t, recordedSession)
	term := onTerminal(t, "open", filepath.Dir(path))
	term.waitFor("Recordings")
	term.waitFor("node server.js")
	term.typed("\r")
	term.waitFor("RECORDING")
	term.typed("q")
	for late := time.After(deadline); ; {
		screens := strings.Split(term.raw(), screenRestored) // the list, the inspector, the list
		if len(screens) == 3 && strings.Contains(ansi.Strip(screens[2]), "node server.js") {
			break
		}
		select {
		case <-term.grown:
		case <-late:
			t.Fatalf("the list never showed again; there is %q", term.raw())
		}
	}
	term.typed("x")
	term.waitFor("Delete this recording?")
	term.agrees("Delete this recording?")
	term.awaitScreen("No recordings yet")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestOpen_NotARecording(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.txt")
	if err := os.WriteFile(other, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		other:                         "is not a recording of mcptea",
		"/dev/zero":                   "is a device and not a recording",
		"/dev/null":                   "is a device and not a recording",
		filepath.Join(dir, "missing"): "no such file or directory",
	} {
		term := onTerminal(t, "open", path)
		if code := term.exit(); code != app.ExitUsage || !strings.Contains(term.raw(), want) {
			t.Errorf("%s: exit %d, %q", path, code, term.raw())
		}
	}
}
