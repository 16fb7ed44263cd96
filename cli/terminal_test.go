//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"mcptea/cli/app"
	"mcptea/internal/test/raced"
)

// ptyProgram is the program on a terminal of its own.
type ptyProgram struct {
	t             *testing.T
	width, height int
	cmd           *exec.Cmd
	tty           *os.File

	mu     sync.Mutex
	output bytes.Buffer
	grown  chan struct{} // one slot
	ended  chan struct{}

	emulator *vt.Emulator // of [terminal.shown]; nil before
	fed      int          // bytes of output that it was given

	keys string // typed since the last wait
}

// The size of the terminals of these tests, in cells.
const terminalWidth, terminalHeight = 110, 30

func onTerminal(t *testing.T, args ...string) *ptyProgram {
	t.Helper()
	return onTerminalWith(t, nil, args...)
}

// onTerminalWith runs the program with some more environment variables.
func onTerminalWith(t *testing.T, env []string, args ...string) *ptyProgram {
	t.Helper()
	return onTerminalAfter(t, "", env, args...)
}

// onTerminalAfter is onTerminalWith on a terminal in which something was typed before the program starts.
func onTerminalAfter(t *testing.T, ahead string, env []string, args ...string) *ptyProgram {
	t.Helper()
	return onTerminalOf(t, terminalWidth, terminalHeight, ahead, env, args...)
}

// onTerminalOf is onTerminalAfter for a size.
func onTerminalOf(t *testing.T, width, height int, ahead string, env []string, args ...string) *ptyProgram {
	t.Helper()
	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	tty, own, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	if _, err := tty.WriteString(ahead); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = own, own, own
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	_ = own.Close() // the program has it
	if err != nil {
		t.Fatal(err)
	}
	term := &ptyProgram{t: t, width: width, height: height, cmd: cmd, tty: tty, grown: make(chan struct{}, 1), ended: make(chan struct{})}
	go term.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, unless the test has failed
		_ = tty.Close()
		<-term.ended
	})
	return term
}

// read takes what the program writes. As most terminals do, it answers that it can show a frame at once
// (mode 2026), so that the begin and the end of each are known.
func (term *ptyProgram) read() {
	defer close(term.ended)
	b := make([]byte, 4096)
	for answered := false; ; {
		n, err := term.tty.Read(b)
		term.mu.Lock()
		term.output.Write(b[:n])
		asked := !answered && strings.Contains(term.output.String(), ansi.RequestModeSynchronizedOutput)
		term.mu.Unlock()
		if asked {
			answered = true
			_, _ = term.tty.WriteString("\x1b[?2026;2$y") // a program that has ended does not read it
		}
		select {
		case term.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (term *ptyProgram) raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.output.String()
}

// waitFor waits until a text was on the screen.
func (term *ptyProgram) waitFor(text string) {
	term.t.Helper()
	term.refuseEcho(text)
	late := time.After(deadline)
	for !strings.Contains(ansi.Strip(term.raw()), text) {
		select {
		case <-term.grown:
		case <-late:
			term.t.Fatalf("%q never showed; there is %q", text, ansi.Strip(term.raw()))
		}
	}
}

// waitTimes waits until a text was on the screen a number of times: a line that is typed before the
// question is not an answer.
func (term *ptyProgram) waitTimes(text string, n int) {
	term.t.Helper()
	late := time.After(deadline)
	for strings.Count(ansi.Strip(term.raw()), text) < n {
		select {
		case <-term.grown:
		case <-late:
			term.t.Fatalf("%q never showed %d times; there is %q", text, n, ansi.Strip(term.raw()))
		}
	}
}

// grownSince waits until a whole frame was drawn after so many bytes, or there is nothing to draw.
func (term *ptyProgram) grownSince(bytes int) {
	term.t.Helper()
	late := time.After(200 * time.Millisecond)
	for !strings.Contains(term.raw()[bytes:], ansi.ResetModeSynchronizedOutput) {
		select {
		case <-term.grown:
		case <-late:
			return
		}
	}
}

// refuseEcho fails a test that sends something and then waits for what it has typed: the field of the form
// shows that before the program has done anything.
func (term *ptyProgram) refuseEcho(awaited string) {
	term.t.Helper()
	typed := term.keys
	term.keys = ""
	if at := strings.LastIndexAny(typed, keyEnter+keySend); at > 0 && strings.Contains(typed[:at], awaited) {
		term.t.Fatalf("%q is typed by the test itself: wait for what it leads to", awaited)
	}
}

// interrupted presses ctrl+c until the program ends: one right behind esc is read with it as another key.
func (term *ptyProgram) interrupted() {
	term.t.Helper()
	for late := time.After(deadline); ; {
		term.typed("\x03")
		select {
		case <-term.ended:
			return
		case <-late:
			return // exit says so
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// exit waits for the end and returns the exit code.
func (term *ptyProgram) exit() int {
	term.t.Helper()
	select {
	case <-term.ended:
	case <-time.After(deadline):
		term.t.Fatalf("the program does not exit; the screen is\n%s", term.shown())
	}
	_ = term.cmd.Wait() // the exit code is in the state
	return term.cmd.ProcessState.ExitCode()
}

// quits types q until the program has ended, and returns its exit code: a busy session asks again, and the
// session below it becomes visible.
func (term *ptyProgram) quits() int {
	term.t.Helper()
	keys := "q"
	for late := time.Now().Add(deadline); time.Now().Before(late); {
		term.typed(keys)
		keys = map[string]string{"q": "\x1b", "\x1b": "q"}[keys] // a field that has the focus takes letters
		select {
		case <-term.ended:
			late = time.Time{}
		case <-time.After(time.Second / 4):
		}
	}
	return term.exit()
}

const screenRestored = "\x1b[?1049l"

func TestInspector_OpensAndQuits(t *testing.T) {
	term := onTerminal(t, "demo")
	term.waitFor("mcptea-demo")
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(term.raw(), screenRestored) {
		t.Error("the terminal is still in the alternate screen")
	}
}

func TestInspector_Settings(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(t.TempDir(), "config.yaml")
	for _, tc := range []struct {
		config    string
		args      []string
		mouse     bool
		state, to int // recordings in the state directory, and in that of the file
	}{
		{"", nil, true, 1, 0},
		{"mouse: false\nrecord: false\n", nil, false, 0, 0},
		{"mouse: false\nrecord: false\n", []string{"--mouse"}, true, 0, 0},
		{"record: {dir: " + dir + "}\n", []string{"--mouse=false"}, false, 0, 1},
	} {
		if err := os.WriteFile(file, []byte(tc.config), 0o600); err != nil {
			t.Fatal(err)
		}
		recordings := filepath.Join(state, "mcptea", "recordings")
		before, _ := filepath.Glob(filepath.Join(recordings, "*"))
		term := onTerminalWith(t, []string{"XDG_STATE_HOME=" + state, "MCPTEA_CONFIG=" + file}, append([]string{"demo"}, tc.args...)...)
		term.waitFor("mcptea-demo")
		if code := term.quits(); code != app.ExitOK {
			t.Errorf("%q: exit code %d", tc.config, code)
		}
		if got := strings.Contains(term.raw(), "\x1b[?1002h"); got != tc.mouse {
			t.Errorf("%q, %q: the mouse is handled: %v", tc.config, tc.args, got)
		}
		after, _ := filepath.Glob(filepath.Join(recordings, "*"))
		there, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(after)-len(before) != tc.state || len(there) != tc.to {
			t.Errorf("%q: %d new recordings in the state directory, %d in %s", tc.config, len(after)-len(before), len(there), dir)
		}
	}
}

func TestCall_ProgressOnTerminal(t *testing.T) {
	term := onTerminal(t, "call", "long-work", "duration=0.4", "steps=2", "--", "mcptea", "demo", "--serve")
	term.waitFor("step 1 of 2")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if got := term.raw(); !strings.HasSuffix(got, "\r\x1b[Kdone: 2 steps in 0.4 seconds\r\n") {
		t.Errorf("the progress line is not replaced by the result: %q", got)
	}
}

func TestRead_SanitizesOnTerminal(t *testing.T) {
	term := onTerminal(t, "call", "escape-art", "--", "mcptea", "demo", "--serve")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if got := term.raw(); strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\x1b]0;") || !strings.Contains(got, "␛[2J") {
		t.Errorf("escapes reach the terminal: %q", got)
	}
}

func TestASCII_ByLocaleAndTerminal(t *testing.T) {
	raced.Never(t, "starts a process for each command and locale, for the characters that it prints")
	for _, args := range [][]string{
		{"--help"},
		{"help", "auth"},
		{"info", "--", "mcptea", "demo", "--serve"},
		{"info", "--", "no-such-program"},
		{"call", "long-work", "duration=0.2", "steps=2", "--", "mcptea", "demo", "--serve"},
		{"explain", "-32602"},
		{"call", "--ttl", "-1s"},
	} {
		for _, env := range []string{"LC_ALL=C", "TERM=dumb"} {
			term := onTerminalWith(t, []string{"LANG=en_US.UTF-8", env}, args...)
			term.exit()
			got := term.raw()
			if i := strings.IndexFunc(got, func(r rune) bool { return r >= 0x80 }); i >= 0 || got == "" {
				t.Errorf("%s, %v: %q", env, args, got[max(i-20, 0):])
			}
			if i := strings.IndexByte(got, 0x1b); i >= 0 && env == "TERM=dumb" {
				t.Errorf("%s, %v: an escape in %q", env, args, got[max(i-20, 0):])
			}
		}
	}
	term := onTerminalWith(t, []string{"LC_ALL=C"}, "info", "--ascii=false", "--", "mcptea", "demo", "--serve")
	term.exit()
	if !strings.Contains(term.raw(), "✓") {
		t.Errorf("--ascii=false still gives ASCII: %q", term.raw())
	}
	term = onTerminalWith(t, []string{"TERM=dumb"}, "--", "mcptea", "demo", "--serve")
	if code := term.exit(); code != app.ExitUsage || !strings.Contains(term.raw(), `TERM is "dumb"`) {
		t.Errorf("the inspector on a dumb terminal: exit code %d, %q", code, term.raw())
	}
}

func TestOutput_FitsTheTerminal(t *testing.T) {
	for _, command := range [][]string{{"list", "tools"}, {"info", "--as", "cursor"}} {
		term := onTerminal(t, append(command, "--", "mcptea", "demo", "--serve")...)
		if code := term.exit(); code > app.ExitError {
			t.Errorf("exit code %d", code)
		}
		lines := strings.Split(strings.TrimRight(term.raw(), "\r\n"), "\r\n")
		if len(lines) < 27 {
			t.Errorf("%v: %d lines for the tools of the demo server", command, len(lines))
		}
		for _, l := range lines {
			if w := ansi.StringWidth(l); w > terminalWidth {
				t.Errorf("%v: %d columns: %q", command, w, l)
			}
		}
	}
}

// On a terminal with colors each theme is listed with words in them.
func TestThemes_Sample(t *testing.T) {
	term := onTerminal(t, "config", "themes")
	term.awaitScreen("text muted key ok warning error selected")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(term.raw(), "38;5;") {
		t.Errorf("there are no colors of the palette in %q", term.raw())
	}
}

// On a terminal the findings of a file and a mistake in the configuration lead to the file; a pipe has the text alone.
func TestTerminal_LinksToFiles(t *testing.T) {
	dir := t.TempDir()
	frames, config := filepath.Join(dir, "frames.jsonl"), filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(frames, []byte("> {\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("theme: nord\nnope: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args       []string
		file, text string
	}{
		{[]string{"lint", frames}, frames, "line 1"},
		{[]string{"--config", config, "info", "--", "mcptea"}, config, config + ":2"},
	} {
		term := onTerminalWith(t, []string{"TERM=xterm-256color"}, tc.args...)
		term.exit()
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		if want := "\x1b]8;;file://" + host + tc.file + "\a" + tc.text; !strings.Contains(term.raw(), want) {
			t.Errorf("%q has no %q", term.raw(), want)
		}
		if stdout, stderr, _ := called(t, tc.args...); strings.Contains(stdout+stderr, "\x1b]8") || !strings.Contains(stdout+stderr, tc.text) {
			t.Errorf("a file has %q", stdout+stderr)
		}
	}
}
