//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
)

// TestInputs_AskedOnTerminal starts an entry of VS Code whose inputs have no value: each is asked for
// before the server starts, and a password is not echoed.
func TestInputs_AskedOnTerminal(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	for _, dir := range []string{".git", ".vscode"} {
		if err := os.Mkdir(filepath.Join(project, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(project)
	const entry = `{"inputs":[{"type":"promptString","id":"key","description":"API key","password":true},
		{"type":"pickString","id":"mode","description":"Mode","options":["one",{"label":"Second","value":"two"}],"default":"one"}],
		"servers":{"s":{"command":"namedserver","args":["${input:mode}"],"env":{"K":"${input:key}"}}}}`
	if err := os.WriteFile(".vscode/mcp.json", []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{"\r": "one", "2\r": "two", "Second\r": "two"} {
		term := onTerminalWith(t, []string{"HOME=" + home}, "list", "tools", "s")
		term.waitFor(`mcptea: Start "vscode/s"? [y/N] `)
		term.typed("y\r")
		term.waitFor("API key (key), not shown: ")
		term.typed("hunter2hunter2\r")
		term.waitFor("Mode (mode), number or value [one]: ")
		if answer == "2\r" { // not one of the list
			term.typed("three\r")
			term.waitTimes("Mode (mode), number or value [one]: ", 2)
		}
		term.typed(answer)
		if code := term.exit(); code != app.ExitOK || !strings.Contains(ansi.Strip(term.raw()), "\n"+want+"\r\n") {
			t.Errorf("%q: exit code %d: %s", answer, code, term.raw())
		}
		if strings.Contains(term.raw(), "hunter2") {
			t.Errorf("the password was echoed: %s", term.raw())
		}
	}

	// Nothing that the inspector writes has the password, the title of the window included.
	inspector := onTerminalWith(t, []string{"HOME=" + home, "K=hunter2hunter2"}, "s", "--yes", "--input", "mode=one", "--input", "key=env:K")
	inspector.waitFor("connected")
	if code := inspector.quits(); code != app.ExitOK || !strings.Contains(inspector.raw(), "\x1b]2;") || strings.Contains(inspector.raw(), "hunter2") {
		t.Errorf("exit code %d: %q", code, inspector.raw())
	}

	// ctrl+c starts nothing, and the terminal echoes again.
	term := onTerminalWith(t, []string{"HOME=" + home}, "list", "tools", "--yes", "s")
	term.waitFor("API key (key), not shown: ")
	term.typed("\x03")
	if code := term.exit(); code != 130 {
		t.Errorf("exit code %d: %s", code, term.raw())
	}
}

// TestPasted_AskedOnTerminal pastes two servers: one is chosen, and shown before it starts, each time.
func TestPasted_AskedOnTerminal(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	const pasted = `{"a":{"command":"no-such-program"},"b":{"command":"namedserver","args":["one  two"],"env":{"API_KEY":"invented-4711"}}}`
	for range 2 {
		term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + state}, "list", "tools", pasted)
		term.waitFor("Which one? ")
		term.typed("3\r")
		term.waitTimes("Which one? ", 2)
		term.typed("2\r")
		term.waitFor(`mcptea: Start "b"? [y/N] `)
		term.typed("y\r")
		code, text := term.exit(), ansi.Strip(term.raw())
		for _, want := range []string{"This server was pasted. It would run with your rights.", "1  namedserver", "2  one··two", "API_KEY=••••", "\none  two"} {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %q: %s", want, text)
			}
		}
		if code != app.ExitOK || strings.Contains(text, "invented-4711") {
			t.Errorf("exit code %d: %s", code, text)
		}
	}
	term := onTerminalWith(t, []string{"HOME=" + home}, "list", `{"command":"namedserver","args":["`+strings.Repeat("x", 64<<10)+`"]}`)
	if code := term.exit(); code != app.ExitUsage || !strings.Contains(term.raw(), "more than the maximum of 65536") {
		t.Errorf("exit code %d: %.200s", code, term.raw())
	}
}

// Text typed before the question for an input is not a value of it, shown or not.
func TestInputs_TypedAhead(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Chdir(project)
	for _, password := range []string{"false", "true"} {
		if err := os.MkdirAll(".vscode", 0o700); err != nil {
			t.Fatal(err)
		}
		entry := `{"inputs":[{"type":"promptString","id":"key","description":"Key","password":` + password + `}],"servers":{"s":{"command":"namedserver","args":["${input:key}"]}}}`
		if err := os.WriteFile(".vscode/mcp.json", []byte(entry), 0o600); err != nil {
			t.Fatal(err)
		}
		term := onTerminalAfter(t, "ahead\n", []string{"HOME=" + home}, "list", "tools", "--yes", "s")
		term.waitFor("Key (key)")
		term.typed("after\r")
		if code := term.exit(); code != app.ExitOK || !strings.Contains(ansi.Strip(term.raw()), "\nafter\r\n") {
			t.Errorf("password %s: exit code %d: %s", password, code, term.raw())
		}
	}
}
