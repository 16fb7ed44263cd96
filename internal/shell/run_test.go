//go:build unix

package shell_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcptea/internal/shell"
)

func command(line string) shell.Command {
	return shell.Command{Line: line, Stdin: []byte("a\nb\n"), MaxStdout: 100, MaxStderr: 100, Timeout: time.Minute}
}

func TestShell_Run(t *testing.T) {
	out, err := shell.Run(t.Context(), command(`cat; echo warning >&2`))
	if string(out.Stdout) != "a\nb\n" || string(out.Stderr) != "warning\n" || err != nil || out.Cut {
		t.Errorf("%q, %q, %v", out.Stdout, out.Stderr, err)
	}
}

func TestShell_Run_InputIsNotReadToTheEnd(t *testing.T) {
	c := command(`head -n 1`)
	c.Stdin = []byte(strings.Repeat("line\n", 1<<20))
	if out, err := shell.Run(t.Context(), c); string(out.Stdout) != "line\n" || err != nil {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}

func TestShell_Run_OutputIsBounded(t *testing.T) {
	c := command(`yes | head -c 1000000`)
	if out, err := shell.Run(t.Context(), c); len(out.Stdout) != 100 || !out.Cut || err != nil {
		t.Errorf("%d bytes, cut %v, %v", len(out.Stdout), out.Cut, err)
	}
}

func TestShell_Run_ExitCode(t *testing.T) {
	out, err := shell.Run(t.Context(), command(`echo first >&2; echo no such field >&2; exit 3`))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatal(err)
	}
	if got := shell.Reason(err, out); got != "exit status 3: no such field" {
		t.Errorf("reason %q", got)
	}
}

func TestShell_Run_TimeoutEndsTheProcessesOfTheCommand(t *testing.T) {
	c := command(`sleep 1000 | cat`)
	c.Timeout = time.Millisecond
	if _, err := shell.Run(t.Context(), c); err == nil || err.Error() != "timed out after 1ms" {
		t.Error(err)
	}
}

func TestShell_Run_Cancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := shell.Run(ctx, command(`sleep 1000`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
