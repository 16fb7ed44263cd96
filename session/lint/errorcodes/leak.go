package errorcodes

import (
	"bytes"
	"strings"

	"mcptea/internal/lazyregexp"
	"mcptea/session/lint/rule"
)

// sourcePath is a line of a program's source, or where its parts are installed.
var sourcePath = lazyregexp.New(`(?:/[\w.@+-]+){2,}\.(?:py|rb|php|[cm]?[jt]sx?|go|java|kt|rs|cs)(?:"?, line |:)\d|` +
	`[A-Za-z]:\\{1,2}[^"'<>|\n]{1,200}\.(?:py|rb|php|[cm]?[jt]sx?|go|java|kt|rs|cs)(?:"?, line |:)\d|` +
	`/(?:node_modules|site-packages|dist-packages)/\w`)

// maxLeak bounds how much of an error is searched, in bytes.
const maxLeak = 64 << 10

// leak searches an error for internals of the server. Text of the request does
// not count.
func leak(c *rule.Context) {
	for _, member := range []string{"message", "data"} {
		raw := rule.Member(c.M.Error, member)
		text := bytes.ReplaceAll(raw[:min(len(raw), maxLeak)], []byte(`\n`), []byte("\n"))
		if kind := internals(c, text); kind != "" {
			c.Report(rule.At("error", member), "kind", kind)
			return
		}
	}
}

func internals(c *rule.Context, text []byte) string {
	switch {
	case len(text) == 0:
	case rule.SecretIn(text) != "":
		return "something that looks like a credential"
	case isTrace(string(text)):
		return "a stack trace"
	default:
		if path := sourcePath().Find(text); path != nil && (c.M.Request == nil || !bytes.Contains(c.M.Request.Params, path)) {
			return "a path of its source"
		}
	}
	return ""
}

// traceHead begin a stack trace.
var traceHead = lazyregexp.New(`Traceback \(most recent call last\)|\bgoroutine \d+ \[|stack backtrace:|Exception in thread \\"`)

// stackFrame are the lines of stack traces: of Python, Go, PHP and Ruby. Two of them
// are needed, for one may be in the error of a compiler.
var stackFrame = lazyregexp.New(`^(?:File \\?"[^"]+", line \d+|\S+\.go:\d+ \+0x|#\d+ (?:\S+\(\d+\): |\{main\})|(?:from )?\S+\.rb:\d+:in )`)

// isTrace reports a stack trace of a common language.
func isTrace(text string) bool {
	if traceHead().MatchString(text) {
		return true
	}
	found := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(strings.ReplaceAll(line[:min(len(line), maxTraceLine)], `\t`, " "), " ")
		// "at line 3" is in errors of parsers, too.
		if call, ok := strings.CutPrefix(line, "at "); ok && strings.ContainsAny(call, "(/\\") {
			return true
		}
		if stackFrame().MatchString(line) {
			if found++; found == 2 {
				return true
			}
		}
	}
	return false
}

const maxTraceLine = 200
