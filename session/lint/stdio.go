package lint

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
	errlines "mcptea/session/stderr"
)

// stdioRules judge the lines on stdin and stdout, and the life of the process.
var stdioRules = []rule{
	{id: "K001", line: func(c *Context) {
		if c.F.Dir == transport.In && c.isText() {
			c.Report(Whole, "snippet", quoted(bytes.TrimSpace(c.F.Bytes)))
		}
	}},
	{id: "K002", line: func(c *Context) {
		if c.isHeader() {
			p := Own[process](c.St)
			p.crlf[c.F.Dir], p.blank[c.F.Dir] = true, true // they belong to that framing
			c.Report(Whole)
		}
	}},
	{id: "K003", line: lineEnding},
	{id: "K004", line: func(c *Context) {
		if c.F.Envelope.Flaws&jsonrpc.FlawBOM != 0 {
			c.Report(Byte(0))
		}
	}},
	{id: "K005", line: func(c *Context) {
		if c.F.Lines > 1 {
			c.Report(Whole, "count", c.F.Lines)
		}
	}},
	{id: "K006", line: func(c *Context) {
		if c.St.Link == Stdio && c.F.Envelope.Fault == jsonrpc.FaultTrailingBytes && !c.F.Part && !c.isText() && !c.isHeader() {
			c.Report(Byte(c.F.Envelope.At))
		}
	}},
	{id: "K007", line: func(c *Context) {
		if c.St.Link == Stdio && c.F.Truncated && c.F.Dir == transport.In && c.F.Envelope.Kind != jsonrpc.Invalid {
			c.Report(Byte(len(c.F.Bytes)))
		}
	}},
	{id: "K008", stderr: keepStderr, end: exitedEarly},
	{id: "K009", tick: stillRuns, end: stillRan},
	{id: "K010", stderr: func(c *Context, _ string) {
		if p := Own[process](c.St); c.St.Revision != "" && !p.stderrSaid {
			p.stderrSaid = true
			c.Report(Whole)
		}
	}},
	{id: "K011", message: lateTogether, end: lateAtEnd},
}

// process is what is remembered of the server's process and its lines.
type process struct {
	crlf, blank [2]bool  // said, by direction
	stderr      []string // the last lines, masked
	stderrSaid  bool
	lingers     bool // said
	late        struct {
		request *Request
		at      time.Time
		row     int32
	}
}

// isText reports a line that was never meant as a message. What begins as JSON
// does was, except for the times and levels in brackets that logs begin with.
func (c *Context) isText() bool {
	e := c.F.Envelope
	if e.Kind != jsonrpc.Invalid || e.Fault != jsonrpc.FaultNotJSON && e.Fault != jsonrpc.FaultTrailingBytes ||
		c.St.Link != Stdio || c.F.Part || c.isHeader() {
		return false
	}
	b := bare(c.F.Bytes)
	switch {
	case len(b) == 0 || b[0] == '{':
		return false
	case b[0] == '[':
		inner := bytes.TrimLeft(b[1:], " \t")
		return len(inner) > 0 && e.Fault == jsonrpc.FaultNotJSON && strings.IndexByte(`{["]`, inner[0]) < 0
	}
	return true
}

// bare is a line without a byte order mark and the space before the text.
func bare(line []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(line, []byte(bom)), " \t")
}

// isHeader reports the framing of the Language Server Protocol: a line with a
// length, or one where that follows the message before it.
func (c *Context) isHeader() bool {
	e := c.F.Envelope
	switch {
	case c.St.Link != Stdio || e.Kind != jsonrpc.Invalid:
		return false
	case e.Fault == jsonrpc.FaultTrailingBytes:
		return isContentLength(c.F.Bytes[min(e.At, len(c.F.Bytes)):])
	}
	return isContentLength(bare(c.F.Bytes))
}

func isContentLength(b []byte) bool {
	const name = "content-length:"
	if len(b) < len(name) || !strings.EqualFold(string(b[:len(name)]), name) {
		return false
	}
	number := bytes.TrimSpace(b[len(name):])
	return len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// lineEnding says it once for each direction: it is how the whole stream is
// written.
func lineEnding(c *Context) {
	if c.St.Link != Stdio || c.F.Ending != "\r\n" && c.F.Envelope.Fault != jsonrpc.FaultEmpty || c.F.Part {
		return
	}
	p := Own[process](c.St)
	said := &p.blank[c.F.Dir]
	if c.F.Ending == "\r\n" {
		said = &p.crlf[c.F.Dir]
	}
	if !*said {
		*said = true
		c.Report(Byte(len(c.F.Bytes)))
	}
}

// The last lines of stderr that are kept, and how many of them are quoted when
// the process has gone: the decisive one first.
const (
	maxStderr     = 20
	maxQuoted     = 3
	maxStderrLine = 200
)

func keepStderr(c *Context, line string) {
	if line = strings.TrimRight(line, " \t\r"); line == "" {
		return
	}
	if len(line) > maxStderrLine {
		line = line[:maxStderrLine]
	}
	p := Own[process](c.St)
	if len(p.stderr) == maxStderr {
		p.stderr = slices.Delete(p.stderr, 0, 1)
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	p.stderr = append(p.stderr, indent+strings.Join(secret.Args(strings.Fields(line)), " "))
}

func exitedEarly(c *Context) {
	if c.St.Link != Stdio || !c.End.Exited || c.End.By == Client || !c.St.StdinClosed.IsZero() {
		return
	}
	if c.St.requests.answered[transport.Out] > 0 {
		return
	}
	status := fmt.Sprint(c.End.ExitCode)
	if c.End.Signal != "" {
		status += " (signal: " + escaped(c.End.Signal) + ")"
	}
	stderr := "none"
	if lines := Own[process](c.St).stderr; len(lines) > 0 {
		last := lines[max(0, len(lines)-maxQuoted):]
		if decisive := errlines.Decisive(lines); decisive != "" && !slices.ContainsFunc(last, func(l string) bool { return strings.TrimSpace(l) == decisive }) {
			last = []string{decisive}
		}
		shown := make([]string, len(last))
		for i, line := range last {
			shown[i] = quoted(strings.TrimSpace(line))
		}
		stderr = strings.Join(shown, ", ")
	}
	c.Report(Whole, "status", status, "stderr", stderr)
}

// grace is how long a process may run on after its stdin was closed.
const grace = 3 * time.Second

func stillRuns(c *Context) {
	p := Own[process](c.St)
	closed := c.St.StdinClosed
	if c.St.Link == Stdio && !closed.IsZero() && !c.St.Ended && !p.lingers && c.St.Now.Sub(closed) >= grace {
		p.lingers = true
		c.Report(Whole, "seconds", seconds(c.St.Now.Sub(closed)))
	}
}

// stillRan looks again when all is over: whoever closes a connection may not
// have let time pass.
func stillRan(c *Context) {
	p := Own[process](c.St)
	if c.St.Link == Stdio && c.End.Exited && c.End.Lingered >= grace && !p.lingers {
		p.lingers = true
		c.Report(Whole, "seconds", seconds(c.End.Lingered))
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()) }

// What makes a late answer one that lay in a buffer: it waited long, came at
// once when more was sent, and the next answer came with it.
const (
	lateAfter = 5 * time.Second
	atOnce    = 250 * time.Millisecond
)

// lateTogether leaves out what may well take long: such an answer comes when
// it comes.
func lateTogether(c *Context) {
	r := c.M.Request
	if r == nil || c.St.Link != Stdio || c.M.Frame.Dir != transport.In {
		return
	}
	late := &Own[process](c.St).late
	if first := late.request; first != nil && first.key != r.key {
		late.request = nil
		if !r.Time.Before(first.Time) && within(r.Time, late.at) && within(late.at, c.St.Now) {
			c.ReportIn(late.row, Whole, "seconds", seconds(late.at.Sub(first.Time)))
		}
	}
	if m, _ := revision.Lookup(r.Method); !r.Answered && !m.Progresses() && r.Method != "subscriptions/listen" && c.St.Now.Sub(r.Time) >= lateAfter {
		late.request, late.at, late.row = r, c.St.Now, c.M.Frame.Row
	}
}

func within(from, to time.Time) bool {
	d := to.Sub(from)
	return d >= 0 && d <= atOnce
}

// lateAtEnd finds an answer that only the end has flushed out.
func lateAtEnd(c *Context) {
	late := Own[process](c.St).late
	if c.End.Exited && late.request != nil && within(late.at, c.St.Now) {
		c.ReportIn(late.row, Whole, "seconds", seconds(late.at.Sub(late.request.Time)))
	}
}
