//go:build linux

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"mcptea/cli/app"
	"mcptea/internal/test/processes"
	"mcptea/internal/test/raced"
)

// stubborn is a server of three processes, all of which ignore SIGTERM and
// SIGHUP, and the end of stdin.
var stubborn = []string{"--", "sh", "-c", `trap "" TERM HUP; sleep 1000 & mcptea demo --serve --fault ignore-stdin-close`}

// family finds the processes that have a variable in their environment, which
// the server and all that it starts inherit.
type family string

// handleHangup gives the processes that are started from here on the default
// action for SIGHUP, also where the tests run with the signal ignored, as under
// nohup: an ignored signal would be inherited, a handled one is not.
var handleHangup = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) })

// command returns mcptea with the marker in the environment.
func (f family) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	handleHangup()
	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "MCPTEA_TEST_FAMILY="+string(f), "TERM=xterm-256color", "NO_COLOR=",
		"XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	t.Cleanup(func() {
		for _, pid := range f.alive(0) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // none, unless the test has failed
		}
	})
	return cmd
}

func (f family) alive(except int) (pids []int) {
	for pid, env := range processes.Each("environ") {
		if pid != except && bytes.Contains(env, []byte("MCPTEA_TEST_FAMILY="+string(f)+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitEnd waits until no process of the family is left, nor a guard of one of
// its process groups.
func (f family) awaitEnd(t *testing.T, groups []int) {
	t.Helper()
	begin := time.Now()
	for {
		left := f.alive(0)
		guards := guardsOf(groups)
		if len(left) == 0 && len(guards) == 0 {
			t.Logf("no process is left after %s", time.Since(begin).Round(10*time.Millisecond))
			return
		}
		if time.Since(begin) > deadline {
			for _, pid := range append(left, guards...) {
				cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				t.Errorf("%d is alive: %q", pid, cmdline)
			}
			return
		}
		time.Sleep(10 * time.Millisecond) // /proc cannot be waited for
	}
}

// ends waits for the exit of mcptea with a code, and for the end of the family.
func (f family) ends(t *testing.T, cmd *exec.Cmd, code int, groups []int) {
	t.Helper()
	if got := exitCode(t, cmd); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	f.awaitEnd(t, groups)
}

// guardsOf finds the guards of process groups.
func guardsOf(groups []int) (pids []int) {
	for pid, cmdline := range processes.Each("cmdline") {
		if !bytes.Contains(cmdline, []byte("mcptea-guard\x00")) {
			continue
		}
		for _, g := range groups {
			if bytes.HasSuffix(cmdline, []byte("\x00"+strconv.Itoa(g)+"\x00")) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// inspector is mcptea on a pty with a stubborn server, connected.
func anInspector(t *testing.T, f family, args ...string) *ptyProgram {
	t.Helper()
	term := onPty(t, f.command(t, args...))
	term.waitFor("mcptea-demo")
	return term
}

// onPty starts a command on a terminal of its own.
func onPty(t *testing.T, cmd *exec.Cmd) *ptyProgram {
	t.Helper()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	term := &ptyProgram{t: t, width: terminalWidth, height: terminalHeight, cmd: cmd, tty: tty, grown: make(chan struct{}, 1), ended: make(chan struct{})}
	go term.read()
	t.Cleanup(func() { _ = tty.Close(); <-term.ended })
	return term
}

// exitCode waits for the end of a process.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // the state says it all
	return cmd.ProcessState.ExitCode()
}

// TestLifetime_Inspector ends eight inspectors at once, each in another way.
func TestLifetime_Inspector(t *testing.T) {
	t.Parallel()
	signalled := func(sig syscall.Signal) func(*ptyProgram) {
		return func(term *ptyProgram) { _ = term.cmd.Process.Signal(sig) }
	}
	typed := func(keys string) func(*ptyProgram) {
		return func(term *ptyProgram) { _, _ = term.tty.WriteString(keys) }
	}
	type ending struct {
		name     string
		end      func(*ptyProgram)
		code     int
		restored bool // the screen
		f        family
		term     *ptyProgram
		pids     []int
	}
	endings := []*ending{
		{name: "q", end: typed("qq"), code: app.ExitOK, restored: true},
		{name: "ctrl+c", end: typed("\x03\x03"), code: app.ExitOK, restored: true},
		{name: "SIGINT", end: signalled(syscall.SIGINT), code: 130, restored: true},
		{name: "SIGTERM", end: signalled(syscall.SIGTERM), code: 143, restored: true},
		{name: "SIGHUP", end: signalled(syscall.SIGHUP), code: 129, restored: true},
		{name: "SIGQUIT", end: signalled(syscall.SIGQUIT), code: 131, restored: true},
		{name: "SIGKILL", end: signalled(syscall.SIGKILL), code: -1},
	}
	for _, c := range endings {
		c.f = family(t.Name() + "/" + c.name)
		c.term = anInspector(t, c.f, stubborn...)
		if c.pids = c.f.alive(c.term.cmd.Process.Pid); len(c.pids) < 3 {
			t.Fatalf("%s: the server has %d processes, want 3", c.name, len(c.pids))
		}
	}
	for _, c := range endings {
		c.end(c.term)
	}
	for _, c := range endings {
		t.Run(c.name, func(t *testing.T) {
			c.f.ends(t, c.term.cmd, c.code, c.pids)
			if c.restored && !strings.Contains(c.term.raw(), screenRestored) {
				t.Error("the screen is not restored")
			}
		})
	}
}

// TestLifetime_ClosedTerminal ends the terminal emulator, which is a process that
// alone holds the other side of the pty.
func TestLifetime_ClosedTerminal(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	cmd := f.command(t, stubborn...)
	closes := onEmulator(t, cmd, "mcptea-demo")
	pids := f.alive(cmd.Process.Pid)
	closes()
	f.ends(t, cmd, 129, pids)
}

// onEmulator starts a program on the terminal of an emulator, and waits for a text on it. The function that it
// returns closes the window of the emulator.
func onEmulator(t *testing.T, cmd *exec.Cmd, text string) (closes func()) {
	t.Helper()
	emulator := exec.Command("cat")
	screen, err := emulator.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	emulator.Stdin = tty
	if err := errors.Join(emulator.Start(), tty.Close()); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	for b := make([]byte, 4096); !bytes.Contains(seen, []byte(text)); {
		n, err := screen.Read(b)
		if err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
		seen = append(seen, b[:n]...)
	}
	go func() { _, _ = io.Copy(io.Discard, screen) }()
	return func() {
		_ = emulator.Process.Kill()
		_ = emulator.Wait()
	}
}

// TestLifetime_StalledTerminal stops reading what the inspector writes, as
// ctrl+s and a hung connection do.
func TestLifetime_StalledTerminal(t *testing.T) {
	raced.ByNight(t, "the end of a program under the detector, which a terminal that nothing reads has held up")
	t.Parallel()
	f := family(t.Name())
	cmd := f.command(t, "--", "sh", "-c", `mcptea demo --serve --fault ignore-stdin-close & while sleep 0.02; do echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'; done`)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	if _, err := io.ReadFull(tty, make([]byte, 20000)); err != nil { // it draws, and nothing reads on
		t.Fatal(err)
	}
	pids := f.alive(cmd.Process.Pid)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	said := make(chan []byte, 1)
	stuck := time.AfterFunc(deadline/2, func() { // it says where it is, once something reads again
		_ = cmd.Process.Signal(syscall.SIGABRT)
		text, _ := io.ReadAll(tty)
		said <- text
	})
	f.ends(t, cmd, 143, pids)
	if !stuck.Stop() {
		text := <-said
		t.Logf("it does not end: %s", text[max(0, len(text)-64<<10):])
	}
}

// TestLifetime_Call ends five calls at once, each by another signal.
func TestLifetime_Call(t *testing.T) {
	t.Parallel()
	type ending struct {
		sig       syscall.Signal
		code      int
		f         family
		recording string
		cmd       *exec.Cmd
		pids      []int
	}
	endings := []*ending{
		{sig: syscall.SIGINT, code: 130},
		{sig: syscall.SIGTERM, code: 143},
		{sig: syscall.SIGHUP, code: 129},
		{sig: syscall.SIGQUIT, code: 131},
		{sig: syscall.SIGKILL, code: -1},
	}
	for _, c := range endings {
		c.f, c.recording = family(t.Name()+"/"+c.sig.String()), filepath.Join(t.TempDir(), "r.jsonl")
		c.cmd = c.f.command(t, append([]string{"call", "never-answer", "--record", c.recording}, stubborn...)...)
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range endings {
		awaitLine(t, c.recording, `"tools/call"`)
		c.pids = c.f.alive(c.cmd.Process.Pid)
		_ = c.cmd.Process.Signal(c.sig)
	}
	for _, c := range endings {
		t.Run(c.sig.String(), func(t *testing.T) {
			c.f.ends(t, c.cmd, c.code, c.pids)
			if text, _ := os.ReadFile(c.recording); c.sig != syscall.SIGKILL && !bytes.Contains(text, []byte(`"exited"`)) {
				t.Error("the end of the server is not in the recording")
			}
		})
	}
}

// awaitLine waits until a file contains a text.
func awaitLine(t *testing.T, path, text string) {
	t.Helper()
	for begin := time.Now(); ; {
		if b, _ := os.ReadFile(path); bytes.Contains(b, []byte(text)) {
			return
		}
		if time.Since(begin) > deadline {
			t.Fatalf("no %s in %s", text, path)
		}
		time.Sleep(10 * time.Millisecond) // a file cannot be waited for
	}
}

// TestLifetime_BrokenPipe closes stdout early, as head -1 does.
func TestLifetime_BrokenPipe(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	cmd := f.command(t, append([]string{"list", "--json"}, stubborn...)...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := errors.Join(r.Close(), cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	f.ends(t, cmd, 141, nil)
}

// TestLifetime_NoHangup starts mcptea with SIGHUP ignored, as nohup does.
func TestLifetime_NoHangup(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	recording := filepath.Join(t.TempDir(), "r.jsonl")
	direct := f.command(t, "call", "never-answer", "--record", recording, "--", "mcptea", "demo", "--serve")
	cmd := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, direct.Args...)...)
	cmd.Env = direct.Env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitLine(t, recording, `"tools/call"`)
	_ = cmd.Process.Signal(syscall.SIGHUP)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if code := exitCode(t, cmd); code != 143 {
		t.Errorf("exit code %d, want 143: SIGHUP stays ignored", code)
	}
}

// TestLifetime_BlockedInput waits for what never comes: the end of stdin or of a
// named pipe, a reader of stdout.
func TestLifetime_BlockedInput(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	serve := []string{"--", "mcptea", "demo", "--serve"}
	for name, args := range map[string][]string{
		"arguments from stdin": append([]string{"call", "echo", "-"}, serve...),
		"arguments from fifo":  append([]string{"call", "echo", "@" + fifo}, serve...),
		"env file":             append([]string{"info", "--env-file", fifo}, serve...),
		"answer":               append([]string{"info", "--answer", "sampling=@" + fifo}, serve...),
		"lint stdin":           {"lint", "-"},
		"lint fifo":            {"lint", fifo},
	} {
		t.Run(name, func(t *testing.T) {
			f := family(t.Name())
			cmd := f.command(t, args...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.RemoveAll(fifo), syscall.Mkfifo(fifo, 0o600), cmd.Start()); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.Join(args, " "), fifo) {
				if stdin, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil { // waits for the reader
					t.Fatal(err)
				}
				defer func() { _ = stdin.Close() }()
			} else if _, err := stdin.Write(make([]byte, 128<<10)); err != nil { // more than a pipe holds
				t.Fatal(err)
			}
			_ = cmd.Process.Signal(syscall.SIGINT)
			f.ends(t, cmd, 130, nil)
		})
	}
	t.Run("stdout", func(t *testing.T) {
		t.Parallel()
		f := family(t.Name())
		cmd := f.command(t, append([]string{"list", "--json"}, stubborn...)...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = errors.Join(r.Close(), w.Close()) }()
		full := bytes.Repeat([]byte("\n"), 64<<10) // what a pipe holds
		if _, err := w.Write(full); err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); len(f.alive(cmd.Process.Pid)) < 3 && time.Since(begin) < deadline; {
			time.Sleep(10 * time.Millisecond) // /proc cannot be waited for
		}
		pids := f.alive(cmd.Process.Pid)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		f.ends(t, cmd, 143, pids)
	})
}

func TestLifetime_NoControllingTerminal(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	mark := filepath.Join(t.TempDir(), "mark")
	term := anInspector(t, f, "--", "sh", "-c", `if (printf 'for%s' ged >/dev/tty) 2>/dev/null; then echo yes; else echo no; fi >`+mark+`; exec mcptea demo --serve`)
	awaitLine(t, mark, "no\n")
	if strings.Contains(term.raw(), "forged") {
		t.Error("the server wrote to the screen")
	}
	_, _ = term.tty.WriteString("qq")
	if code := exitCode(t, term.cmd); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestLifetime_StoppedServer has a server that stops itself before it answers.
func TestLifetime_StoppedServer(t *testing.T) {
	t.Parallel()
	f := family(t.Name())
	cmd := f.command(t, "info", "--connect-timeout", "300ms", "--", "sh", "-c", `kill -STOP $$`)
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != app.ExitConnect {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{"the process is stopped", "T (stopped by a signal)", "SIGTTIN"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("no %q in:\n%s", want, output)
		}
	}
	f.awaitEnd(t, nil)
}
