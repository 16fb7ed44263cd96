//go:build unix

package shell

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func command(line string) Command {
	return Command{Line: line, Stdin: []byte("a\nb\n"), MaxStdout: 100, MaxStderr: 100, Timeout: time.Minute}
}

func TestRun(t *testing.T) {
	out, err := Run(t.Context(), command(`cat; echo warning >&2`))
	if string(out.Stdout) != "a\nb\n" || string(out.Stderr) != "warning\n" || err != nil || out.Cut {
		t.Errorf("%q, %q, %v", out.Stdout, out.Stderr, err)
	}
}

func TestRun_InputIsNotReadToTheEnd(t *testing.T) {
	c := command(`head -n 1`)
	c.Stdin = []byte(strings.Repeat("line\n", 1<<20))
	if out, err := Run(t.Context(), c); string(out.Stdout) != "line\n" || err != nil {
		t.Errorf("%q, %v", out.Stdout, err)
	}
}

func TestRun_OutputIsBounded(t *testing.T) {
	c := command(`yes | head -c 1000000`)
	if out, err := Run(t.Context(), c); len(out.Stdout) != 100 || !out.Cut || err != nil {
		t.Errorf("%d bytes, cut %v, %v", len(out.Stdout), out.Cut, err)
	}
}

func TestRun_ExitCode(t *testing.T) {
	out, err := Run(t.Context(), command(`echo first >&2; echo no such field >&2; exit 3`))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatal(err)
	}
	if got := Reason(err, out); got != "exit status 3: no such field" {
		t.Errorf("reason %q", got)
	}
}

func TestRun_TimeoutEndsTheProcessesOfTheCommand(t *testing.T) {
	c := command(`sleep 1000 | cat`)
	c.Timeout = time.Millisecond
	if _, err := Run(t.Context(), c); err == nil || err.Error() != "timed out after 1ms" {
		t.Error(err)
	}
}

func TestRun_Cancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Run(ctx, command(`sleep 1000`)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
