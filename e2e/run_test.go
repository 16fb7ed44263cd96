//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/processes"
	"mcptea/record"
)

// run is one run of the program that has ended.
type run struct {
	code           int
	stdout, stderr string
}

// exits fails the test unless the program ended with a code.
func (r run) exits(t *testing.T, code int) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, r.stdout, r.stderr)
	}
}

// running is the program at work.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	mark           string
}

// markEnv is handed down from each run of the program to the servers that it
// starts, so that those which outlive it can be told from all others.
const markEnv = "MCPTEA_E2E_MARK"

// start runs the program with a state directory of its own.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	return startWithin(t, deadline, args...)
}

// startWithin is start for a run that takes longer.
func startWithin(t *testing.T, limit time.Duration, args ...string) *running {
	t.Helper()
	r := &running{mark: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())}
	path := program(t) // built before the time runs
	ctx, stop := context.WithTimeout(t.Context(), limit)
	t.Cleanup(stop)
	r.cmd = exec.CommandContext(ctx, path, args...)
	r.cmd.Dir = t.TempDir()
	r.cmd.Env = environment(t, r.mark)
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	// Ctrl+C of the user who runs the tests is not meant for the program.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

func environment(t testing.TB, mark string) []string {
	return append(os.Environ(), markEnv+"="+mark, "TERM=xterm-256color", "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
}

// wait returns how the program ended, and checks that nothing of it is left.
func (r *running) wait(t *testing.T) run {
	t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\nstderr: %s", err, r.stderr.String())
	}
	leavesNothing(t, r.mark)
	return run{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String()}
}

// mcptea runs the program to its end.
func mcptea(t *testing.T, args ...string) run {
	t.Helper()
	return start(t, args...).wait(t)
}

// leavesNothing fails the test when a process that carries the mark still
// lives. The program has ended: a process that is left was forgotten.
func leavesNothing(t testing.TB, mark string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // there is no /proc to ask
	}
	// A process that was killed takes a moment to be gone.
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = marked(mark); len(left) == 0 {
			return
		}
	}
	t.Errorf("left behind: %s", strings.Join(left, "; "))
}

// marked lists the processes that carry a mark in their environment.
func marked(mark string) (found []string) {
	for pid, env := range processes.Each("environ") {
		if !bytes.Contains(env, []byte(markEnv+"="+mark)) {
			continue // another's
		}
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil {
			found = append(found, strconv.Itoa(pid)+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// recording is a recording, read back.
type recording struct {
	header record.Header
	events []record.Event
}

func readRecording(t *testing.T, path string) recording {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rec recording
	lines := bytes.SplitAfter(b, []byte("\n"))
	if rec.header, err = record.ParseHeader(lines[0]); err != nil {
		t.Fatal(err)
	}
	var decoder record.Decoder
	for _, line := range lines[1:] {
		if len(line) == 0 {
			continue // behind the last line break
		}
		e, err := decoder.Decode(line)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		rec.events = append(rec.events, e)
	}
	return rec
}

// bytesOf is all that crossed the wire in one direction.
func (r recording) bytesOf(dir transport.Direction) []byte {
	var all []byte
	for _, e := range r.events {
		if e.Kind == record.KindFrame && e.Frame.Dir == dir {
			all = append(append(all, e.Frame.Bytes...), e.Frame.Ending...)
		}
	}
	return all
}

// has reports whether a frame of a direction contains some text.
func (r recording) has(dir transport.Direction, text string) bool {
	return bytes.Contains(r.bytesOf(dir), []byte(text))
}
