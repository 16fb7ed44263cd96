//go:build linux

package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
)

// piped starts a command with its streams. Its stderr is that of the test.
func piped(t *testing.T, cmd *exec.Cmd) (stdin io.WriteCloser, stdout *bufio.Scanner) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return stdin, bufio.NewScanner(out)
}

// The inspector on the recording of an active tap holds a frame of its host, and the edited frame is
// forwarded. What is held when the inspector ends goes on.
func TestOpen_AttachesToTap(t *testing.T) {
	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	state, recording := t.TempDir(), filepath.Join(t.TempDir(), "tap.mcptea.jsonl")
	host := exec.CommandContext(t.Context(), path, "tap", "--record", recording, "--", "cat")
	host.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	stdin, lines := piped(t, host)
	defer func() { _ = host.Wait() }()
	defer func() { _ = stdin.Close() }()
	received := make(chan string, 10)
	go func() {
		for lines.Scan() {
			received <- lines.Text()
		}
	}()
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(stdin, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	gets := func(want string) {
		t.Helper()
		select {
		case got := <-received:
			if !strings.Contains(got, want) {
				t.Errorf("the server received %s, want %s", got, want)
			}
		case <-time.After(deadline):
			t.Fatalf("the server does not receive %s", want)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"first"}`)
	gets("first")

	term := onTerminalWith(t, []string{"XDG_STATE_HOME=" + state}, "open", recording)
	term.waitFor("WATCHING another client")
	term.typed("b")
	term.waitFor("Hold frames that match")
	term.typed("\x15method:second dir:out\r") // ctrl+u
	term.waitFor("The breakpoint is set.")
	send(`{"jsonrpc":"2.0","id":2,"method":"second"}`)
	term.waitFor("1 held")
	term.typed("I")
	select {
	case got := <-received:
		t.Errorf("a held frame went on: %s", got)
	default:
	}
	term.typed("e")
	term.waitFor("its clock is stopped")
	term.typed(strings.Repeat("\x1b[B", 5) + "\x05\x7f,\"params\":{}}\x13") // to the last line; ctrl+e, backspace, ctrl+s
	term.waitFor("as edited")                                               // "forward" is on the screen before
	term.typed("\r")
	gets(`"method":"second","params":{}}`)
	send(`{"jsonrpc":"2.0","id":3,"method":"second"}`) // held until the inspector ends
	if code := term.quits(); code != app.ExitOK {
		t.Errorf("exit %d", code)
	}
	gets(`{"jsonrpc":"2.0","id":3,"method":"second"}`)
}
