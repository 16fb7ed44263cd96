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
	"mcptea/internal/lazyregexp"
	"mcptea/session/stderr"
)

// notStarted is a command that could not be run.
func notStarted(err *stdio.StartError, f Facts) Explanation {
	name := quote(err.Command, 100)
	switch {
	case errors.Is(err.Err, stdio.ErrNoDir):
		return Explanation{
			Sentence: fmt.Sprintf("Cannot start the server in %s: no such directory.", quote(err.Dir, 100)),
			Cause:    "It does not exist or is not a directory; a relative path is resolved from the directory of mcptea.",
			Try:      "Correct or omit --cwd.",
		}
	case errors.Is(err.Err, exec.ErrNotFound):
		return notFound(err, f)
	case err.Interpreter != "":
		return noInterpreter(err)
	case errors.Is(err.Err, os.ErrNotExist) && err.Path != "":
		return Explanation{
			Sentence: fmt.Sprintf("Cannot start %s: its dynamic loader is missing (no such file or directory).", name),
			Cause:    "It was built for another C library (glibc or musl) or another system.",
			Try:      "Build it on this machine, or run it in a container.",
		}
	case errors.Is(err.Err, os.ErrNotExist):
		e := Explanation{
			Sentence: fmt.Sprintf("Cannot start %s: no such file or directory.", name),
			Cause:    "A command with a slash is a path, relative to the working directory of the server.",
			Try:      "Use an absolute path, or build the server first.",
		}
		if err.Dir != "" {
			e.Try = "Use an absolute path, or omit --cwd."
		}
		return e
	case errors.Is(err.Err, syscall.EISDIR):
		return Explanation{
			Sentence: fmt.Sprintf("Cannot start %s: is a directory.", name),
			Cause:    "The command must be a program or a script.",
			Try:      "Use the path of the program in it, or set --cwd to it.",
		}
	case errors.Is(err.Err, os.ErrPermission):
		return Explanation{
			Sentence: fmt.Sprintf("Cannot start %s: permission denied.", name),
			Cause:    "The file is not executable.",
			Try:      "For a script, name its interpreter first (python server.py, node server.js), or chmod +x the file.",
		}
	case errors.Is(err.Err, syscall.ENOEXEC):
		return Explanation{
			Sentence: fmt.Sprintf("Cannot start %s: exec format error.", name),
			Cause:    "It is a script without a #! line, or a binary for another system.",
			Try:      "Name its interpreter first (python server.py, node server.js).",
		}
	}
	return Explanation{Sentence: sentence(err.Error())}
}

// notFound is a command that is not on the PATH.
func notFound(err *stdio.StartError, f Facts) Explanation {
	e := Explanation{
		Sentence: fmt.Sprintf("Cannot start %s: executable file not found in $PATH.", quote(err.Command, 100)),
		Cause:    "It is not installed, or its directory is not in the PATH of this shell.",
		Try:      tryToInstall(err.Command),
	}
	path, ok := lookup(f.target.Env, "PATH")
	switch {
	case len(f.target.Env) > 0 && path == "":
		e.Cause = "PATH is not set in the environment of the server."
		e.Try = "Omit --clean-env, set it (-e PATH=\"$PATH\"), or use an absolute path."
	case err.Near != "":
		e.Sentence = fmt.Sprintf("Cannot start %s: executable file not found in $PATH. Did you mean %s?", quote(err.Command, 100), quote(err.Near, 100))
		e.Cause = "It is misspelled, or not installed."
		e.Try = "Use " + bare(err.Near) + ", or check the spelling."
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
		Sentence: fmt.Sprintf("Cannot start the script %s: its interpreter %s does not exist.", quote(err.Command, 100), quote(err.Interpreter, 100)),
		Evidence: []Line{{"first line", "#!" + cut(err.Interpreter), true}},
		Cause:    "The interpreter in its first line is not installed, or is installed elsewhere.",
		Try:      "Correct the line (#!/usr/bin/env python3), or put the interpreter before the script.",
	}
	if strings.HasSuffix(err.Interpreter, "\r") {
		e.Cause = "The script has Windows line endings: the \\r is read as part of the name."
		e.Try = "Convert its line endings to \\n (dos2unix)."
	}
	return e
}

func tryToInstall(command string) string {
	if strings.Contains(command, " ") {
		return "Do not quote the whole command line: after --, each word is a separate argument."
	}
	switch filepath.Base(command) {
	case "npx", "npm", "node":
		return "Install Node.js, or use the absolute path of " + command + "; version managers such as nvm set the PATH only in shells that load them."
	case "uvx", "uv":
		return "Install uv, or use the absolute path of " + command + "."
	case "docker":
		return "Install Docker, or use the absolute path of docker."
	}
	return "Check the spelling, or use an absolute path."
}

// endedByItself reports whether the error says that the server's process ended
// before mcptea ended it.
func endedByItself(err error) bool {
	var exit *stdio.ExitError
	return errors.As(err, &exit) || errors.Is(err, syscall.EPIPE)
}

// ended is a server whose process, or whose output, came to an end.
func ended(err error, f Facts, method string) (Explanation, bool) {
	before := "before responding to " + method
	var step *client.ConnectError
	var call *client.ClosedError
	f.pending = f.pending || errors.As(err, &call)
	switch {
	case f.Connected && f.pending:
		before = "while a request was pending"
	case f.Connected:
		before = "while no request was pending"
	case errors.As(err, &step) && step.Step == client.StepInitialized:
		before = "right after the initialize response"
	}
	var exit *stdio.ExitError
	switch {
	case errors.As(err, &exit):
	case errors.Is(err, stdio.ErrStdoutClosed):
		return Explanation{
			Sentence: "The server closed its stdout " + before + ", but the process is still running.",
			Cause:    "It cannot send responses any more: something in it closes or replaces file descriptor 1.",
			Try:      "Look for code that redirects stdout, or for a child process that inherits it and ends.",
		}, true
	case (errors.Is(err, syscall.EPIPE) || errors.Is(err, client.ErrClosed)) && !f.Process.Exited.IsZero() && !f.Process.Expected:
		// The write failed a moment before the exit was noticed, or came after it.
		p := f.Process
		exit = &stdio.ExitError{Code: p.ExitCode, Signal: p.Signal, After: p.Exited.Sub(p.Started)}
	case errors.Is(err, syscall.EPIPE):
		return Explanation{
			Sentence: "The server closed its stdin " + before + ".",
			Cause:    "It does not read requests from stdin, or it is exiting.",
			Try:      "Check that the server is started in its stdio mode.",
		}, true
	default:
		return Explanation{}, false
	}
	return exited(exit, before, f), true
}

func exited(exit *stdio.ExitError, before string, f Facts) Explanation {
	if f.Connected && !f.pending {
		return exitedIdle(exit, f)
	}
	after := transport.FormatDuration(exit.After)
	e := Explanation{Sentence: fmt.Sprintf("The server process exited with code %d after %s, %s.", exit.Code, after, before)}
	why, ok := known(f.words(), signs)
	if exit.Signal != "" {
		e.Sentence = fmt.Sprintf("The server process was terminated by %s after %s, %s.", exit.Signal, after, before)
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
	case truncatedResponse(f.Stray) != "":
		e.Sentence = fmt.Sprintf("The server process exited with code %d after %s, in the middle of a response.", exit.Code, after)
		e.Cause = "It exited before the response was completely written."
		e.Try = "Check why the server exits; flush stdout before it does."
	case exit.Code == 0 && !f.Connected && len(f.stderr) == 0:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ", without an error."
	case stderr.Decisive(f.words()) != "":
		e = e.adding("it reports " + quoteEnds(stderr.Decisive(f.words()), textHead))
	case exit.Code != 0:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ", without an error message."
	}
	return e
}

// exitedIdle is a server that ended while nothing was asked of it.
func exitedIdle(exit *stdio.ExitError, f Facts) Explanation {
	how, said := fmt.Sprintf("exited by itself with code %d", exit.Code), stderr.Decisive(f.words())
	if exit.Signal != "" {
		how = "was terminated by " + exit.Signal
	}
	when := transport.FormatDuration(exit.After) + " after its start"
	if f.idle > 0 {
		when = transport.FormatDuration(f.idle) + " after the last response"
	}
	e := Explanation{Idle: true, Sentence: fmt.Sprintf("The server process %s, %s; no request was pending.", how, when)}
	why, ok := known(f.words(), signs)
	switch {
	case ok:
		return e.because(why)
	case exit.Signal != "":
		e.Cause, e.Try = signalCause(exit.Signal)
	case said != "":
		e.Cause = "It reports " + quoteEnds(said, textHead) + "."
		e.Try = "Fix the error shown on stderr."
	case exit.Code == 0:
		e.Cause = "It finished normally: it may end when it is idle, or its work was done."
		e.Try = "Look in the server for a timeout, and for code that ends the process."
	default:
		e.Cause = "It wrote no reason to stderr."
		e.Try = "Start the server with its debug option and wait as long."
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

// truncatedResponse is the end of a response that is incomplete; empty without one.
func truncatedResponse(stray []string) string {
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
		return "The out-of-memory killer or a container limit terminates processes with SIGKILL; so does kill -9.",
			"Search the system log (dmesg, journalctl -k) for \"out of memory\"; give the container or the server more memory."
	case "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE":
		return "The server crashed in native code: its own, that of a library, or that of its runtime.",
			"Run it outside mcptea with the same input; update or rebuild its native modules for this machine."
	case "SIGABRT":
		return "The server aborted, as runtimes do after a fatal error.", "Check its last lines on stderr; run it outside mcptea with debug output."
	case "SIGTERM", "SIGINT", "SIGHUP":
		return "Another process terminated it: a supervisor, a closed shell, or another client.", "Reconnect, and check what manages such processes."
	case "SIGPIPE":
		return "It wrote to a pipe whose reader had closed it.", "Check where it pipes its output."
	}
	return "Another process sent the signal.", "Check what manages such processes."
}

// syntaxError is a line about source code that cannot be parsed.
var syntaxError = lazyregexp.New(`\b(?:SyntaxError|IndentationError|TabError)\b`)

// exitCause reads an exit code the way shells and their users do.
func exitCause(code int, f Facts) (cause, try string) {
	said, where := len(f.stderr)+len(f.Stray) > 0, "stderr"
	if len(f.stderr) == 0 {
		where = "stdout"
	}
	switch {
	case code == 137:
		return "Exit code 128 + 9 means SIGKILL, usually from the out-of-memory killer.",
			"Search the system log for \"out of memory\"; give the container or the server more memory."
	case code == 127:
		return "A shell or a launcher did not find its command.", "See stderr for its name."
	case code == 126:
		return "A shell or a launcher cannot execute its command: permission denied.", "Check the permissions of the file."
	case code == 0 && !f.Connected:
		return "It finished normally: it may have printed a help text, started a background process, or not support the stdio transport.",
			"Check whether it needs an argument for stdio, or must be reached with --url."
	case code == 0:
		return "It finished normally although a response was due.", "Look in the server for code that ends the process."
	case f.Connected && said:
		return "", "Fix the error shown on " + where + ", or start the server with its debug option and repeat the call."
	case f.Connected:
		return "", "Start the server with its debug option and repeat the call."
	case said && syntaxError().MatchString(stderr.Decisive(f.words())):
		return "", "Correct the line that " + where + " names."
	case said:
		return "", "Fix the error shown on " + where + ": a missing variable (-e NAME=value), an argument, a file, a module."
	}
	return "The server exited without an error message.",
		"Run the command in this directory without mcptea; it may need a variable (-e NAME=value), an argument or another --cwd."
}

// patient is how long a server may well take that has to be downloaded first.
const patient = 20 * time.Second
