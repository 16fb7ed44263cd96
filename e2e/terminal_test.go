//go:build unix

package e2e

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is the program on a pseudo terminal, with an emulator on the other
// side that draws what it writes and answers what it asks.
type terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	tty  *os.File
	mark string
	read chan struct{} // closed at the end of the output

	mu      sync.Mutex
	screen  *vt.Emulator
	written []byte        // everything that came
	news    chan struct{} // 1 slot
}

const wide, high = 120, 36

// onTerminal starts the program.
func onTerminal(t testing.TB, args ...string) *terminal {
	t.Helper()
	return onTerminalFor(t, 2*deadline, args...)
}

// onTerminalFor starts the program, which has so long.
func onTerminalFor(t testing.TB, limit time.Duration, args ...string) *terminal {
	t.Helper()
	return onTerminalWith(t, limit, append([]string{program(t)}, args...)) // built before the time runs
}

// onTerminalWith starts a command, which has so long.
func onTerminalWith(t testing.TB, limit time.Duration, command []string) *terminal {
	t.Helper()
	term := &terminal{
		t: t, mark: strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 10),
		read: make(chan struct{}), screen: vt.NewEmulator(wide, high), news: make(chan struct{}, 1),
	}
	ctx, stop := context.WithTimeout(t.Context(), limit)
	t.Cleanup(stop)
	term.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	term.cmd.Dir = t.TempDir()
	term.cmd.Env = append(environment(t, term.mark), "COLORTERM=truecolor")
	var err error
	term.tty, err = pty.StartWithSize(term.cmd, &pty.Winsize{Cols: wide, Rows: high})
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	go term.draw()
	go func() {
		defer close(answered)
		_, _ = io.Copy(term.tty, term.screen) // until the emulator's end is closed
	}()
	t.Cleanup(func() {
		_ = term.cmd.Process.Kill() // it has ended, if all went well
		_ = term.tty.Close()
		<-term.read
		if pipe, ok := term.screen.InputPipe().(io.Closer); ok {
			_ = pipe.Close()
		}
		<-answered
	})
	return term
}

// draw gives the emulator what the program writes.
func (term *terminal) draw() {
	defer close(term.read)
	buf := make([]byte, 64<<10)
	for {
		n, err := term.tty.Read(buf)
		term.mu.Lock()
		term.written = append(term.written, buf[:n]...)
		_, _ = term.screen.Write(withinScreen(buf[:n], term.screen.Height())) // it takes everything
		term.mu.Unlock()
		select {
		case term.news <- struct{}{}:
		default:
		}
		if err != nil {
			return // the program has closed its end
		}
	}
}

var margins = regexp.MustCompile(`\x1b\[(\d+);(\d+)r`)

// withinScreen limits scroll margins to the screen, as terminals do: while the program has
// not noticed that the window shrank it sets those of the larger one, and the emulator
// would write beyond its buffer.
func withinScreen(text []byte, height int) []byte {
	return margins.ReplaceAllFunc(text, func(sequence []byte) []byte {
		bottom, err := strconv.Atoi(string(margins.FindSubmatch(sequence)[2]))
		if err != nil || bottom <= height {
			return sequence
		}
		return []byte("\x1b[r")
	})
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.String()
}

// shows waits until the screen has some text.
func (term *terminal) shows(text string) {
	term.t.Helper()
	timeout := time.After(deadline)
	for !strings.Contains(term.text(), text) {
		select {
		case <-term.news:
		case <-term.read:
			term.t.Fatalf("the program ended without showing %q; the screen was\n%s", text, term.text())
		case <-timeout:
			term.t.Fatalf("%v have passed without %q; the screen is\n%s", deadline, text, term.text())
		}
	}
}

func (term *terminal) types(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.tty, keys); err != nil {
		term.t.Fatal(err)
	}
}

// decides presses a key until a question is gone: one that comes unasked takes no key at first.
func (term *terminal) decides(question, key string) {
	term.t.Helper()
	term.shows(question)
	timeout, again := time.After(deadline), time.NewTicker(time.Second)
	defer again.Stop()
	for strings.Contains(term.text(), question) {
		select {
		case <-again.C:
			term.types(key)
		case <-term.news:
		case <-timeout:
			term.t.Fatalf("%v have passed, and the question is still there:\n%s", deadline, term.text())
		}
	}
}

func (term *terminal) resize(cols, rows int) {
	term.t.Helper()
	term.mu.Lock()
	term.screen.Resize(cols, rows)
	term.mu.Unlock()
	if err := pty.Setsize(term.tty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		term.t.Fatal(err)
	}
}

// ends waits for the end of the program and returns its exit code.
func (term *terminal) ends() int {
	term.t.Helper()
	err := term.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		term.t.Fatal(err)
	}
	<-term.read
	leavesNothing(term.t, term.mark)
	return term.cmd.ProcessState.ExitCode()
}

// leavesAsFound checks that what the program switched on in the terminal is
// off again.
func (term *terminal) leavesAsFound() {
	term.t.Helper()
	term.mu.Lock()
	defer term.mu.Unlock()
	all := string(term.written)
	for what, mode := range map[string]string{
		"the alternate screen": "1049", "bracketed paste": "2004",
		"reports of mouse buttons": "1002", "reports of mouse motion": "1003", "mouse reports as text": "1006",
		"reports of the focus": "1004",
	} {
		if on, off := strings.LastIndex(all, "\x1b[?"+mode+"h"), strings.LastIndex(all, "\x1b[?"+mode+"l"); on > off {
			term.t.Errorf("%s stays on", what)
		}
	}
	if hidden, shown := strings.LastIndex(all, "\x1b[?25l"), strings.LastIndex(all, "\x1b[?25h"); hidden > shown {
		term.t.Error("the cursor stays hidden")
	}
}

func TestDemoOnATerminal(t *testing.T) {
	term := onTerminal(t, "demo")
	term.shows("connected")
	for i := range 60 {
		term.resize(40+(i*37)%160, 10+(i*13)%50)
		if i%6 == 0 {
			time.Sleep(5 * time.Millisecond) // now and then it gets to paint
		}
	}
	term.resize(wide, high)
	eventually(t, "the whole screen after the storm", func() bool {
		s := term.text()
		// With a request under way q would ask first.
		return strings.Contains(s, "● connected") && strings.Contains(s, "Traffic") && !strings.Contains(s, "pending")
	})
	term.types("q")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	term.leavesAsFound()
}

func TestDemoIsTerminated(t *testing.T) {
	term := onTerminal(t, "demo")
	term.shows("connected")
	if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := term.ends(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	term.leavesAsFound()
}

func TestFailure_ServerCannotStart(t *testing.T) {
	term := onTerminal(t, "--", "./does-not-exist")
	term.shows("not connected")
	term.shows("./does-not-exist")
	term.types("q")
	if code := term.ends(); code != 0 && code != 3 {
		t.Errorf("exit code %d", code)
	}
	term.leavesAsFound()
}
