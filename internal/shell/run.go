// Package shell writes and runs command lines of shells. It
//
//   - quotes words for the shell that a line will be pasted into: bash, zsh, ksh, fish,
//     PowerShell or any POSIX shell ([Kind]), and splits a line into its words ([Split]);
//   - writes the mcptea command that repeats what the user did in the inspector, with
//     environment variables in the place of secrets, because copied commands are often
//     shared ([Line]);
//   - runs a command line of the user on a text, within limits of size and time ([Run]).
//     The output of the command is untrusted text.
//
// A paste is typed input: a control character in it can end the bracketed paste, cancel
// the line or enter it. What is written therefore contains printable characters only, and
// none that changes the direction or the width of the text after it. All other bytes are
// escapes of the shell.
//
// The quotes are safe in every shell and not only in the one that is meant, since $SHELL need not be the
// shell of the window: between single quotes no shell interprets anything. If escapes are needed, the
// wrong shell reports an error or passes on another text, but runs nothing.
package shell

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"mcptea/internal/system/argument"
)

// waitGrace is the time in which output is read after the command has ended. A remaining child process may
// hold its pipes open.
const waitGrace = time.Second

// Command is a command line and its input.
type Command struct {
	// Line is read by sh -c, on Windows by cmd /C.
	Line string
	// Program is, instead of a line, a program with its arguments, which no shell reads.
	Program []argument.Argument
	// Argv is, instead of both, a command that the user has typed as words.
	Argv  []string
	Env   []string // NAME=VALUE; nil is the environment of this process
	Stdin []byte   // input, which is not modified
	// MaxStdout and MaxStderr are the bytes that are kept of each stream, from its
	// start; what follows is read and dropped.
	MaxStdout, MaxStderr int
	Timeout              time.Duration
}

// Output is the output of a command.
type Output struct {
	Stdout, Stderr []byte
	// Cut reports whether bytes of Stdout are missing.
	Cut bool
}

// Outcome is the output of a command, and why it failed.
type Outcome struct {
	Output
	Err error
}

// Run runs a command until it ends, it times out, the context ends, or mcptea ends, even if a signal kills
// mcptea. With an error, the output is the output of the command before the error. A non-zero exit code is
// an *[exec.ExitError].
func Run(ctx context.Context, c Command) (Output, error) {
	timed, stop := context.WithTimeout(ctx, c.Timeout)
	defer stop()
	cmd := c.start(timed)
	cmd.Env = c.Env
	stdout, stderr := &head{max: c.MaxStdout}, &head{max: c.MaxStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Stdin), stdout, stderr
	cmd.WaitDelay = waitGrace
	var g group
	g.prepare(cmd)
	cmd.Cancel = func() error { return g.kill(cmd) }
	runtime.LockOSThread() // the command ends with the thread that started it; see system.EndWithParent
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	if err == nil {
		g.started(cmd)
		err = cmd.Wait()
		g.ended()
	}
	out := Output{stdout.kept, stderr.kept, stdout.cut}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case timed.Err() != nil:
		return out, fmt.Errorf("timed out after %s", c.Timeout)
	case cmd.ProcessState != nil && cmd.ProcessState.Success():
		// It may have read only a part of its input, as head does, or have left a process that holds its pipes
		// open.
		return out, nil
	}
	return out, err
}

func (c *Command) start(ctx context.Context) *exec.Cmd {
	switch {
	case len(c.Argv) > 0:
		return exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	case len(c.Program) > 0:
		return argument.Program(ctx, c.Program)
	}
	argv := shellArguments(c.Line)
	return exec.CommandContext(ctx, argv[0], argv[1:]...)
}

// Reason explains why a command failed, with the last line of its stderr.
func Reason(err error, out Output) string {
	text := err.Error()
	lines := strings.Split(strings.TrimSpace(string(out.Stderr)), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		text += ": " + last
	}
	return text
}

// head keeps the first bytes that are written to it.
type head struct {
	kept []byte
	max  int
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	room := max(h.max-len(h.kept), 0)
	if len(p) > room {
		h.cut = true
	}
	h.kept = append(h.kept, p[:min(len(p), room)]...)
	return len(p), nil
}
