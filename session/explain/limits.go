package explain

import (
	"errors"
	"syscall"
)

// withLimits explains an error that comes from a limit of the operating system,
// whatever failed because of it.
func withLimits(e Explanation, err error) Explanation {
	switch {
	case errors.Is(err, syscall.EMFILE):
		e.Cause = "mcptea has as many files and connections open as the limit of the process allows."
		e.Try = "Raise the limit in this shell, for example with \"ulimit -n 1024\"; \"ulimit -n\" prints it."
	case errors.Is(err, syscall.ENFILE):
		e.Cause = "All processes together have as many files open as the system allows."
		e.Try = "End programs that hold many files open, or raise the limit of the system (fs.file-max on Linux)."
	}
	return e
}
