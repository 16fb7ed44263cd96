package failure

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/client/transport/stdio"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/facts"
)

// notStarted explains a command that could not be started.
func notStarted(err *stdio.StartError, f Facts) Explanation {
	path, ok := variables(f.target.Env)["PATH"]
	s := situation{
		"is": err.Err, "command": phrase.Quote(err.Command, 100), "as_given": err.Command, "program": programName(err.Command),
		"words": strings.Contains(err.Command, " "), "path": err.Path, "cwd": err.Dir, "dir": phrase.Quote(err.Dir, 100),
		"windows_path": runtime.GOOS != "windows" && hosts.WindowsPath(err.Command),
		"path_unset":   len(f.target.Env) > 0 && path == "",
	}
	if first, _, more := strings.Cut(err.Command, " "); more && !f.isRecorded {
		if _, missing := exec.LookPath(first); missing == nil {
			s["whole_line"] = phrase.Quote(first, 40)
		}
	}
	if setup, program := shell.SplitSetup(f.target.Argv); !setup.IsZero() && len(program) > 0 {
		if line, err := shell.Bash.Join(shell.Literals(slices.Concat(setup.Flags(), []string{"--"}, program)...)); err == nil {
			s["setup"] = line
		}
	}
	if err.Near != "" {
		s["near"], s["near_bare"] = phrase.Quote(err.Near, 100), bare(err.Near)
	}
	if err.Interpreter != "" {
		s["interpreter"], s["crlf"] = phrase.Quote(err.Interpreter, 100), strings.HasSuffix(err.Interpreter, "\r")
	}
	e := Explanation{Sentence: sentence(err.Error())}.with("start", s)
	switch {
	case errors.Is(err.Err, stdio.ErrNoDir):
	case errors.Is(err.Err, exec.ErrNotFound):
		if ok {
			e.Evidence = []Line{{"PATH", cut(path), true}}
		}
	case err.Interpreter != "":
		e.Evidence = []Line{{"first line", "#!" + cut(err.Interpreter), true}}
	}
	return e
}

// programName returns the name of a program without its version: python for python3.12.
func programName(command string) string {
	return strings.TrimRight(strings.ToLower(filepath.Base(command)), ".-0123456789")
}

// ended explains a server whose process or output ended.
func ended(err error, f Facts) (Explanation, bool) {
	step, _ := errors.AsType[*client.ConnectError](err)
	f.pending = f.pending || as[*client.ClosedError](err)
	moment, _ := find("moment", situation{
		"connected": f.Connected, "pending": f.pending, "initialized": step != nil && step.Step == client.StepInitialized, "method": f.method,
	})
	exit, ok := errors.AsType[*stdio.ExitError](err)
	if p := f.Process; !ok && (system.IsErrno(err, syscall.EPIPE) || errors.Is(err, client.ErrClosed)) && !errors.Is(err, stdio.ErrStdoutClosed) && !p.Exited.IsZero() && !p.Expected {
		// The write failed just before the exit was noticed, or after it.
		exit = &stdio.ExitError{Code: p.ExitCode, Signal: p.Signal, After: p.Exited.Sub(p.Started)}
	}
	if exit != nil {
		return exited(exit, moment.what, f), true
	}
	why, ok := find("closed", f.seen(situation{"is": err, "moment": moment.what, "http": f.target.URL != ""}))
	return Explanation{}.because(why), ok
}

// validationError matches the exception of a library that checks values.
var validationError = lazyregexp.New(`\b(?:\w*Zod\w*Error|\w*ValidationError|ValiError|JsonSchemaException)\b`)

// syntaxError matches a line about source code that cannot be parsed.
var syntaxError = lazyregexp.New(`\b(?:SyntaxError|IndentationError|TabError)\b`)

// exited explains a server whose process ended.
func exited(exit *stdio.ExitError, moment string, f Facts) Explanation {
	against := f.seen(situation{"code": exit.Code})
	found := candidates(against, f.words(), "stderr")
	line := decisive(f.words(), found)
	s := f.seen(situation{
		"code": exit.Code, "signal": exit.Signal, "after": phrase.Duration(exit.After), "moment": moment,
		"connected": f.Connected, "idle": f.Connected && !f.pending, "truncated": truncatedResponse(f.Stray),
		"stderr": len(f.stderr) > 0, "words": len(f.words()) > 0, "stream": "stderr", "syntax": syntaxError().MatchString(line),
		"script": f.isScripted(),
	})
	if !slices.Contains(f.stderr, line) && !slices.Contains(joined(f.stderr), line) && len(f.Stray) > 0 {
		s["stream"] = "stdout"
	}
	reason := f.jsonOnStdout()
	switch {
	case reason != "" && !stderr.IsReport(line):
		s["reported"], s["reason_on_stdout"], s["stream"] = quoteEnds(f.redact(reason)), true, "stdout"
	case line == "":
	case stderr.FormOf(line) == stderr.Help:
		s["help"] = true
	case stderr.IsReport(line), len(found) > 0 && found[0].Strength == Reports:
		s["reported"] = f.quoted(line)
	default:
		s["last"] = f.quoted(line)
	}
	packages := facts.PackagesIn(f.words(), !f.isRecorded)
	s["crash_package"], s["crash_package_name"] = escape(packages.Crashed.String()), escape(packages.Crashed.Name)
	s["crash_caller"] = escape(packages.Caller.String())
	if packages.Runtime != "" {
		s["crash_runtime"] = " under " + escape(packages.Runtime)
	}
	if validationError().MatchString(line) { // the fault is in the value, not in the library that checks it
		delete(s, "crash_package")
	}
	if f.idle > 0 {
		s["since"] = phrase.Duration(f.idle)
	}
	if f.sent > 0 {
		s["sent"] = phrase.Duration(f.sent)
	}
	e := explain("exit", s)
	e.Idle, e.Exited, e.said = f.Connected && !f.pending, true, s.text("reported") != ""
	if exit.Signal != "" {
		e = e.with("signal", s)
	}
	for _, p := range packages.Named {
		if p.Version != "" {
			e.Evidence = append(e.Evidence, Line{kindInstalled, p.String() + " in " + p.Dir, true})
		}
	}
	e = e.with("exit-detail", s).found(found)
	if line == "" || exit.Signal != "" || stderr.FormOf(line) == stderr.Help {
		return e
	}
	said := f.message(line)
	e.words = words{said, facts.Refusal{Body: []byte(said)}}
	return e.byMessage(s, said)
}

// message returns the line that explains why a server ended, with the values and the advice that follow it.
func (f Facts) message(line string) string {
	whole := stderr.Whole(f.stderr, line)
	text := stderr.MessageOf(whole)
	if at := slices.IndexFunc(f.words(), func(l string) bool { return strings.TrimSpace(l) == line }); at >= 0 {
		if whole == line {
			text = stderr.MessageOf(strings.TrimSpace(withItems(f.words(), at)))
		}
		if advice := stderr.Advice(f.words()[at+1:]); advice != "" {
			text += " " + advice
		}
	}
	return f.redact(text)
}

// quoted returns a line in quotation marks, with the value that it begins.
func (f Facts) quoted(line string) string {
	whole := stderr.Whole(f.stderr, line)
	if at := slices.IndexFunc(f.words(), func(l string) bool { return strings.TrimSpace(l) == line }); whole == line && at >= 0 {
		whole = strings.TrimSpace(withItems(f.words(), at))
	}
	if plain := plainMessage(whole); whole != line && plain != phrase.OneLine(whole) {
		whole = plain
	}
	if text := stderr.MessageOf(whole); text != whole { // decoded, so the redacted text does not match
		return quoteEnds(secret.Text(f.redact(text)))
	}
	return quoteEnds(whole)
}

// truncatedResponse returns the last line of an incomplete response, or "".
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

// patient is the time that a server gets if it is downloaded first.
const patient = 20 * time.Second
