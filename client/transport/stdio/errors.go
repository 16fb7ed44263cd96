package stdio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"mcptea/internal/words/phrase"
)

// ExitError reports the exit of a server process.
type ExitError struct {
	Code   int           // -1 after a signal
	Signal string        // empty without a signal
	After  time.Duration // since the start
}

// Error names the signal or the exit code.
func (e *ExitError) Error() string {
	after := phrase.Duration(e.After)
	if e.Signal != "" {
		return fmt.Sprintf("the server process was terminated by %s after %s", e.Signal, after)
	}
	return fmt.Sprintf("the server process exited with code %d after %s", e.Code, after)
}

// ErrStdoutClosed reports that a server can no longer send responses, although its process is
// running.
var ErrStdoutClosed = errors.New("the server closed its stdout, but its process is still running")

// ErrNoDir reports an invalid working directory.
var ErrNoDir = errors.New("cannot use the working directory")

// notExist is [os.ErrNotExist] with the text of Unix, which Windows has not.
type notExist struct{}

func (notExist) Error() string        { return "no such file or directory" }
func (notExist) Is(target error) bool { return target == os.ErrNotExist }

// StartError reports why a command could not be started.
type StartError struct {
	Command string
	Dir     string
	// Near is a command on the PATH with a similar name, or empty.
	Near string
	// Path is the file that could not be executed, or "" if none was found.
	Path string
	// Interpreter is the missing interpreter of a script; empty otherwise.
	Interpreter string
	Err         error
}

// Error names the command and the reason.
func (e *StartError) Error() string {
	switch {
	case errors.Is(e.Err, ErrNoDir):
		return fmt.Sprintf("cannot start %q: %v", e.Command, e.Err)
	case errors.Is(e.Err, exec.ErrNotFound):
		return fmt.Sprintf("cannot start %q: executable file not found in $PATH", e.Command)
	case e.Interpreter != "":
		return fmt.Sprintf("cannot start %q: interpreter %q: no such file or directory", e.Command, e.Interpreter)
	case errors.Is(e.Err, os.ErrNotExist) && e.Path != "":
		return fmt.Sprintf("cannot start %q: its dynamic loader: no such file or directory", e.Command)
	case errors.Is(e.Err, os.ErrNotExist):
		return fmt.Sprintf("cannot start %q: no such file or directory", e.Command)
	case errors.Is(e.Err, os.ErrPermission):
		return fmt.Sprintf("cannot start %q: permission denied", e.Command)
	}
	return fmt.Sprintf("cannot start %q: %v", e.Command, e.Err)
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }
