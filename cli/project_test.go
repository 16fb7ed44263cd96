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

// TestQuestion_TypedAhead has answers wait in the terminal before the program asks, a few or many of them, with
// and without the end of a line: none is an answer. One that is typed after the question is.
func TestQuestion_TypedAhead(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	t.Chdir(project)
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(project, "STARTED")
	entry := `{"command":"sh","args":["-c","echo x > ` + mark + `; exec namedserver"]}`
	if err := os.WriteFile(".mcp.json", []byte(`{"mcpServers":{"ours":`+entry+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, file := homeWith(t, "mcptea")
	cursor, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, ahead := range []string{"y\n", "y", "yes\nyes\n", strings.Repeat("y\n", 1800), "\n\n\ny\n"} {
		for _, args := range [][]string{
			{"list", "tools", "ours"},
			{"list", "tools", entry},
			{"servers", "--connect", "claude-code/ours"},
			{"servers", "wrap", "cursor/files"},
			{"list", "tools", `{"a":` + entry + `,"b":` + entry + `}`},
		} {
			env := []string{"HOME=" + home, "XDG_STATE_HOME=" + t.TempDir()}
			if args[1] == "wrap" {
				env[0] = "HOME=" + filepath.Dir(filepath.Dir(file))
			}
			term := onTerminalAfter(t, ahead, env, args...)
			if strings.HasPrefix(args[len(args)-1], `{"a"`) {
				term.waitFor("Which one? ")
				term.typed("1\r")
			}
			term.waitFor("[y/N] ")
			if ahead == "y" {
				term.typed("\r") // the end of what was typed ahead
			} else {
				term.typed("n\r")
			}
			if code := term.exit(); code == app.ExitOK && args[1] != "--connect" {
				t.Errorf("%q before %s: %s", ahead[:min(len(ahead), 10)], args[:2], ansi.Strip(term.raw()))
			}
			if _, err := os.Stat(mark); err == nil {
				t.Fatalf("%q before %s has started it: %s", ahead[:min(len(ahead), 10)], args[:2], ansi.Strip(term.raw()))
			}
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(cursor) {
		t.Errorf("the file has %s, %v", now, err)
	}
	term := onTerminalAfter(t, "y\n", []string{"HOME=" + home, "XDG_STATE_HOME=" + t.TempDir()}, "list", "tools", "ours")
	term.waitFor("[y/N] ")
	term.typed("y\r")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("an answer after the question: exit code %d: %s", code, term.raw())
	}
}

// TestAsClient_FramesAreAskedAbout connects with the file of a client that calls a tool: each frame is shown to
// its last character before, and nothing is started or sent without a yes.
func TestAsClient_FramesAreAskedAbout(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "host.json")
	last := strings.Repeat("x", 300) + "THE-END"
	text := `{"mcptea_client":1,"id":"x","name":"Editor 1","frames":[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"` + last + `"}}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		answer string
		sends  bool
	}{{"n\r", false}, {"\r", false}, {"y\r", true}} {
		record := filepath.Join(t.TempDir(), "r.jsonl")
		term := onTerminalWith(t, []string{"HOME=" + home}, "info", "--as-client", file, "--record", record, "--", "namedserver", "a")
		term.waitFor(`[y/N] `)
		if shown := ansi.Strip(term.raw()); !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(shown, "↳", "")), ""), "THE-END") || !strings.Contains(shown, "also sends frames that neither connect nor list") || strings.Contains(shown, `"tools/list"`) {
			t.Errorf("the question is %s", shown)
		}
		term.typed(row.answer)
		code := term.exit()
		recorded, err := os.ReadFile(record)
		if sent := strings.Contains(string(recorded), "THE-END"); sent != row.sends || row.sends != (code == app.ExitOK) || row.sends != (err == nil) {
			t.Errorf("%q: exit code %d, %v, sent %t: %s", row.answer, code, err, sent, term.raw())
		}
	}
}
