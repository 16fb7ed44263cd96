package stdio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"mcptea/client/transport"
)

// ExitError says how a server process ended.
type ExitError struct {
	Code   int    // -1 when a signal ended it
	Signal string // empty when it exited by itself
	After  time.Duration
}

// Error says it in a sentence without a full stop.
func (e *ExitError) Error() string {
	after := transport.Took(e.After)
	if e.Signal != "" {
		return fmt.Sprintf("the server process was ended by %s after %s", e.Signal, after)
	}
	return fmt.Sprintf("the server process exited with code %d after %s", e.Code, after)
}

// ErrStdoutClosed says that a server can never answer again although its
// process lives.
var ErrStdoutClosed = errors.New("the server closed its stdout, but its process lives on")

// StartError says why a command could not be started.
type StartError struct {
	Command string
	Dir     string
	Err     error
}

// Error names the command and the reason.
func (e *StartError) Error() string {
	switch {
	case errors.Is(e.Err, exec.ErrNotFound):
		return fmt.Sprintf("cannot start %q: no such command on the PATH", e.Command)
	case errors.Is(e.Err, os.ErrNotExist):
		return fmt.Sprintf("cannot start %q: no such file", e.Command)
	case errors.Is(e.Err, os.ErrPermission):
		return fmt.Sprintf("cannot start %q: the file is not executable", e.Command)
	}
	return fmt.Sprintf("cannot start %q: %v", e.Command, e.Err)
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }
