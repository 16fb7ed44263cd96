package errorcodes

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// extensions of source files, and what follows a file name in a message
const (
	source = `\.(?:py|rb|php|[cm]?[jt]sx?|go|java|kt|rs|cs)`
	inLine = `(?:"?, line |:)\d`
)

// sourcePath matches a place in the source of a program, or a directory of installed packages.
var sourcePath = lazyregexp.New(`(?:/[\w.@+-]+){2,}` + source + inLine + `|` +
	`[A-Za-z]:\\{1,2}[^"'<>|\n]{1,200}` + source + inLine + `|` +
	`/(?:node_modules|site-packages|dist-packages)/\w`)

// maxLeak bounds how much of an error is searched, in bytes.
const maxLeak = 64 << 10

// leak searches an error for internals of the server. Text of the request does
// not count.
func leak(c *lint.Context) {
	for _, member := range []string{"message", "data"} {
		text := lint.Plain(c.M.Get(c.M.Error, member), maxLeak)
		if kind := internals(text, func(path []byte) bool { return c.M.Request != nil && isOfParams(c.M.Request.Params, path) }); kind != "" {
			c.Report(lint.At("error", member), "what", "error", "kind", kind)
			return
		}
	}
}

// leakOfBody searches the body of an HTTP error that is not a JSON-RPC error, such as the page of a web
// framework. Any body is allowed, but not every content.
func leakOfBody(c *lint.Context) {
	if kind := internals(plainBody(c.Body[:min(len(c.Body), maxLeak)]), func(path []byte) bool { return isOfExchange(c.X, path) }); kind != "" {
		c.Report(lint.Whole, "what", fmt.Sprintf("body of the response with HTTP status %d", c.X.Status), "kind", kind)
	}
}

func isOfParams(params, path []byte) bool {
	return bytes.Contains(lint.Plain(params, len(params)), path)
}

// isOfExchange reports a path that the request has: in its URL, or in the params of its messages.
func isOfExchange(x *lint.Exchange, path []byte) bool {
	if address, err := url.PathUnescape(x.URL); err == nil && strings.Contains(address, string(path)) {
		return true
	}
	for _, r := range x.Requests {
		if isOfParams(r.Params, path) {
			return true
		}
	}
	return false
}

// parts of a web page other than its text
var (
	pageScript = lazyregexp.New(`(?is)<(?:script|style)\b.*?</(?:script|style)\s*>`)
	pageBreak  = lazyregexp.New(`(?i)<(?:br|/p|/div|/li|/tr|/h\d|/pre)\b[^>]*>`)
	pageTag    = lazyregexp.New(`</?[A-Za-z!][^>]*>`)
)

// plainBody returns the text of a body: JSON with unescaped strings, or a web page as a user sees it.
func plainBody(body []byte) []byte {
	if jsonrpc.Valid(body) {
		return lint.Plain(bytes.TrimSpace(body), maxLeak)
	}
	if !pageTag().Match(body) {
		return body
	}
	body = pageScript().ReplaceAll(body, []byte{' '})
	body = pageTag().ReplaceAll(pageBreak().ReplaceAll(body, []byte{'\n'}), nil)
	return []byte(strings.ReplaceAll(html.UnescapeString(string(body)), "\u00a0", " "))
}

// internals describes the internal detail that a text reveals, or returns "". given reports whether the client
// has sent a path.
func internals(text []byte, given func(path []byte) bool) string {
	switch {
	case len(text) == 0:
	case lint.SecretInText(text) != "":
		return "something that looks like a credential"
	case isTrace(string(text)):
		return "a stack trace"
	default:
		if path := sourcePath().Find(text); path != nil && !given(path) {
			return "a path of its source"
		}
	}
	return ""
}

// traceHead begin a stack trace.
var traceHead = lazyregexp.New(`Traceback \(most recent call last\)|\bgoroutine \d+ \[|stack backtrace:|Exception in thread \\?"`)

// atFrame is a line of a stack trace of JavaScript or Java, which no sentence begins like.
var atFrame = lazyregexp.New(`^at (?:.{1,160}\((?:[^()]*` + source + `:\d+[:\d]*|node:[^()]+|<anonymous>|native|Native Method|Unknown Source)\)|` +
	`(?:async )?(?:file://|node:|/|[A-Za-z]:[\\/])\S*:\d+)`)

// stackFrame matches the lines of stack traces of Python, Go, PHP, Ruby and .NET. Two matches are needed,
// because one may be in a compiler error.
var stackFrame = lazyregexp.New(`^(?:File \\?"[^"]+", line \d+|\S+\.go:\d+ \+0x|#\d+ (?:\S+\(\d+\): |\{main\})|(?:from )?\S+\.rb:\d+:in |` +
	`at [\w.$<>` + "`" + `+\[\],]+\.[\w$<>` + "`" + `\[\]]+\([^()]*\))`)

// isTrace reports a stack trace of a common language.
func isTrace(text string) bool {
	if traceHead().MatchString(text) {
		return true
	}
	found := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line[:min(len(line), maxTraceLine)], " \t")
		if atFrame().MatchString(line) {
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

// maxTraceLine bounds the part of a line that is examined, in bytes.
const maxTraceLine = 400
