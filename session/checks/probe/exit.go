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

// beginnings are those of lines that are an error by their form.
var beginnings = []string{"panic: ", "fatal error: ", "Traceback (most recent", "Uncaught ", "Unhandled exception", "Exception in thread", "Error: ", "error: ", "thread '"}

// ReasonAt is the last line that begins an error; -1 without one. Runtimes write the reason
// before the place, and below it what is of no interest.
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

// lastOf are the last lines of stderr, at most [maxStderr]: those from its reason, if it has one.
func lastOf(stderr []string) []string {
	from := max(0, len(stderr)-maxStderr)
	if i := ReasonAt(stderr); i >= 0 && i < from {
		from = i
	}
	return slices.Clone(stderr[from:min(len(stderr), from+maxStderr)])
}

// exitGrace is how long the end of a process is waited for after the end of its
// output, so that the exit status and the last lines of stderr are known.
const exitGrace = 500 * time.Millisecond

// exit describes how the connection has ended.
func (l *link) exit(ctx context.Context) *Exit {
	x := &Exit{}
	if l.pid != 0 && !errors.Is(l.client.Err(), stdio.ErrStdoutClosed) { // the transport has waited for the exit then
		timer := time.NewTimer(exitGrace)
		defer timer.Stop()
		select {
		case <-l.gone:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	err := l.client.Err() // not with mu held: a transport may hold its own lock while it reports a frame
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
	// One that exits with status 0 has only logged an exception.
	x.Crashed = x.Signal != "" || (l.exited == nil || x.Code != 0) && crashText().MatchString(strings.Join(l.stderr, "\n"))
	return x
}

// maxStderr is how many lines of stderr a finding has.
const maxStderr = 20

// crashText matches what runtimes write about a crash.
var crashText = lazyregexp.New(`(?m)^(panic: |fatal error: |Traceback \(most recent call last\)|thread '.*' panicked|Uncaught |node:internal|Unhandled exception|Exception in thread )|^\s+at .+\(.+:\d+:\d+\)`)
