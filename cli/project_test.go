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

// TestProjectFile_AsksOnce starts an entry of a file of the project: it is asked about, once for
// each content of the file, with all that it starts.
func TestProjectFile_AsksOnce(t *testing.T) {
	home, project, state := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(project, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	write := func(arguments string) {
		text := `{"mcpServers":{"ours":{"command":"namedserver","args":[` + arguments + `],"env":{"API_KEY":"invented-4711","REGION":"eu"}}}}`
		if err := os.WriteFile(".mcp.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(answer string) (*ptyProgram, int) {
		term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + state}, "list", "tools", "ours")
		if answer != "" {
			term.waitFor(`mcptea: Start "claude-code/ours"? [y/N] `)
			term.typed(answer)
		}
		return term, term.exit()
	}
	write(`"one  two"`)
	for _, answer := range []string{"\r", "n\r", "yy\r"} {
		if term, code := run(answer); code != app.ExitError || !strings.Contains(term.raw(), "claude-code/ours was not started") {
			t.Errorf("%q: exit code %d: %s", answer, code, term.raw())
		}
	}
	term, code := run("y\r")
	for _, want := range []string{"This server is in a file of the project. It would run with your rights.", "claude-code/ours", ".mcp.json:1", "1  namedserver", "2  one··two", "API_KEY=••••", "REGION=eu"} {
		if !strings.Contains(ansi.Strip(term.raw()), want) {
			t.Errorf("the question lacks %q: %s", want, term.raw())
		}
	}
	if code != app.ExitOK || strings.Contains(term.raw(), "invented-4711") {
		t.Errorf("exit code %d: %s", code, term.raw())
	}
	if term, code := run(""); code != app.ExitOK || strings.Contains(term.raw(), "[y/N]") {
		t.Errorf("the second time: exit code %d: %s", code, term.raw())
	}
	write(`"three"`)
	if term, code := run("n\r"); code != app.ExitError || !strings.Contains(term.raw(), "2  three") {
		t.Errorf("another content: exit code %d: %s", code, term.raw())
	}
}
