package record

import (
	"errors"
	"math"
	"slices"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/step"
	"mcptea/client/transport"
)

var (
	errNoFrame      = errors.New("it has no frame that can be read")
	errMarksNoRow   = errors.New("it marks no row")
	errChangesNoRow = errors.New("it changes no row")
	errDriftNoRow   = errors.New("it is about no row")
	errNoChange     = errors.New("it does not report what happened to the frame")
)

// members encodes or decodes the members of an event that is not a frame, after its head. A decoded event
// already has its kind.
func (e *Event) members(c *codec) {
	switch e.Kind {
	case KindConnection:
		pointTo(c, &e.Connection).members(c)
	case KindProcess:
		pointTo(c, &e.Process)
		e.process(c)
	case KindStderr:
		c.base64("text", "b64", &e.Text)
	case KindStep, KindAuthorization:
		pointTo(c, &e.Step).members(c, e.Kind == KindAuthorization)
	case KindEnded:
		pointTo(c, &e.Ended)
		c.raw("id", &e.Ended.ID)
		state := endedStates[e.Ended.Cancelled]
		c.text("state", &state)
		e.Ended.Cancelled = state == endedStates[true]
	case KindNote:
		c.optional("level", &e.Level)
		c.text("text", &e.Text)
	case KindMark:
		pointTo(c, &e.Mark)
		c.row(&e.Mark.Row, &e.Past, errMarksNoRow)
		c.bool("marked", &e.Mark.Marked)
		c.optional("text", &e.Mark.Note)
	case KindChange:
		pointTo(c, &e.Change).members(c, &e.Past)
	case KindDrift:
		pointTo(c, &e.Drift)
		c.row(&e.Drift.Row, &e.Past, errDriftNoRow)
		c.text("text", &e.Text)
	case KindDelivery:
		pointTo(c, &e.Delivery).members(c)
		e.body(c)
	}
}

// pointTo returns the value that an event points to. When decoding, it creates the value.
func pointTo[T any](c *codec, v **T) *T {
	if c.reads() {
		*v = new(T)
	}
	return *v
}

var endedStates = map[bool]string{false: "abandoned", true: "cancelled"}

func (h *Header) members(c *codec) {
	number(c, "t", &h.Time, 0, maxTime)
	c.text("tool", &h.Tool)
	c.text("transport", &h.Transport)
	c.text("target", &h.Target)
	c.optional("branch", &h.Branch)
	c.flag("insecure", &h.Insecure)
	c.flag("part", &h.Part)
	c.optional("as", &h.As)
	h.Transport = known(c, h.Transport)
}

// known returns the name of a transport, or "" if a decoded name is unknown. So a recording cannot
// contain other text there.
func known(c *codec, name string) string {
	if c.reads() && !slices.Contains([]string{"stdio", "http", "sse", App}, name) {
		return ""
	}
	return name
}

func (n *Connection) members(c *codec) {
	named(c, "what", &n.What, ConnectionOpened, ConnectionReady, ConnectionClosed)
	number(c, "conn", &n.Number, 0, math.MaxUint16)
	c.optional("transport", &n.Transport)
	n.Transport = known(c, n.Transport)
	c.optional("target", &n.Target)
	c.optional("protocol_version", &n.Revision)
	if c.reads() && n.Revision == "" {
		c.optional("revision", &n.Revision) // earlier name of the member
	}
	c.optional("server", &n.Server)
	c.optional("reason", &n.Reason)
	c.flag("beside", &n.Beside)
	positive(c, "restart", &n.Restart, math.MaxInt32)
	c.optional("cause", &n.Cause)
	positive(c, "built", &n.Built, maxTook)
	c.flag("reloads", &n.Reloads)
}

// maxLeft bounds the processes that are read from an event.
const maxLeft = 20

// process encodes or decodes a change in the life of the server's process. An unknown change becomes an event
// of unknown kind. The arguments must be redacted already.
func (e *Event) process(c *codec) {
	p := e.Process
	if !named(c, "what", &p.What, transport.ProcessChanges()...) {
		e.Kind, e.Text, e.Process = KindUnknown, kindNames[KindProcess], nil
		return
	}
	p.Time = e.Time
	number(c, "pid", &p.PID, 0, math.MaxInt32)
	if c.reads() || p.What == transport.ProcessStarted {
		c.text("path", &p.Path)
		asJSON(c, "argv", &p.Argv, true)
		c.optional("dir", &p.Dir)
	}
	if c.reads() || p.What == transport.ProcessExited {
		number(c, "code", &p.ExitCode, math.MinInt32, math.MaxInt32)
		c.flag("expected", &p.Expected)
	}
	if c.reads() || p.What == transport.ProcessStdinClosed {
		c.flag("stopped", &p.Stopped)
	}
	if c.reads() || p.What == transport.ProcessLeft {
		asJSON(c, "left", &p.Left, true)
		p.Left = p.Left[:min(len(p.Left), maxLeft)]
		c.optional("after", &p.After)
	}
	c.optional("signal", &p.Signal)
}

// StepOf returns the recorded form of a step of connecting or of getting a token. It contains no secrets.
func StepOf(st step.Step) *Step {
	s := &Step{Name: st.Name, State: st.State.String(), Detail: st.Detail, Took: st.Took, Absent: st.Absent, URL: st.MaskedURL(), Flow: st.Flow, Remarks: st.Remarks}
	var r *oauth.Refusal
	if errors.As(st.Refusal, &r) {
		s.Refused, s.Found, s.Expected = r.Kind.String(), r.Found, r.Expected
	}
	return s
}

func (s *Step) members(c *codec, ofAuthorization bool) {
	if s.Flow != 0 && ofAuthorization {
		number(c, "flow", &s.Flow, 0, 0)
	}
	c.text("step", &s.Name)
	c.text("state", &s.State)
	c.took("took", &s.Took)
	c.text("detail", &s.Detail)
	c.flag("absent", &s.Absent)
	if !c.reads() && !ofAuthorization {
		return
	}
	asJSON(c, "remarks", &s.Remarks, len(s.Remarks) > 0)
	c.optional("url", &s.URL)
	if c.optional("refused", &s.Refused); s.Refused != "" {
		c.text("found", &s.Found)
		c.text("expected", &s.Expected)
	}
}

func (c *Change) members(m *codec, past *int32) {
	m.row(&c.Row, past, errChangesNoRow)
	what := c.What.String()
	m.text("what", &what)
	if c.What = Changed(max(0, slices.Index(changedNames[:], what))); c.What == NotChanged && m.err == nil && m.reads() {
		m.err = errNoChange
	}
	positive(m, "breakpoint", &c.Breakpoint, math.MaxInt32)
	asJSON(m, "faults", &c.Faults, len(c.Faults) > 0)
	m.optional("why", &c.Why)
	positive(m, "held", &c.Held, maxTook)
	if m.err == nil {
		m.frame("received", &c.Received)
		m.frames("sent", &c.Sent)
	}
}

// exchange encodes or decodes a phase of an HTTP exchange and the members that the phase adds. If
// no frame arrived, the last phase repeats everything, because its line is shown in the list of
// frames. An exchange with an authorization server has one line, at the end.
func exchange(c *codec, x *transport.Exchange, at time.Time) {
	if c.reads() {
		x.Phase = transport.ExchangeDone
	}
	named(c, "phase", &x.Phase, transport.ExchangePhases()...)
	number(c, "x", &x.ID, 0, math.MaxUint32)
	isEnd := x.Phase == transport.ExchangeDone
	hasRequest := x.Phase == transport.ExchangeSent || isEnd && (!x.HasFrames() || x.Failed)
	if c.reads() {
		hasRequest = c.member("method") != nil
	}
	if hasRequest {
		start := x.Start.UnixNano()
		number(c, "start", &start, 0, maxTime)
		if x.Start = time.Unix(0, start); start == 0 {
			x.Start = at
		}
		c.text("purpose", &x.Purpose)
		c.text("method", &x.Method)
		c.text("url", &x.URL)
		positive(c, "repeats", &x.Repeats, math.MaxUint32)
		asJSON(c, "request", &x.RequestHeader, len(x.RequestHeader) > 0)
		c.body("said", &x.RequestBody)
	}
	if x.Phase == transport.ExchangeHeaders || isEnd && hasRequest {
		number(c, "status", &x.Status, 0, 999)
		c.took("first", &x.FirstByte)
		asJSON(c, "response", &x.ResponseHeader, len(x.ResponseHeader) > 0)
	}
	if c.reads() || x.TLS != nil && (x.Phase == transport.ExchangeHeaders || isEnd && (hasRequest || x.Status == 0)) {
		asJSON(c, "tls", &x.TLS, true)
	}
	if !isEnd {
		return
	}
	c.took("took", &x.Took)
	number(c, "sent", &x.Sent, 0, maxSize)
	number(c, "received", &x.Received, 0, maxSize)
	named(c, "by", &x.ClosedBy, transport.Closers()...)
	c.optional("error", &x.Err)
	positive(c, "events", &x.Events, math.MaxInt32)
	c.optional("last", &x.LastEventID)
	positive(c, "retry", &x.Retry, maxTook)
	c.flag("failed", &x.Failed)
	c.body("heard", &x.ResponseBody)
}
