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

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/stderr"
)

// notStarted is a command that could not be run.
func notStarted(err *stdio.StartError, f Facts) Explanation {
	name := quote(err.Command, 100)
	switch {
	case errors.Is(err.Err, stdio.ErrNoDir):
		return Explanation{
			Sentence: fmt.Sprintf("There is no directory %s, in which the server was to run.", quote(err.Dir, 100)),
			Cause:    "It is misspelt or gone, or it is a file; a relative one counts from the directory in which mcptea runs.",
			Try:      "Correct --cwd, or leave it out.",
		}
	case errors.Is(err.Err, exec.ErrNotFound):
		return notFound(err, f)
	case err.Interpreter != "":
		return noInterpreter(err)
	case errors.Is(err.Err, os.ErrNotExist) && err.Path != "":
		return Explanation{
			Sentence: fmt.Sprintf("The file %s is there, and the loader that it needs is not.", name),
			Cause:    "It was built for another C library (glibc or musl) or another system.",
			Try:      "Build it on this machine, or run it in a container.",
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
			Cause:    "What is run must be a program or a script.",
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

// notFound is a command that is not on the PATH.
func notFound(err *stdio.StartError, f Facts) Explanation {
	e := Explanation{
		Sentence: fmt.Sprintf("The command %s was not found on the PATH.", quote(err.Command, 100)),
		Cause:    "It is not installed, or it is installed in a folder that the PATH of this shell does not name.",
		Try:      tryToInstall(err.Command),
	}
	path, ok := lookup(f.Target.Env, "PATH")
	switch {
	case len(f.Target.Env) > 0 && path == "":
		e.Cause = "The environment that the server gets has no PATH."
		e.Try = "Leave --clean-env out, give it one (-e PATH=\"$PATH\"), or write the whole path."
	case err.Near != "":
		e.Sentence = fmt.Sprintf("The command %s was not found on the PATH, but %s is there.", quote(err.Command, 100), quote(err.Near, 100))
		e.Cause = "It is misspelt, or not installed."
		e.Try = "Write " + bare(err.Near) + " if that was meant."
	}
	if ok {
		e.Evidence = []Line{{"PATH", cut(path), true}}
	}
	return e
}

// lookup finds a variable in an environment; the last one counts.
func lookup(env []string, name string) (value string, ok bool) {
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value, ok = v, true
		}
	}
	return value, ok
}

// noInterpreter is a script whose first line names what is not there.
func noInterpreter(err *stdio.StartError) Explanation {
	e := Explanation{
		Sentence: fmt.Sprintf("The script %s wants to be run with %s, which does not exist.", quote(err.Command, 100), quote(err.Interpreter, 100)),
		Evidence: []Line{{"first line", "#!" + cut(err.Interpreter), true}},
		Cause:    "Its first line names an interpreter that is not installed, or is installed elsewhere.",
		Try:      "Correct the line (#!/usr/bin/env python3), or write the interpreter before the script.",
	}
	if strings.HasSuffix(err.Interpreter, "\r") {
		e.Cause = "The script has Windows line ends, and the system takes the \\r for a part of the name."
		e.Try = "Write its lines with \\n alone (dos2unix)."
	}
	return e
}

func tryToInstall(command string) string {
	if strings.Contains(command, " ") {
		return "Do not quote the whole command line: after --, each word is an argument of its own."
	}
	switch filepath.Base(command) {
	case "npx", "npm", "node":
		return "Install Node.js, or write the whole path of " + command + "; version managers such as nvm put it on the PATH of those shells alone that load them."
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
	var step *client.ConnectError
	switch {
	case f.Connected:
		before = "while a request waited for its answer"
	case errors.As(err, &step) && step.Step == client.StepInitialized:
		before = "right after it had answered initialize"
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
	case (errors.Is(err, syscall.EPIPE) || errors.Is(err, client.ErrClosed)) && !f.Process.Exited.IsZero() && !f.Process.Expected:
		// The write failed a moment before the exit was noticed, or came after it.
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
	e := Explanation{Sentence: fmt.Sprintf("The server process exited with code %d after %s, %s.", exit.Code, after, before)}
	why, ok := known(f.words(), signs)
	if exit.Signal != "" {
		e.Sentence = fmt.Sprintf("The server process was ended by %s after %s, %s.", exit.Signal, after, before)
		e.Cause, e.Try = signalCause(exit.Signal)
	} else {
		e.Cause, e.Try = exitCause(exit.Code, f)
	}
	switch {
	case ok:
		e = e.because(why)
	case exit.Signal == "SIGKILL" && !f.Connected, exit.Code == 137:
		e = e.adding("the system may have run out of memory")
	case exit.Code == 127, exit.Code == 126, exit.Signal != "":
	case cutAnswer(f.Stray) != "":
		e.Sentence = fmt.Sprintf("The server process exited with code %d after %s, in the middle of an answer.", exit.Code, after)
		e.Cause = "It ended before all of its answer was written."
		e.Try = "Look for what ends the server; flush stdout before it ends."
	case exit.Code == 0 && !f.Connected && len(f.Stderr) == 0:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ", without an error."
	case stderr.Decisive(f.words()) != "":
		e = e.adding("it says " + quote(stderr.Decisive(f.words()), textHead/2))
	case exit.Code != 0:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ", and did not say why."
	}
	return e
}

// adding puts half a sentence behind the sentence.
func (e Explanation) adding(what string) Explanation {
	if what != "" {
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": " + what
		if !strings.HasSuffix(e.Sentence, ".") {
			e.Sentence += "."
		}
	}
	return e
}

// because makes a reason that is known the one of an explanation.
func (e Explanation) because(why reason) Explanation {
	e = e.adding(why.what)
	e.Cause, e.Try = why.cause, why.try
	return e
}

// cutAnswer is what came last of an answer that breaks off, or nothing.
func cutAnswer(stray []string) string {
	if len(stray) == 0 {
		return ""
	}
	last := strings.TrimSpace(stray[len(stray)-1])
	if strings.HasPrefix(last, "{") && strings.Contains(last, `"jsonrpc"`) && !strings.HasSuffix(last, "}") {
		return last
	}
	return ""
}

func signalCause(signal string) (cause, try string) {
	switch signal {
	case "SIGKILL":
		return "The system's memory killer ends processes like this, and so does a limit of a container; or somebody did.",
			"Look into the system's log (dmesg, journalctl -k) for \"out of memory\"; give the container or the server more of it."
	case "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE":
		return "The server crashed in native code: its own, that of a library, or that of its runtime.",
			"Run it by itself with the same input; update or rebuild its native modules for this machine."
	case "SIGABRT":
		return "The server gave up by itself (abort), as runtimes do at a fault that they cannot mend.", "Look at its last lines on stderr; run it by itself with its debug output on."
	case "SIGTERM", "SIGINT", "SIGHUP":
		return "Somebody else ended it: a supervisor, a shell that was closed, or another client.", "Connect again, and look at what manages such processes."
	case "SIGPIPE":
		return "It wrote to somebody who does not listen any more.", "Look at what it pipes its output to."
	}
	return "Somebody else sent it the signal.", "Look at what manages such processes."
}

// exitCause reads an exit code the way shells and their users do.
func exitCause(code int, f Facts) (cause, try string) {
	said, where := len(f.Stderr)+len(f.Stray) > 0, "stderr"
	if len(f.Stderr) == 0 {
		where = "stdout"
	}
	switch {
	case code == 137:
		return "128 + 9 is how shells and containers tell of SIGKILL, which mostly comes from the system's memory killer.",
			"Look into the system's log for \"out of memory\"; give the container or the server more of it."
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
