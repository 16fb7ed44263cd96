// Package stdio checks the lines on stdin and stdout and the server process.
package stdio

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/flow"
	errlines "mcptea/record/stderr"
)

// Rules check the lines on stdin and stdout, and the server process.
var Rules = []lint.Rule{
	{ID: "K001", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.F.Dir == transport.In && c.IsPlainText() {
			c.Report(lint.Whole, "snippet", lint.Quoted(bytes.TrimSpace(c.F.Bytes)))
		}
	}},
	{ID: "K002", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.IsLSPHeader() {
			p := lint.Own[process](c.St)
			p.crlf[c.F.Dir], p.blank[c.F.Dir] = true, true // they belong to that framing
			c.Report(lint.Whole)
		}
	}},
	{ID: "K003", Line: func(c *lint.Context) {
		if isWholeLine(c) && c.F.Ending == "\r\n" && isFirst(&lint.Own[process](c.St).crlf[c.F.Dir]) {
			c.Report(lint.Byte(len(c.F.Bytes)))
		}
	}},
	{ID: "K012", Line: func(c *lint.Context) {
		if isWholeLine(c) && c.F.Envelope.Fault == jsonrpc.FaultEmpty && isFirst(&lint.Own[process](c.St).blank[c.F.Dir]) {
			c.Report(lint.Whole)
		}
	}},
	{ID: "K004", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.F.Envelope.Flaws&jsonrpc.FlawBOM != 0 {
			c.Report(lint.Byte(0))
		}
	}},
	{ID: "K005", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.F.Lines > 1 {
			c.Report(lint.Whole, "count", c.F.Lines)
		}
	}},
	{ID: "K006", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.St.Link == lint.Stdio && c.F.Envelope.Fault == jsonrpc.FaultTrailingBytes && !c.F.Part && !c.IsPlainText() && !c.IsLSPHeader() {
			c.Report(lint.Byte(c.F.Envelope.At))
		}
	}},
	{ID: "K007", Line: func(c *lint.Context) {
		if c.St.Link == lint.Stdio && c.F.Truncated && c.F.Dir == transport.In && c.F.Envelope.Kind != jsonrpc.Invalid {
			c.Report(lint.Byte(len(c.F.Bytes)))
		}
	}},
	{ID: "K008", Stderr: keepStderr, End: exitedEarly},
	{ID: "K009", Limit: lint.OncePerConnection, Tick: runningAfterGrace, End: exitedAfterGrace},
	{ID: "K010", Limit: lint.OncePerConnection, Stderr: func(c *lint.Context) {
		if c.St.Revision != "" {
			c.Report(lint.Whole)
		}
	}},
	{ID: "K011", When: lint.Matched | lint.FromServer, Message: bufferedResponses, End: bufferedAtExit},
}

// process is the state of the server process and its lines.
type process struct {
	crlf, blank [2]bool   // reported, by direction
	stderr      []string  // last lines, masked
	answered    time.Time // time of the first response, or zero
	late        struct {
		request *flow.Flow
		at      time.Time
		row     int32
	}
}

// isWholeLine reports a line of stdio that is not a part of a longer message.
func isWholeLine(c *lint.Context) bool { return c.St.Link == lint.Stdio && !c.F.Part }

// isFirst reports whether something has not been reported yet, and notes that it is.
func isFirst(reported *bool) bool {
	first := !*reported
	*reported = true
	return first
}

// Bounds of the last lines of stderr that are kept, and of the lines that are quoted after the
// process has exited. The decisive line is quoted first.
const (
	maxStderr     = 20
	maxQuoted     = 3
	maxStderrLine = 200
	maxIndent     = 40
)

func keepStderr(c *lint.Context) {
	text := strings.TrimSpace(c.Stderr)
	if text == "" {
		return
	}
	indent := c.Stderr[:min(strings.Index(c.Stderr, text), maxIndent)]
	text = text[:min(len(text), maxStderrLine)]
	p := lint.Own[process](c.St)
	if len(p.stderr) == maxStderr {
		p.stderr = slices.Delete(p.stderr, 0, 1)
	}
	p.stderr = append(p.stderr, indent+strings.Join(masked(strings.Fields(text)), " "))
}

// masked returns the words of a stderr line without secrets, because it may be a command line. There is at
// least one word. In a help text, the placeholder of a value is not a secret: --tls-key string.
func masked(words []string) []string {
	out := secret.Args(words)
	help := strings.HasPrefix(words[0], "-")
	for i, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || !strings.HasPrefix(name, "-") {
			value = word
		}
		if out[i] != word && (isProse(value) || help && standsForValue(value)) {
			out[i] = word
		}
	}
	return out
}

// isProse reports a word that follows the name of an option in a sentence about it.
func isProse(word string) bool {
	switch word {
	case "is", "was", "and", "or", "not", "must", "option", "flag", "missing", "required", "requires", "needs", "cannot":
		return true
	}
	return false
}

// standsForValue reports whether a word of a help text is a placeholder: the name of a type, or a word in
// capitals or in brackets.
func standsForValue(word string) bool {
	switch word {
	case "string", "strings", "stringArray", "text", "str", "value", "file", "path", "filename", "duration", "int", "bool", "url":
		return true
	}
	return word != "" && (strings.IndexByte("<[{", word[0]) >= 0 || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "")
}

func exitedEarly(c *lint.Context) {
	if c.St.Link != lint.Stdio || !c.End.Exited || c.End.By == lint.Client || !c.St.StdinClosed.IsZero() {
		return
	}
	if c.St.Answered[transport.Out] > 0 {
		return
	}
	status := fmt.Sprint(c.End.ExitCode)
	if c.End.Signal != "" {
		status += " (signal: " + lint.Escaped(c.End.Signal) + ")"
	}
	stderr := "none"
	if lines := lint.Own[process](c.St).stderr; len(lines) > 0 {
		last := lines[max(0, len(lines)-maxQuoted):]
		if decisive := errlines.Decisive(lines); decisive != "" && !slices.ContainsFunc(last, func(l string) bool { return strings.TrimSpace(l) == decisive }) {
			last = []string{decisive}
		}
		shown := make([]string, len(last))
		for i, line := range last {
			shown[i] = lint.Quoted(strings.TrimSpace(line))
		}
		stderr = strings.Join(shown, ", ")
	}
	if c.St.Discover != nil && c.St.Initialize == nil { // a server of a version with a handshake need not answer it at all
		c.For("discover").ReportInfo(lint.Whole, "status", status, "stderr", stderr)
		return
	}
	c.Report(lint.Whole, "status", status, "stderr", stderr)
}

// exitGrace bounds the time for which a process may keep running after its stdin was closed.
const exitGrace = 3 * time.Second

// hasStarted reports whether a server has answered anything. Before that, it may still be starting and cannot
// read the end of stdin.
func hasStarted(c *lint.Context) bool { return c.St.Answered[transport.Out] > 0 }

func runningAfterGrace(c *lint.Context) {
	closed := c.St.StdinClosed
	if c.St.Link == lint.Stdio && hasStarted(c) && !closed.IsZero() && !c.St.Ended && c.St.Now.Sub(closed) >= exitGrace {
		c.Report(lint.Whole, "seconds", lint.Seconds(c.St.Now.Sub(closed)))
	}
}

// exitedAfterGrace checks again at the end: a recording may have no events in
// between.
func exitedAfterGrace(c *lint.Context) {
	if c.St.Link == lint.Stdio && hasStarted(c) && c.End.Exited && c.End.RanOn >= exitGrace {
		c.Report(lint.Whole, "seconds", lint.Seconds(c.End.RanOn))
	}
}

// A response was buffered if it took long, arrived as soon as another message was sent, and the next response
// arrived with it.
const (
	lateAfter = 5 * time.Second
	atOnce    = 250 * time.Millisecond
)

// bufferedResponses ignores methods that may take long, and requests sent before the first response, which
// waited for the start of the process.
func bufferedResponses(c *lint.Context) {
	r := c.M.Request
	if r == nil || c.St.Link != lint.Stdio || c.M.Frame.Dir != transport.In {
		return
	}
	p := lint.Own[process](c.St)
	if p.answered.IsZero() {
		p.answered = c.St.Now
	}
	late := &p.late
	if first := late.request; first != nil && !first.HasSameID(r) {
		late.request = nil
		if r.Row() < late.row && !r.Start.Before(first.Start) && isAtOnce(r.Start, late.at) && isAtOnce(late.at, c.St.Now) {
			c.ReportIn(late.row, lint.Whole, "seconds", lint.Seconds(late.at.Sub(first.Start)))
		}
	}
	if m, _ := revision.Lookup(r.Method); !r.Start.Before(p.answered) && !r.HasResponse() && !m.Progresses() && !revision.Lasts(r.Method) && c.St.Now.Sub(r.Start) >= lateAfter {
		late.request, late.at, late.row = r, c.St.Now, c.M.Frame.Row
	}
}

func isAtOnce(from, to time.Time) bool {
	d := to.Sub(from)
	return d >= 0 && d <= atOnce
}

// bufferedAtExit finds a response that was flushed by the exit.
func bufferedAtExit(c *lint.Context) {
	late := lint.Own[process](c.St).late
	if c.End.Exited && late.request != nil && isAtOnce(late.at, c.St.Now) {
		c.ReportIn(late.row, lint.Whole, "seconds", lint.Seconds(late.at.Sub(late.request.Start)))
	}
}
