package otlp

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
)

// Session turns the events of one session into spans. It is used from one goroutine.
type Session struct {
	sender *Sender
	table  *flow.Table
	open   map[*flow.Flow]*span // requests without a response
	row    int32

	conn      uint16
	since     time.Time // of the first message of the connection; zero before
	last      time.Time // of the newest event
	transport string    // "stdio", "http" or "sse"
	server    *url.URL  // nil over stdio
	version   string    // of the protocol
	id        string    // of the session, as the events have it: redacted
}

// Session returns the receiver for the events of a session with this header.
func (s *Sender) Session(h record.Header) *Session {
	x := &Session{sender: s, transport: h.Transport}
	x.target(h.Target)
	x.connect(0)
	return x
}

// Event takes the next event of the session. It keeps nothing of it.
func (x *Session) Event(e *record.Event) {
	if e.Conn != x.conn {
		x.disconnect(e.Time, "")
		x.connect(e.Conn)
	}
	x.last = e.Time
	switch e.Kind {
	case record.KindFrame:
		x.frame(&e.Frame)
	case record.KindConnection:
		x.connection(e)
	case record.KindHTTP:
		x.exchange(e.Exchange)
	case record.KindEnded:
		state := flow.Abandoned
		if e.Ended.Cancelled {
			state = flow.Cancelled
		}
		m := x.table.End(transport.Out, []byte(e.Ended.ID), state, e.Time)
		x.withdrawn(&m, e.Time)
	}
}

// Close ends the session: requests without a response become spans that say so.
func (x *Session) Close() { x.disconnect(x.last, "") }

func (x *Session) connect(conn uint16) {
	x.conn, x.since = conn, time.Time{}
	x.version, x.id = "", ""
	x.open = map[*flow.Flow]*span{}
	x.table = flow.New(flow.Limits{Released: func(f *flow.Flow) {
		// Too many are pending for this one to be held until its response.
		if f.Waits() && x.open[f] != nil {
			x.sender.dropped.Add(1)
			delete(x.open, f)
		}
	}})
}

// disconnect ends what is pending, and the connection if there was one.
func (x *Session) disconnect(at time.Time, reason string) {
	x.table.Abandon(at, func(f *flow.Flow) { x.end(f, at, "connection_closed", "") })
	if x.since.IsZero() {
		return
	}
	attributes := x.common()
	if reason != "" {
		attributes = append(attributes, attribute("error.type", "connection_closed"))
	}
	x.sender.metrics.record(clientSession, at.Sub(x.since), attributes)
	x.since = time.Time{}
}

func (x *Session) connection(e *record.Event) {
	c := e.Connection
	switch c.What {
	case record.ConnectionOpened:
		x.transport = c.Transport
		x.target(c.Target)
	case record.ConnectionReady:
		x.version = c.Revision
	case record.ConnectionClosed:
		x.disconnect(e.Time, c.Reason)
	}
}

// target learns the address of the server over HTTP.
func (x *Session) target(address string) {
	x.server = nil
	if u, err := url.Parse(address); x.transport != "stdio" && err == nil && u.Host != "" {
		x.server = u
	}
}

func (x *Session) exchange(e *transport.Exchange) {
	for _, h := range []http.Header{e.ResponseHeader, e.RequestHeader} {
		if id := h.Get("Mcp-Session-Id"); id != "" {
			x.id = id
		}
	}
	if x.server == nil && e.Purpose != transport.PurposeAuthorization {
		x.target(e.URL)
	}
	if e.Phase != transport.ExchangeDone || !e.Failed && e.Err == "" {
		return
	}
	// A request that failed before there was a response of JSON-RPC.
	for f := range x.table.Pending() {
		if f.Exchange == e.ID && f.Dir == transport.Out {
			kind := "connection_failed"
			if e.Status != 0 {
				kind = strconv.Itoa(e.Status)
			}
			x.end(f, e.Start.Add(e.Took), kind, e.Err)
			return
		}
	}
}

func (x *Session) frame(f *transport.Frame) {
	x.row++
	if f.NonMessageEvent() {
		return
	}
	if x.since.IsZero() {
		x.since = f.Time
	}
	envelope := jsonrpc.Scan(f.Bytes)
	m := flow.Message{Bytes: f.Bytes, Envelope: envelope, Dir: f.Dir, Row: x.row, Time: f.Time, Exchange: f.Exchange}
	if envelope.Kind != jsonrpc.Batch {
		x.message(&m)
		return
	}
	for element := range jsonrpc.Elements(f.Bytes) {
		m.Bytes, m.Envelope = element, jsonrpc.Scan(element)
		x.message(&m)
	}
}

func (x *Session) message(m *flow.Message) {
	if m.Envelope.Kind == jsonrpc.Invalid {
		return
	}
	match := x.table.Message(m)
	switch kind := m.Envelope.Kind; {
	case kind == jsonrpc.Request:
		if old := match.Superseded; old != nil {
			x.end(old, m.Time, "id_reused", "")
		}
		if match.Flow != nil {
			x.open[match.Flow] = x.start(m, match.Flow)
		}
	case kind == jsonrpc.Notification:
		x.notification(m, &match)
	case kind.IsResponse() && match.Ended && match.Flow != nil:
		x.response(m, &match)
	}
}

func (x *Session) notification(m *flow.Message, match *flow.Match) {
	if match.Ended {
		x.withdrawn(match, m.Time)
	}
	if m.Envelope.MethodName(m.Bytes) != "notifications/progress" {
		x.instant(m)
		return
	}
	if match.Flow != nil {
		if o := x.open[match.Flow]; o != nil {
			o.progress(match.Flow, m.Time)
		}
	}
}

// withdrawn ends a request that gets no response.
func (x *Session) withdrawn(match *flow.Match, at time.Time) {
	if match.Flow == nil {
		return
	}
	kind := "no_response"
	if match.State == flow.Cancelled {
		kind = "cancelled"
	}
	x.end(match.Flow, at, kind, "")
}

func (x *Session) response(m *flow.Message, match *flow.Match) {
	f := match.Flow
	if f.Method == "initialize" && m.Envelope.Kind == jsonrpc.Response {
		if v := jsonrpc.Text(m.Envelope.Result.Of(m.Bytes), "protocolVersion"); revision.Revision(v).Known() {
			x.version = v
		}
	}
	o := x.open[f]
	if o == nil {
		return
	}
	switch {
	case m.Envelope.Kind == jsonrpc.ErrorResponse:
		kind, message := "_OTHER", ""
		if err := jsonrpc.ParseError(m.Bytes, m.Envelope); err != nil {
			kind, message = strconv.FormatInt(err.Code, 10), err.Message
			o.attributes = append(o.attributes, attribute("rpc.response.status_code", kind))
		}
		x.end(f, m.Time, kind, message)
	case match.IsToolError:
		o.result(m)
		x.end(f, m.Time, "tool_error", "")
	default:
		o.result(m)
		x.end(f, m.Time, "", "")
	}
}
