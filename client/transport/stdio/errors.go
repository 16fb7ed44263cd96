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
	after := transport.FormatDuration(e.After)
	if e.Signal != "" {
		return fmt.Sprintf("the server process was ended by %s after %s", e.Signal, after)
	}
	return fmt.Sprintf("the server process exited with code %d after %s", e.Code, after)
}

// ErrStdoutClosed says that a server can never answer again although its
// process lives.
var ErrStdoutClosed = errors.New("the server closed its stdout, but its process lives on")

// ErrNoDir says that the working directory is none.
var ErrNoDir = errors.New("the working directory is no directory")

// StartError says why a command could not be started.
type StartError struct {
	Command string
	Dir     string
	// Near is a command on the PATH that is spelt almost like this one, which is
	// not; empty when there is none.
	Near string
	// Path is the file that was found and could not be run; empty when none was.
	Path string
	// Interpreter is the one that the first line of the file names and that is
	// not there; empty when that was not it.
	Interpreter string
	Err         error
}

// Error names the command and the reason.
func (e *StartError) Error() string {
	switch {
	case errors.Is(e.Err, ErrNoDir):
		return fmt.Sprintf("cannot start %q: the working directory %s is no directory", e.Command, e.Dir)
	case errors.Is(e.Err, exec.ErrNotFound):
		return fmt.Sprintf("cannot start %q: no such command on the PATH", e.Command)
	case e.Interpreter != "":
		return fmt.Sprintf("cannot start %q: its interpreter %q does not exist", e.Command, e.Interpreter)
	case errors.Is(e.Err, os.ErrNotExist) && e.Path != "":
		return fmt.Sprintf("cannot start %q: the loader that it needs does not exist", e.Command)
	case errors.Is(e.Err, os.ErrNotExist):
		return fmt.Sprintf("cannot start %q: no such file", e.Command)
	case errors.Is(e.Err, os.ErrPermission):
		return fmt.Sprintf("cannot start %q: the file is not executable", e.Command)
	}
	return fmt.Sprintf("cannot start %q: %v", e.Command, e.Err)
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }
