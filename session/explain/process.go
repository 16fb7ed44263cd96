package explain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// notStarted is a command that could not be run.
func notStarted(err *stdio.StartError) Explanation {
	name := quote(err.Command, 100)
	switch {
	case errors.Is(err.Err, exec.ErrNotFound):
		return Explanation{
			Sentence: fmt.Sprintf("The command %s was not found on the PATH.", name),
			Cause:    "It is not installed, or it is installed in a folder that the PATH of this shell does not name.",
			Try:      tryToInstall(err.Command),
		}
	case errors.Is(err.Err, os.ErrNotExist):
		e := Explanation{
			Sentence: fmt.Sprintf("There is no file %s.", name),
			Cause:    "A command with a slash in it is taken for a path, from the directory in which the server would run.",
			Try:      "Write the whole path, or build the server first.",
		}
		if err.Dir != "" {
			e.Try = "Write the whole path, or leave --cwd out."
		}
		return e
	case errors.Is(err.Err, syscall.EISDIR):
		return Explanation{
			Sentence: fmt.Sprintf("%s is a directory, not a command.", name),
			Try:      "Name the program in it, or run it with --cwd.",
		}
	case errors.Is(err.Err, os.ErrPermission):
		return Explanation{
			Sentence: fmt.Sprintf("The file %s cannot be executed.", name),
			Cause:    "It lacks the permission to be executed.",
			Try:      "For a script, name its interpreter first (python server.py, node server.js), or chmod +x the file.",
		}
	case errors.Is(err.Err, syscall.ENOEXEC):
		return Explanation{
			Sentence: fmt.Sprintf("The file %s is not a program that this machine can run.", name),
			Cause:    "It is a script without a #! line, or it was built for another system.",
			Try:      "Name its interpreter first (python server.py, node server.js).",
		}
	}
	return Explanation{Sentence: sentence(err.Error())}
}

func tryToInstall(command string) string {
	if strings.Contains(command, " ") {
		return "Do not quote the whole command line: after --, each word is an argument of its own."
	}
	switch filepath.Base(command) {
	case "npx", "npm", "node":
		return "Install Node.js, or write the whole path of " + command + "."
	case "uvx", "uv":
		return "Install uv, or write the whole path of " + command + "."
	case "docker":
		return "Install Docker, or write the whole path of docker."
	}
	return "Check the spelling, or write the whole path."
}

// endedByItself reports whether the error says that the server's process ended
// before mcptea ended it.
func endedByItself(err error) bool {
	var exit *stdio.ExitError
	return errors.As(err, &exit) || errors.Is(err, syscall.EPIPE)
}

// ended is a server whose process, or whose output, came to an end.
func ended(err error, f Facts, method string) (Explanation, bool) {
	before := "before it answered " + method
	if f.Connected {
		before = "while a request waited for its answer"
	}
	var exit *stdio.ExitError
	switch {
	case errors.As(err, &exit):
	case errors.Is(err, stdio.ErrStdoutClosed):
		return Explanation{
			Sentence: "The server closed its stdout " + before + ", but its process lived on.",
			Cause:    "It can never answer again. Something in it closes or replaces file descriptor 1.",
			Try:      "Look for code that redirects stdout, or for a child process that inherits it and ends.",
		}, true
	case errors.Is(err, syscall.EPIPE) && !f.Process.Exited.IsZero():
		// The write failed a moment before the exit was noticed.
		p := f.Process
		exit = &stdio.ExitError{Code: p.ExitCode, Signal: p.Signal, After: p.Exited.Sub(p.Started)}
	case errors.Is(err, syscall.EPIPE):
		return Explanation{
			Sentence: "The server closed its stdin " + before + ".",
			Cause:    "It does not read requests from there, or it is about to end.",
			Try:      "Check that the server was told to speak over stdio.",
		}, true
	default:
		return Explanation{}, false
	}
	return exited(exit, before, f), true
}

func exited(exit *stdio.ExitError, before string, f Facts) Explanation {
	after := transport.Took(exit.After)
	if exit.Signal != "" {
		e := Explanation{Sentence: fmt.Sprintf("The server process was ended by %s after %s, %s.", exit.Signal, after, before)}
		switch exit.Signal {
		case "SIGKILL":
			e.Cause = "The system may have run out of memory, or somebody killed it."
		case "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL":
			e.Cause = "The server crashed."
		}
		return e
	}
	e := Explanation{Sentence: fmt.Sprintf("The server process exited with code %d after %s, %s.", exit.Code, after, before)}
	e.Cause, e.Try = exitCause(exit.Code, f)
	return e
}

// exitCause reads an exit code the way shells and their users do.
func exitCause(code int, f Facts) (cause, try string) {
	said, where := len(f.Stderr)+len(f.Stray) > 0, "stderr"
	if len(f.Stderr) == 0 {
		where = "stdout"
	}
	switch {
	case code == 127:
		return "A shell or a launcher did not find the command that it was to run.", "Look at the lines on stderr for its name."
	case code == 126:
		return "A shell or a launcher may not execute the command that it was to run.", "Look at the permissions of the file."
	case code == 0 && !f.Connected:
		return "It ran to its end like a program that has done its work: perhaps it printed a help text, put itself into the background, or does not speak MCP over stdio.",
			"Check whether it wants an argument to speak over stdio, or to be reached with --url."
	case said && f.Connected:
		return "The request made the server crash; its last lines on " + where + " say more.", "Mend what they name, or send the same input again with the server's debug output on."
	case said:
		return "The server gave up; its last lines on " + where + " say why.", "Mend what they name: a missing variable (-e NAME=value), an argument, a file, a module."
	case f.Connected:
		return "The request made the server crash.", "Run the server by itself with the same input, or with its debug output on."
	}
	return "The server could not start, and did not say why.",
		"Run the command by itself in this directory; it may want a variable (-e NAME=value), an argument or another --cwd."
}

// patient is how long a server may well take that has to be downloaded first.
const patient = 20 * time.Second
