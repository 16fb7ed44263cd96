package browse

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session"
	"mcptea/session/stderr"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// crash is the end of the server process during a call.
type crash struct {
	attempt int // of the connection that ended
	logs    int // entries of the log that were read
	exit    *stdio.ExitError
	lines   []string // on stderr since the call was sent, the newest ones
	total   int      // how many there were
	file    string   // of the source that the stack trace names; empty without one that exists
	line    int
	lost    []string // other requests that were pending
	lostMax bool     // there were more
}

const (
	maxCrashLines = 200
	maxLost       = 8
	maxLookback   = 5000 // rows and log entries
)

// crashed reads what the server left behind when it ended during a call, again
// when more of its stderr has come.
func (p *Pane) crashed(e *entry, c *call) {
	var exit *stdio.ExitError
	if !c.over || !errors.As(c.err, &exit) || p.state.Process.Expected {
		return
	}
	if c.crash == nil {
		c.crash = &crash{attempt: p.state.Attempt, exit: exit, logs: -1}
		// The keys of a crash work where no text is typed.
		if _, at := p.selected(); at == e && e.shown() == c && p.part == inForm && e.edits() == c.edits {
			p.part = inResult
		}
	}
	k := c.crash
	if k.attempt != p.state.Attempt || k.logs == p.state.Logs {
		return
	}
	k.logs = p.state.Logs
	k.readStderr(p, c)
	k.file, k.line = stderr.Source(k.lines, p.state.Process.Dir)
	p.lostWith(k, c)
}

// readStderr collects the lines since the call was sent.
func (k *crash) readStderr(p *Pane, c *call) {
	secrets := p.session.Target().Secrets()
	k.lines, k.total = nil, 0
	s := p.session.Store()
	if s == nil {
		return
	}
	for n := k.logs - 1; n >= max(0, k.logs-maxLookback); n-- {
		l, ok := s.LogAt(n)
		if !ok || l.Time.Before(c.Started) {
			break
		}
		if l.Source != store.LogStderr {
			continue
		}
		if k.total++; len(k.lines) < maxCrashLines {
			k.lines = append(k.lines, secret.Text(secrets.Redact(l.Text)))
		}
	}
	slices.Reverse(k.lines)
	k.lines = slices.DeleteFunc(k.lines, func(l string) bool { return strings.TrimSpace(l) == "" })
}

// lostWith lists the other requests of the connection that got no response.
func (p *Pane) lostWith(k *crash, c *call) {
	s := p.session.Store()
	if s == nil {
		return
	}
	k.lost, k.lostMax = nil, false
	conn := s.Conn()
	rows := int32(s.Snapshot().Rows)
	for i := rows - 1; i >= max(0, rows-maxLookback); i-- {
		row, ok := s.Row(i)
		if !ok || row.Conn != conn {
			break
		}
		if row.Dir != transport.Out || row.Kind != jsonrpc.Request || row.Flags&store.Abandoned == 0 || s.Method(row.Method) == "subscriptions/listen" {
			continue // a subscription awaits no response
		}
		head, err := s.Head(i, 4<<10)
		if err != nil {
			continue
		}
		id := jsonrpc.Scan(head).ID.Of(head)
		if string(id) == string(c.Last()) {
			continue
		}
		if len(k.lost) == maxLost {
			k.lostMax = true
			break
		}
		name, _ := jsonrpc.Member(head, "params", "name")
		k.lost = append(k.lost, strings.TrimSpace(string(id)+" "+s.Method(row.Method)+" "+loose(name)))
	}
	slices.Reverse(k.lost)
}

// sentence says what happened.
func (k *crash) sentence() string {
	text := "The server crashed during this call"
	if k.exit.Signal == "" && k.exit.Code == 0 {
		text = "The server exited during this call"
	}
	if cause := causeOf(k.lines); cause != "" {
		text += ": " + strings.TrimSuffix(cause, ".")
	}
	if k.exit.Signal != "" {
		return text + ". Terminated by " + k.exit.Signal + "."
	}
	return fmt.Sprintf("%s. Exit code %d.", text, k.exit.Code)
}

// causeOf is the line that says why, without the words that each crash has.
func causeOf(lines []string) string {
	cause := stderr.Decisive(lines)
	for _, prefix := range []string{"panic: ", "runtime error: ", "Uncaught ", "fatal error: "} {
		cause = strings.TrimPrefix(cause, prefix)
	}
	return cause
}

// crashRows paints a crash in h rows: the cause, what to do, stderr, and what
// else was lost.
func (p *Pane) crashRows(s *sheet, c *call, h int) {
	k, pal, end := c.crash, s.Pal, len(s.Rows)+h
	left := func() int { return end - len(s.Rows) }
	s.Text(pal.ErrorBold, k.sentence(), min(3, left()))
	tail := 0
	if len(k.lost) > 0 {
		tail = 1
	}
	airy := left()-tail >= 9
	gap := func() {
		if airy && left() > 0 {
			s.Blank()
		}
	}
	gap()
	if left() > 0 {
		s.Line(func(r *paint.Row) {
			r.Put(pal.OK, pal.ArrowOut+" ")
			r.Put(pal.AccentBold, p.key(command.Restart)+" ")
			r.Put(pal.TextBold, "restart the server")
			r.Put(pal.Text, ", then ")
			r.Put(pal.AccentBold, p.key(command.Resend)+" ")
			r.Put(pal.Text, "sends "+c.title("call")+" again")
		})
	}
	if k.file != "" && left() > 0 {
		s.Line(func(r *paint.Row) {
			r.Put(pal.OK, pal.ArrowOut+" ")
			r.Put(pal.AccentBold, p.key(command.OpenSource)+" ")
			r.Put(pal.Text, "open ")
			r.Put(pal.Value, filepath.Base(k.file)+":"+strconv.Itoa(k.line))
			r.Put(pal.Text, " in $EDITOR")
		})
	}
	gap()
	p.crashStderr(s, k, left()-tail)
	if tail > 0 && left() > 0 {
		gap()
		s.Line(func(r *paint.Row) { lostRow(r, pal, k) })
	}
}

// crashStderr paints the lines of stderr in at most n rows.
func (p *Pane) crashStderr(s *sheet, k *crash, n int) {
	pal := s.Pal
	if n <= 0 {
		return
	}
	if k.total == 0 {
		s.Line(func(r *paint.Row) {
			r.Put(pal.TextBold, "stderr  ")
			r.Put(pal.Muted, "nothing was written to it since this call")
		})
		return
	}
	lines := fromDecisive(k.lines, max(n-1, 1))
	s.Line(func(r *paint.Row) {
		r.Right(paint.Span{Style: pal.AccentBold, Text: p.key(command.TabLogs)}, paint.Span{Style: pal.Muted, Text: " all lines "})
		r.Put(pal.TextBold, "stderr  ")
		count := strconv.Itoa(len(lines)) + " of " + paint.HumanCount(k.total) + " lines"
		if k.total == 1 {
			count = "one line"
		}
		r.Put(pal.Muted, count+" since this call")
	})
	decisive := stderr.Decisive(k.lines)
	for _, text := range lines[:min(len(lines), max(n-1, 0))] {
		s.Line(func(r *paint.Row) {
			r.Put(pal.Border, pal.Vertical+" ")
			st := pal.Text
			if decisive != "" && strings.TrimSpace(text) == decisive {
				st = pal.ErrorBold
			}
			r.Put(st, strings.TrimRight(text, " \t\r\n"))
		})
	}
}

// fromDecisive are n of the lines: the last ones, or those from the line on that
// says why, if that came before.
func fromDecisive(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	first := len(lines) - n
	decisive := stderr.Decisive(lines)
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == decisive }); i >= 0 && i < first {
		first = i
	}
	return lines[first : first+n]
}

// lostRow names the other requests that were pending.
func lostRow(r *paint.Row, pal *paint.Palette, k *crash) {
	r.Put(pal.TextBold, "also pending  ")
	for _, text := range k.lost {
		r.Put(pal.Error, pal.FailMark+" ")
		r.Put(pal.Text, text)
		r.Gap(3)
	}
	if k.lostMax {
		r.Put(pal.Muted, pal.Ellipsis)
	}
}

// resend sends the call on show again, as it was.
func (p *Pane) resend(key string, e *entry) action.Action {
	c := e.shown()
	switch {
	case c == nil:
		return action.Flash{Text: "there is no call to send again"}
	case p.state.Phase != session.Ready:
		return action.Flash{Text: "not connected: " + p.key(command.Restart) + " restarts the server", Wrong: true}
	}
	return action.Start{Ref: p.ref(refCall, key), Method: c.Method, Params: c.Params}
}

// openSource opens the place that the stack trace of a crash names.
func (p *Pane) openSource(e *entry) action.Action {
	if c := e.shown(); c != nil && c.crash != nil && c.crash.file != "" {
		return action.OpenFile{Path: c.crash.file, Line: c.crash.line}
	}
	return action.Flash{Text: "no stack trace names a source file"}
}
