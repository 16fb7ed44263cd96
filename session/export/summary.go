package export

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
)

// summary holds the facts about the whole session that a report states before the frames.
type summary struct {
	Connection record.Connection // newest connection, with everything known about it
	Closed     []string          // reasons for the end of connections that the user did not end
	Started    time.Time
	// Lasted is the sum of the times between events. It does not count steps of the clock: after
	// the clock was set back, the sum continues.
	Lasted      time.Duration
	last        time.Time           // time of the newest event
	frames      record.FrameCounter // counts the frames of the session
	Steps       []record.Step
	Stderr      []string // last lines of stderr
	StderrTotal int
	Exit        *transport.ProcessEvent
	Findings    []lint.Finding // bounded, redacted
	More        int            // number of findings that are not in Findings
}

const (
	maxSteps    = 100
	maxStderr   = 40
	maxFindings = 1000
)

// summarize reads the session once. It reads all rows, but leaves out the findings about rows that
// are not selected.
func (s *session) summarize() (*summary, error) {
	sum := &summary{}
	add := func(f lint.Finding) {
		switch {
		case f.Self || s.Rows != nil && f.Row >= 0 && !s.Rows(f.Row):
		case len(sum.Findings) == maxFindings:
			sum.More++
		default:
			sum.Findings = append(sum.Findings, f)
		}
	}
	if !s.isHost { // infos about a client do not apply to frames of mcptea itself
		add = lint.OfSelf(add)
	}
	redact := func(frame []byte) []byte { return frame }
	if s.Redactor != nil {
		redact = s.Redactor.frame
	}
	feed := rules.New(add, lint.Texts(func(int) bool { return len(sum.Findings) < maxFindings }), lint.Excerpts(redact))
	feed.Open(s.Header)
	row := int32(0)
	for e, err := range s.Events {
		if err != nil {
			return nil, err
		}
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		if e.Kind == record.KindProblem {
			continue // reported when the events are written
		}
		at := int32(-1)
		if e.IsRow() {
			at = row
			row++
		}
		if e.Kind == record.KindFrame {
			e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
		}
		feed.Event(e, at)
		if !s.apps.Of(e) {
			sum.update(e)
		}
	}
	if s.Redactor != nil {
		sum.redact(s.Redactor)
	}
	return sum, nil
}

func (sum *summary) update(e *record.Event) {
	if sum.Started.IsZero() {
		sum.Started = e.Time
	}
	sum.Lasted += max(0, e.Time.Sub(cmp.Or(sum.last, e.Time)))
	sum.last = e.Time
	sum.frames.Event(e)
	switch e.Kind {
	case record.KindConnection:
		sum.connection(e.Connection)
	case record.KindStep, record.KindAuthorization:
		if len(sum.Steps) < maxSteps {
			sum.Steps = append(sum.Steps, *e.Step)
		}
	case record.KindStderr:
		sum.StderrTotal++
		if len(sum.Stderr) == maxStderr {
			sum.Stderr = slices.Delete(sum.Stderr, 0, 1)
		}
		sum.Stderr = append(sum.Stderr, e.Text)
	case record.KindProcess:
		if e.Process.What == transport.ProcessExited {
			sum.Exit = e.Process
		}
	}
}

func (sum *summary) connection(c *record.Connection) {
	switch {
	case c.What == record.ConnectionOpened:
		sum.Connection = *c
		return
	case c.What == record.ConnectionClosed && c.Reason != "" && len(sum.Closed) < maxSteps:
		sum.Closed = append(sum.Closed, c.Reason)
	}
	sum.Connection.Update(c)
}

func (sum *summary) redact(r *Redactor) {
	c := &sum.Connection
	c.Target, c.Server = r.text(c.Target), r.text(c.Server)
	for i := range sum.Closed {
		sum.Closed[i] = r.text(sum.Closed[i])
	}
	for i := range sum.Steps {
		sum.Steps[i].Detail, sum.Steps[i].URL = r.text(sum.Steps[i].Detail), r.url(sum.Steps[i].URL)
	}
	for i := range sum.Stderr {
		sum.Stderr[i] = r.text(sum.Stderr[i])
	}
	for i := range sum.Findings {
		f := &sum.Findings[i]
		f.Message, f.Hint = r.text(f.Message), r.text(f.Hint)
	}
}

// name returns the name of the server for a title.
func (sum *summary) name() string { return cmp.Or(sum.Connection.Server, "MCP server") }

// eachFact calls fact with each fact about the connection that all reports contain.
func (s *session) eachFact(sum *summary, over string, fact func(name, value string)) {
	fact("Target", cmp.Or(sum.Connection.Target, s.Header.Target))
	fact("Transport", over)
	if s.Header.Insecure {
		fact("TLS", "the certificate of the server was not verified (--insecure)")
	}
	fact("Protocol version", sum.Connection.Revision)
	fact("Client", s.Header.Tool)
}

// end calls fact with each fact about the end of the session that all reports contain.
func (sum *summary) end(fact func(name, value string)) {
	fact("Frames", fmt.Sprintf("%d sent, %d received", sum.frames.Out, sum.frames.In))
	if sum.Exit != nil {
		fact("Process", exitText(sum.Exit))
	}
}
