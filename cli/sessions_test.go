//go:build linux

package cli

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/demo"
	"mcptea/record/recordings"
)

// sessionsOf is an inspector with two sessions on a terminal: of a command, and of the server "files"
// of an application. keys are typed in the second one.
func sessionsOf(t *testing.T, f family) (term *ptyProgram, state string) {
	t.Helper()
	home, _ := homeWith(t, "mcptea")
	state = t.TempDir()
	term = onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + state, "MCPTEA_TEST_FAMILY=" + string(f)}, "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	term.typed("C")
	term.awaitScreen("Open")
	term.typed("cursor")
	term.awaitScreen("record with tap")
	term.opens()
	term.awaitScreen("files ●")
	return term, state
}

// Each process ends with its session, and the program with the last one.
func TestSessions_ProcessesEndWithTheirSession(t *testing.T) {
	f := family(t.Name())
	term, _ := sessionsOf(t, f)
	servers := f.alive(term.cmd.Process.Pid)
	if len(servers) < 2 {
		t.Fatalf("%d processes of two servers", len(servers))
	}
	term.awaitScreen("long-work")
	term.typed("q")
	term.awaitScreen("mcptea  mcptea-demo")
	late := time.Now().Add(deadline)
	for len(f.alive(term.cmd.Process.Pid)) >= len(servers) && time.Now().Before(late) {
		time.Sleep(10 * time.Millisecond) // /proc cannot be waited for
	}
	if left := f.alive(term.cmd.Process.Pid); len(left) == 0 || len(left) >= len(servers) {
		t.Errorf("%d of %d processes are left after one of two sessions has ended", len(left), len(servers))
	}
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	f.awaitEnd(t, servers)
	if raw := term.raw(); strings.Count(raw, screenRestored) != 1 || !strings.Contains(raw[strings.Index(raw, screenRestored):], "starts mcptea demo --serve") {
		t.Errorf("after the screen there is %q", raw[max(strings.Index(raw, screenRestored), 0):])
	}
}

// A token of the environment is for the server of the command line, and not for what is opened beside it.
func TestSessions_TokenIsOfTheFirst(t *testing.T) {
	first, second := newNoted(t), newNoted(t)
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".cursor", "mcp.json"), []byte(`{"mcpServers":{"other":{"url":"`+second.URL+`/mcp"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + t.TempDir(), "MCPTEA_TOKEN=token-of-the-first"}, "--record=off", first.URL+"/mcp")
	term.waitFor("long-work")
	term.typed("C")
	term.awaitScreen("Open")
	term.typed("cursor")
	term.awaitScreen("enter connect")
	term.opens()
	term.awaitScreen("›other ●")
	if _, got := first.got("token-of-the-first"); !got {
		t.Error("the first server did not get the token")
	}
	if asked, got := second.got("token-of-the-first"); !asked || got {
		t.Errorf("the second server: asked %t, token %t", asked, got)
	}
	term.quits()
}

// A process, a server over HTTP and the server of another client are sessions of one program.
func TestSessions_StdioHTTPAndTap(t *testing.T) {
	web := httptest.NewServer(demo.New(demo.Options{}).HandlerContext(t.Context()))
	t.Cleanup(func() {
		web.CloseClientConnections() // those of processes that are killed
		web.Close()
	})
	state := t.TempDir()
	env := []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + state}
	editor := onTerminalWith(t, env, "--record=off", "--", "mcptea", "tap", "--", "mcptea", "demo", "--serve")
	editor.waitFor("long-work")
	term := onTerminalWith(t, env, "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	for i, other := range [][2]string{{web.URL + "/mcp", "connect"}, {"tap", "1 session"}} {
		term.typed("C")
		term.awaitScreen("Active taps")
		term.typed(other[0])
		term.awaitScreen(other[1])
		term.typed("\r")
		term.awaitScreen([]string{"›mcptea-demo#2 ●", "›tap mcptea ●"}[i])
	}
	term.awaitScreen("WATCHING another client")
	editor.typed("2/echo\r\rfrom the editor\r")
	term.awaitScreen("from the editor")
	_ = editor.cmd.Process.Signal(os.Interrupt)
	editor.exit()
	term.awaitScreen("›mcptea –") // the tap has ended
	term.typed("q")
	term.awaitScreen("mcptea-demo")
	_ = term.cmd.Process.Signal(os.Interrupt)
	if code := term.exit(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}

// What is on the screen of both sessions is in their recordings when the program is killed, and no
// process is left.
func TestSessions_KillLosesNothing(t *testing.T) {
	f := family(t.Name())
	term, state := sessionsOf(t, f)
	term.awaitScreen("long-work")
	term.typed("2/echo\r\rmarker-of-files\r")
	term.awaitScreen(`call (id )?\d+ ok`)
	term.typed("\x1b\x1b\x1bS")
	term.awaitScreen("mcptea-demo")
	pids := f.alive(term.cmd.Process.Pid)
	_ = term.cmd.Process.Kill()
	_ = term.exit()
	f.awaitEnd(t, pids)
	list, err := recordings.List(filepath.Join(state, "mcptea", "recordings"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d recordings: %v", len(list), err)
	}
	marked := 0
	for _, r := range list {
		text, err := os.ReadFile(r.Path)
		if err != nil || !strings.Contains(string(text), `"tools/list"`) {
			t.Errorf("%s: %v", r.Path, err)
		}
		marked += min(strings.Count(string(text), "marker-of-files"), 1)
	}
	if marked != 1 {
		t.Errorf("the call is in %d recordings", marked)
	}
}

// A server that cannot be opened says why on the start screen, and the session below lives.
func TestSessions_OtherCannotBeOpened(t *testing.T) {
	home, file := homeWith(t, "mcptea")
	term := onTerminalWith(t, []string{"HOME=" + home}, "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	term.typed("C")
	term.awaitScreen("Cursor")
	configure(t, file, "/bin/sh")
	term.typed("files")
	term.awaitScreen("record with tap")
	term.opens()
	term.awaitScreen("The entry cursor/files has changed since it was shown")
	term.typed("\x15\x1b")
	term.awaitScreen("mcptea  mcptea-demo")
	term.typed("C")
	term.awaitScreen("Cursor")
	term.typed("files")
	term.awaitScreen("record with tap")
	term.typed("\x1b[18~") // f7
	term.awaitScreen("Record with tap: write this change?")
	term.agrees("write this change?")
	term.awaitScreen("f7 stop recording")
	term.typed("mcptea demo --serve | cat")
	term.typed("\x15mcptea check x")
	term.awaitScreen("Beside a session, only a line that opens a session works")
	term.typed("\x15\x1b")
	term.awaitScreen("mcptea  mcptea-demo")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// A session beside others is in the directory of its entry, and the others stay in theirs.
func TestSessions_EntryOfAnotherDirectory(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(state, "mcptea"), 0o700); err != nil {
		t.Fatal(err)
	}
	recent := `{"time":"2026-11-20T14:00:00Z","command":"-- sh -c 'pwd >here; exec mcptea demo --serve'","dir":"` + dir + `","server":"elsewhere"}` + "\n"
	if err := os.WriteFile(filepath.Join(state, "mcptea", "recent.jsonl"), []byte(recent), 0o600); err != nil {
		t.Fatal(err)
	}
	term := onTerminalWith(t, []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + state}, "--", "mcptea", "demo", "--serve")
	term.waitFor("long-work")
	before, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", term.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	term.typed("C")
	term.awaitScreen("elsewhere")
	term.typed("elsewhere")
	term.awaitScreen("open it again")
	term.typed("\r")
	term.awaitScreen("mcptea-demo#2 ●")
	if here, err := os.ReadFile(filepath.Join(dir, "here")); err != nil || strings.TrimSpace(string(here)) != dir {
		t.Errorf("the server runs in %q: %v", here, err)
	}
	if after, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", term.cmd.Process.Pid)); err != nil || after != before {
		t.Errorf("mcptea was in %s and is in %s: %v", before, after, err)
	}
	term.typed("q")
	term.awaitScreen("mcptea  mcptea-demo")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// Each session has a socket of its own, by which commands use its connection.
func TestSessions_AttachToOneOfTwo(t *testing.T) {
	term, state := sessionsOf(t, family(t.Name()))
	term.awaitScreen("long-work")
	pid := fmt.Sprint(term.cmd.Process.Pid)
	for _, id := range []string{pid, pid + "-2"} {
		path, err := exec.LookPath("mcptea")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, "call", "echo", "message=to "+id, "--attach="+id)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "to "+id) {
			t.Errorf("%s: %v, %s", id, err, out)
		}
	}
	term.typed("9")
	term.awaitScreen("to " + pid + "-2")
	if strings.Contains(term.shown(), `"to `+pid+`"`) {
		t.Errorf("the call to the other session is on the screen:\n%s", term.shown())
	}
	term.typed("q")
	term.awaitScreen("mcptea  mcptea-demo")
	term.quits()
}
