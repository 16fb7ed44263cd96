//go:build unix

package cli

import (
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// homeWith makes a home directory in which Cursor has a server with a command.
func homeWith(t *testing.T, command string) (home, file string) {
	t.Helper()
	home = t.TempDir()
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	configure(t, file, command)
	return home, file
}

func configure(t *testing.T, file, command string) {
	t.Helper()
	text := `{"mcpServers": {"files": {"command": "` + command + `", "args": ["demo", "--serve"]}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// opens presses enter, and agrees in the window that asks where enter came too soon to be an answer.
func (term *ptyProgram) opens() {
	term.t.Helper()
	term.typed("\r")
	for late := time.After(deadline); ; {
		screen := term.shown()
		switch {
		case strings.Contains(screen, "y start"):
			term.agrees("y start")
			continue
		case strings.Contains(screen, "y connect"):
			term.agrees("y connect")
			continue
		case !strings.Contains(screen, "Targets"), strings.Contains(screen, "not opened"):
			return
		}
		select {
		case <-term.grown:
		case <-term.ended:
			return
		case <-late:
			term.t.Fatalf("it is not opened; the screen is\n%s", screen)
		}
	}
}

func TestStartScreen_OpensConfiguredServerAndRecentTarget(t *testing.T) {
	home, file := homeWith(t, "mcptea")
	state := t.TempDir()
	env := []string{"HOME=" + home, "XDG_STATE_HOME=" + state}
	term := onTerminalWith(t, env)
	term.waitFor("mcptea demo --serve")
	term.typed("files")
	term.awaitScreen("record with tap")
	term.opens()
	term.waitFor("long-work")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if want := "cursor/files (" + file + ":1) starts mcptea demo --serve"; strings.Count(term.raw(), want) != 1 {
		t.Errorf("the terminal does not have %q once", want)
	}
	term = onTerminalWith(t, env)
	term.waitFor("Recent")
	term.waitFor("tools")
	term.typed("files") // the last session of the selected entry
	term.waitFor("last session")
	term.waitFor("mcptea-demo")
	term.waitFor("35 tools")
	term.typed("\x15recent\r")
	term.waitFor("long-work")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	text, err := os.ReadFile(filepath.Join(state, "mcptea", "recent.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), "--server=cursor/files") {
		t.Errorf("recent targets: %q, %v", text, err)
	}
}

// What the list masks of an entry of the project is asked about, whole, before it starts.
func TestStartScreen_AsksAboutWhatIsMasked(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Chdir(project)
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	const text = `{"mcpServers":{"ours":{"command":"mcptea","args":["demo","--serve"],"env":{"API_TOKEN":"touch x"}}}}`
	if err := os.WriteFile(".mcp.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + t.TempDir()})
	term.waitFor("mcptea demo --serve")
	term.typed("ours")
	term.awaitScreen("API_TOKEN")
	term.typed("\r")
	term.awaitScreen("Start this command?")
	term.awaitScreen("API_TOKEN=touch")
	if strings.Contains(term.raw(), "long-work") {
		t.Error("it was started")
	}
}

// The names of the user's own are on the start screen with their place.
func TestStartScreen_OpensOwnName(t *testing.T) {
	config := t.TempDir()
	file := filepath.Join(config, "mcptea", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("servers:\n  trial: mcptea demo --serve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := onTerminalWith(t, []string{"HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + config})
	term.waitFor("config.yaml:2")
	term.typed("trial\r")
	term.waitFor("long-work")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if want := "trial (" + file + ":2) starts mcptea demo --serve"; strings.Count(term.raw(), want) != 1 {
		t.Errorf("the terminal does not have %q once", want)
	}
}

// A server of a file is opened again by the name of the file.
func TestStartScreen_OpensServerOfAFileAgain(t *testing.T) {
	_, file := homeWith(t, "mcptea")
	env := []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	for _, args := range [][]string{{file + "#files"}, nil} {
		term := onTerminalWith(t, env, args...)
		if args == nil {
			term.waitFor("Recent")
			term.typed("recent")
			term.awaitScreen("mcptea demo --serve")
			term.opens()
		}
		term.waitFor("long-work")
		if code := term.quits(); code != app.ExitOK {
			t.Errorf("exit code %d", code)
		}
	}
}

func TestStartScreen_EntryThatChangesIsNotStarted(t *testing.T) {
	home, file := homeWith(t, "mcptea")
	term := onTerminalWith(t, []string{"HOME=" + home})
	term.waitFor("mcptea demo --serve")
	configure(t, file, "/bin/sh")
	term.typed("files")
	term.awaitScreen("record with tap")
	term.opens()
	term.awaitScreen("The entry cursor/files has changed since it was shown.")
	term.awaitScreen("/bin/sh demo --serve")
	if strings.Contains(term.raw(), "not connected") {
		t.Error("it was started")
	}
}

// startPasted pastes a server on the start screen, and opens it.
func startPasted(t *testing.T, env []string) *ptyProgram {
	t.Helper()
	term := onTerminalWith(t, env)
	term.waitFor("mcptea demo")
	term.typed(`{"mcpServers":{"mine":{"command":"mcptea","args":["demo","--serve"]}}}`)
	term.awaitScreen("mine")
	term.typed("\r")
	term.awaitScreen("This server was pasted.")
	term.agrees("This server was pasted.")
	term.waitFor("long-work")
	return term
}

// The question of the start screen has shown all of a pasted server: the terminal keeps no line about it.
func TestStartScreen_PastedServerLeavesNoLine(t *testing.T) {
	term := startPasted(t, []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()})
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(term.raw(), "starts mcptea demo --serve") {
		t.Error("the terminal has a line about what was started")
	}
}

// A target is known as soon as it is connected, also a pasted one, which no name leads to.
func TestRecentTargets_OnceConnected(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	env := []string{"HOME=" + home, "XDG_STATE_HOME=" + state}
	term := startPasted(t, env)
	awaitLine(t, filepath.Join(state, "mcptea", "recent.jsonl"), `"command":"-- mcptea demo --serve"`)
	beside := onTerminalWith(t, env)
	beside.waitFor("Recent")
	beside.typed("recent")
	beside.awaitScreen("35 tools")
	beside.opens()
	beside.waitFor("long-work")
	beside.quits()
	term.quits()
}

// The variables of a pasted server are not kept, and without them it is another server.
func TestRecentTargets_NoPastedVariables(t *testing.T) {
	state := t.TempDir()
	term := onTerminalWith(t, []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + state}, `{"mcpServers":{"mine":{"command":"mcptea","args":["demo","--serve"],"env":{"MODE":"x"}}}}`)
	term.answers("y\r", "long-work")
	term.quits()
	if text, err := os.ReadFile(filepath.Join(state, "mcptea", "recent.jsonl")); err == nil {
		t.Errorf("recent targets: %q", text)
	}
}

func TestStartScreen_TypedAddressConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // nothing listens there now
	term := onTerminalWith(t, []string{"HOME=" + t.TempDir()})
	term.waitFor("Demo")
	term.typed(address + "/mcp\r")
	term.waitFor("connection refused")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

func TestRecentTargets_HaveNoSecrets(t *testing.T) {
	state := t.TempDir()
	const secret = "hunter2hunter2hunter2"
	term := onTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, "-e", "API_KEY="+secret, "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	term.quits()
	text, err := os.ReadFile(filepath.Join(state, "mcptea", "recent.jsonl"))
	if err != nil || strings.Contains(string(text), secret) || !strings.Contains(string(text), `$API_KEY`) {
		t.Errorf("recent targets: %q, %v", text, err)
	}
	// Without a recording nothing is kept.
	state = t.TempDir()
	term = onTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, "--record", "off", "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	term.quits()
	if _, err := os.Stat(filepath.Join(state, "mcptea", "recent.jsonl")); err == nil {
		t.Error("the target was kept with --record off")
	}
}

// A start from Recent has the flags that changed what ran, and says which it leaves out.
func TestRecentTargets_HaveTheFlagsOfTheRun(t *testing.T) {
	raced.ByNight(t, "starts the inspector for each flag; other tests race its start")
	t.Chdir(t.TempDir())
	if err := os.Mkdir("src", 0o700); err != nil {
		t.Fatal(err)
	}
	home, file := homeWith(t, "mcptea")
	for name, c := range map[string]struct {
		target []string
		want   string
	}{
		"a command": {[]string{"--", "mcptea", "demo", "--serve"}, `--mute S001 --watch=src -- mcptea demo --serve"`},
		"a server":  {[]string{"--server", "cursor/files"}, `--server=cursor/files -e X=1 --mute S001 --watch=src"`},
		"a build":   {[]string{"--build", "true", "--", "mcptea", "demo", "--serve"}, `--mute S001 --watch=src --build true -- mcptea demo --serve"`},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			env := []string{"HOME=" + home, "XDG_STATE_HOME=" + state}
			args := append([]string{"--watch=src", "--mute", "S001", "--record", filepath.Join(t.TempDir(), "x.jsonl")}, c.target...)
			if c.target[0] == "--server" {
				args = append(args, "-e", "X=1")
			}
			term := onTerminalWith(t, env, args...)
			term.waitFor("long-work")
			term.quits()
			text, err := os.ReadFile(filepath.Join(state, "mcptea", "recent.jsonl"))
			if err != nil || !strings.Contains(string(text), strings.Replace(c.want, "-e X", "--env X", 1)) || !strings.Contains(string(text), `"left":["record"]`) {
				t.Fatalf("recent targets: %q, %v (%s)", text, err, file)
			}
			term = onTerminalWith(t, env)
			term.waitFor("Recent")
			term.typed("recent")
			term.awaitScreen("Without --record: it is recorded in a file of its own.")
			term.opens()
			term.awaitScreen("watching")
			term.waitFor("long-work")
			term.quits()
		})
	}
}

// A URL without its scheme, and a command without --, are targets.
func TestInspector_PlainTargets(t *testing.T) {
	server := httptest.NewServer(demo.New(demo.Options{}).HandlerContext(t.Context()))
	defer server.Close()
	for _, c := range []struct {
		args []string
		sees string
	}{
		{[]string{strings.TrimPrefix(server.URL, "http://") + "/mcp"}, "long-work"},
		{[]string{"namedserver", "tool-one"}, "tool-one"},
	} {
		term := onTerminalWith(t, []string{"HOME=" + t.TempDir()}, c.args...)
		term.waitFor("connected in")
		term.waitFor(c.sees)
		if code := term.quits(); code != app.ExitOK {
			t.Errorf("%v: exit code %d", c.args, code)
		}
	}
}

// What the last session was like rests on what the server wrote, also where the terminal was closed.
func TestStartScreen_LastSessionQuotesTheServer(t *testing.T) {
	server := []string{"--", "sh", "-c", "echo hello from the server; exit 3"}
	for name, runs := range map[string]func(state string){
		"q": func(state string) {
			term := onTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, server...)
			term.waitFor("not connected")
			term.quits()
		},
		"closed": func(state string) {
			cmd := exec.Command("mcptea", server...)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "TERM=xterm-256color")
			onEmulator(t, cmd, "not connected")()
			_ = cmd.Wait()
		},
	} {
		state := t.TempDir()
		runs(state)
		text, err := os.ReadFile(filepath.Join(state, "mcptea", "recent.jsonl"))
		if err != nil || !strings.Contains(string(text), `stdout is \"hello from the server\"`) {
			t.Errorf("%s: recent targets: %q, %v", name, text, err)
		}
	}
}

// A file of source code opens the start screen with the command that runs it, and enter starts that.
func TestStartScreen_RunsSourceCode(t *testing.T) {
	dir, programs := t.TempDir(), linked(t, "python3")
	t.Chdir(dir)
	if err := os.WriteFile("server.py", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"./server.py"}, {"--timeout", "9s", "server.py", "two"}, {"server.py", "--three"}} {
		env := []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir(), "PATH=" + programs + ":" + os.Getenv("PATH")}
		term := onTerminalWith(t, env, args...)
		term.awaitScreen(`│ › python3 server.py`)
		term.awaitScreen(`command +python3 server.py`)
		term.awaitScreen("enter start it and connect")
		term.opens()
		term.awaitScreen("● connected")
		if code := term.quits(); code != app.ExitOK {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}

// A file with several servers is a list of them, and each is asked about with what it starts.
func TestStartScreen_ListsServersOfAFile(t *testing.T) {
	dir, programs := t.TempDir(), linked(t, "namedserver")
	t.Chdir(dir)
	const text = `{"mcpServers":{"first":{"command":"namedserver","args":["one"]},"second":{"command":"namedserver","args":["two"],"env":{"NODE_OPTIONS":"--x"}}}}`
	if err := os.WriteFile("two servers.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir(), "PATH=" + programs + ":" + os.Getenv("PATH")}
	term := onTerminalWith(t, env, "two servers.json")
	term.awaitScreen("first .*namedserver one")
	term.awaitScreen("second .*namedserver two")
	term.typed("\x1b[B") // down
	term.awaitScreen("runs code +NODE_OPTIONS=--x")
	term.opens()
	term.awaitScreen("● connected")
	term.awaitScreen("▌  two")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// A tap on a terminal says whom it waits for, and how that is set up.
func TestTap_OnTerminalSaysWhatItWaitsFor(t *testing.T) {
	home, _ := homeWith(t, "mcptea")
	term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + t.TempDir()}, "tap", "files")
	term.waitFor("waiting for a host")
	term.waitFor("mcptea servers wrap cursor/files has Cursor start it")
	term.typed("\x03")
	term.exit()
}

// A mistake in what was typed is told on the start screen: the line stays, and the cursor is at the mistake.
func TestStartScreen_TellsAMistakeInTheLine(t *testing.T) {
	for _, tc := range []struct{ line, says, mended string }{
		{"--nope demo", "Unknown flag: --nope", "--no-color demo"},
		{"--timeout soon demo", "--timeout", ""},
		{"demo --fault nothing", "nothing", ""},
		{"mcptea open absent.jsonl", "no such file", ""},
	} {
		term := onTerminalWith(t, []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()})
		term.awaitScreen("Targets")
		term.typed(tc.line)
		term.awaitScreen("typed")
		term.typed("\r")
		term.awaitScreen("not opened")
		term.awaitScreen(tc.says)
		term.awaitScreen(" " + tc.line)
		if tc.mended != "" {
			term.typed("X")
			term.awaitScreen("X" + tc.line) // the cursor was at the word
		}
		term.typed("\x03\x03")
		if code := term.exit(); code == app.ExitUsage {
			t.Errorf("%s: exit code %d", tc.line, code)
		}
	}
}
