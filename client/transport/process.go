package transport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
)

// Line is one line of stderr of a child process.
type Line struct {
	Time time.Time
	Text string // without the line ending
}

// ProcessEvent is a change of the state of a child process.
type ProcessEvent struct {
	Time time.Time
	What ProcessChange
	PID  int

	Path string   // the executable, resolved; with ProcessStarted
	Argv []string // set for ProcessStarted
	Dir  string   // working directory; with ProcessStarted

	Signal   string // set for ProcessSignalled, and for ProcessExited after a signal
	ExitCode int    // set for ProcessExited; -1 after a signal
	Expected bool   // the client had closed stdin before; with ProcessExited
	Stopped  bool   // stopped by a signal such as SIGSTOP (state T); with ProcessStdinClosed

	Left  []Descendant // set for ProcessLeft; at most 20
	After string       // [LeftAtExit] or [LeftAfterKill]; with ProcessLeft
}

// Descendant is a process that a server has started, itself or by others.
type Descendant struct {
	PID   int      `json:"pid"`
	Argv  []string `json:"argv"`            // command line, or only the name if the system shows no more
	Apart bool     `json:"apart,omitempty"` // not in the process group of the server
}

// Masked returns the event with the secrets in its command lines masked. mask returns a masked copy of the
// words of one.
func (e ProcessEvent) Masked(mask func(words []string) []string) ProcessEvent {
	if e.Argv != nil {
		e.Argv = mask(e.Argv)
	}
	e.Left = slices.Clone(e.Left)
	for i := range e.Left {
		e.Left[i].Argv = mask(e.Left[i].Argv)
	}
	return e
}

// Redacted returns the event with its texts redacted: text returns a text without the secrets, words
// a copy of the words of a command line.
func (e ProcessEvent) Redacted(text func(string) string, words func([]string) []string) ProcessEvent {
	e = e.Masked(words)
	e.Path, e.Dir = text(e.Path), text(e.Dir)
	return e
}

// maxCommand bounds a command line in a sentence, in bytes, and maxNamed the number of processes that a
// sentence names.
const (
	maxCommand = 80
	maxNamed   = 3
)

// Running returns a sentence without its end about the processes of a server that are still running. Their
// command lines are untrusted text.
func Running(all []Descendant) string { return running(all, true) }

// RunningCommands is like Running, but without process ids, which differ each time.
func RunningCommands(all []Descendant) string { return running(all, false) }

func running(all []Descendant, ids bool) string {
	who := "1 process of the server is"
	if len(all) > 1 {
		who = fmt.Sprintf("%d processes of the server are", len(all))
	}
	named := make([]string, 0, len(all))
	for _, d := range all {
		text := phrase.Clip(strings.Join(d.Argv, " "), maxCommand)
		if ids {
			text = fmt.Sprintf("%d %s", d.PID, text)
		}
		if d.Apart {
			text += " (in a session of its own)"
		}
		named = append(named, text)
	}
	return who + " still running: " + phrase.JoinFirst(named, maxNamed)
}

// The moments of ProcessLeft.
const (
	LeftAtExit    = "exited"       // the server has exited, and its process group will be killed
	LeftAfterKill = "killed group" // after mcptea killed the process group
)

// ProcessChange is the kind of a [ProcessEvent].
type ProcessChange uint8

// The changes, in their usual order.
const (
	ProcessStarted ProcessChange = iota
	ProcessStdinClosed
	ProcessStdoutClosed
	ProcessSignalled // the client sent a signal to the process group
	ProcessExited
	ProcessLeft // descendants are still running
)

var processChangeNames = [...]string{"started", "stdin closed", "stdout closed", "signalled", "exited", "left"}

// ProcessChanges returns all changes.
func ProcessChanges() []ProcessChange {
	return []ProcessChange{ProcessStarted, ProcessStdinClosed, ProcessStdoutClosed, ProcessSignalled, ProcessExited, ProcessLeft}
}

// String returns the name of the change in recordings.
func (c ProcessChange) String() string {
	if int(c) < len(processChangeNames) {
		return processChangeNames[c]
	}
	return "unknown"
}
