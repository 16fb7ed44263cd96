package probe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport/stdio"
	"mcptea/internal/lazyregexp"
)

// beginnings holds prefixes of lines that state an error.
var beginnings = []string{"panic: ", "fatal error: ", "Traceback (most recent", "Uncaught ", "Unhandled exception", "Exception in thread", "Error: ", "error: ", "thread '"}

// ReasonAt returns the index of the last line that states an error, or -1. Runtimes print the reason before the
// location and less important lines after it.
func ReasonAt(stderr []string) int {
	for i, line := range slices.Backward(stderr) {
		if slices.ContainsFunc(beginnings, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			return i
		}
		name, _, ok := strings.Cut(line, ":")
		name, _, _ = strings.Cut(name, " [")
		if ok && !strings.ContainsAny(name, " \t") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
			return i
		}
	}
	return -1
}

// lastOf returns at most [maxStderr] last lines of stderr. If a line states the reason for the end,
// the excerpt contains it.
func lastOf(stderr []string) []string {
	from := max(0, len(stderr)-maxStderr)
	if i := ReasonAt(stderr); i >= 0 && i < from {
		from = i
	}
	return slices.Clone(stderr[from:min(len(stderr), from+maxStderr)])
}

// exitGrace bounds the wait for the exit of a process after the end of its output, to get the exit status and
// the last lines of stderr.
const exitGrace = 500 * time.Millisecond

// exit describes how the connection ended.
func (l *link) exit(ctx context.Context) *Exit {
	x := &Exit{}
	if l.pid != 0 && !errors.Is(l.client.Err(), stdio.ErrStdoutClosed) { // otherwise the transport has already waited
		timer := time.NewTimer(exitGrace)
		defer timer.Stop()
		select {
		case <-l.gone:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	err := l.client.Err() // called without mu: a transport may hold its own lock while it reports a frame
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exited != nil {
		x.Code, x.Signal = l.exited.ExitCode, l.exited.Signal
	} else if err != nil {
		x.Reason = l.j.redact(err.Error())
	}
	x.HasProcess, x.Exited, x.Signalled = l.pid != 0, l.exited != nil, l.signalled
	for _, d := range l.left {
		d.Argv = secret.Args(d.Argv)
		for i, word := range d.Argv {
			d.Argv[i] = l.j.redact(word)
		}
		x.Left = append(x.Left, d)
	}
	x.Acts, x.Ours = slices.Clone(l.acts), l.closing
	x.Stderr = lastOf(l.stderr)
	// A process that exits with status 0 has only logged an exception.
	x.Crashed = x.Signal != "" || (l.exited == nil || x.Code != 0) && crashText().MatchString(strings.Join(l.stderr, "\n"))
	return x
}

// maxStderr bounds the lines of stderr in a finding.
const maxStderr = 20

// crashText matches the crash messages of common runtimes.
var crashText = lazyregexp.New(`(?m)^(panic: |fatal error: |Traceback \(most recent call last\)|thread '.*' panicked|Uncaught |node:internal|Unhandled exception|Exception in thread )|^\s+at .+\(.+:\d+:\d+\)`)
