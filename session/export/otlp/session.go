package otlp

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
)

// Session turns the events of one session into spans. It is used from one goroutine.
type Session struct {
	sender  *Sender
	matcher *flow.Matcher
	open    map[flow.Ref]*span // requests without a response
	row     int32
	apps    record.Apps

	conn      uint16
	beside    uint16    // number of the connection if it is not the connection of the session, or 0
	last      time.Time // time of the newest event
	transport string    // "stdio", "http" or "sse"
	server    *url.URL  // URL of the server, or nil over stdio
	version   string    // protocol version
	id        string    // id of the session, as the events have it: redacted
}

// maxOpen bounds the requests without a response. The spans of more are dropped.
const maxOpen = 50_000

// Session returns the receiver for the events of a session with this header.
func (s *Sender) Session(h record.Header) *Session {
	x := &Session{sender: s, transport: h.Transport, matcher: flow.NewMatcher(flow.Limits{}), open: map[flow.Ref]*span{}}
	x.target(h.Target)
	return x
}

// Event processes the next event of the session. It does not keep the event.
func (x *Session) Event(e *record.Event) {
	if e.Kind == record.KindFrame {
		x.row++
	}
	matches := x.matcher.Event(e, x.row)
	for i := range matches {
		if m := &matches[i]; !m.IsMessage() && m.Ended != flow.NotEnded {
			x.end(m.Request, e.Time, endedTypes[m.Ended], "")
		}
	}
	if x.apps.Of(e) {
		return
	}
	if e.Conn != x.conn {
		x.conn, x.version, x.id = e.Conn, "", ""
	}
	x.last, x.beside = e.Time, e.ConnBeside()
	switch e.Kind {
	case record.KindFrame:
		if e.Frame.NonMessageEvent() {
			return
		}
		for i := range matches {
			if matches[i].IsMessage() {
				x.message(&matches[i])
			}
		}
	case record.KindConnection:
		x.connection(e)
	case record.KindHTTP:
		x.exchange(e.Exchange, matches[0].Request)
	}
}

// endedTypes maps ends without a response to the error types of spans.
var endedTypes = [...]string{
	flow.ByResponse: "rejected", // rejected with its batch
	flow.ByCancel:   "cancelled", flow.ByTimeout: "cancelled", flow.ByReuse: "id_reused", flow.ByLoss: "no_response", flow.ByClose: "connection_closed",
}

// Close ends the session: requests without a response become spans with an error.
func (x *Session) Close() {
	requests := slices.Collect(maps.Keys(x.open))
	slices.SortStableFunc(requests, func(a, b flow.Ref) int {
		return cmp.Or(cmp.Compare(a.Row(), b.Row()), cmp.Compare(a.Element(), b.Element()))
	})
	for _, r := range requests {
		x.end(r, x.last, endedTypes[flow.ByClose], "")
	}
}

func (x *Session) connection(e *record.Event) {
	c := e.Connection
	switch c.What {
	case record.ConnectionOpened:
		x.transport = c.Transport
		x.target(c.Target)
	case record.ConnectionReady:
		x.version = c.Revision
	}
}

// target learns the address of the server over HTTP.
func (x *Session) target(address string) {
	x.server = nil
	if u, err := url.Parse(address); x.transport != "stdio" && err == nil && u.Host != "" {
		x.server = u
	}
}

// exchange takes a phase of the HTTP exchange that carries a request.
func (x *Session) exchange(e *transport.Exchange, request flow.Ref) {
	for _, h := range []http.Header{e.ResponseHeader, e.RequestHeader} {
		if id := h.Get("Mcp-Session-Id"); id != "" {
			x.id = id
		}
	}
	if x.server == nil && e.HasFrames() {
		x.target(e.URL)
	}
	if e.Phase != transport.ExchangeDone || !e.Failed && e.Err == "" {
		return
	}
	// A request that failed before there was a response of JSON-RPC.
	kind := "connection_failed"
	if e.Status != 0 {
		kind = strconv.Itoa(e.Status)
	}
	x.end(request, e.Start.Add(e.Took), kind, e.Err)
}

func (x *Session) message(m *flow.Match) {
	switch kind := m.Kind(); {
	case kind == jsonrpc.Request && len(x.open) >= maxOpen:
		x.sender.dropped.Add(1)
	case kind == jsonrpc.Request:
		x.open[m.Request] = x.start(m)
	case kind == jsonrpc.Notification:
		x.notification(m)
	case kind.IsResponse() && m.Ended != flow.NotEnded:
		x.response(m)
	}
}

func (x *Session) notification(m *flow.Match) {
	if m.Ended != flow.NotEnded {
		x.end(m.Request, m.Time, endedTypes[m.Ended], "")
	}
	if m.Envelope.MethodName(m.Bytes) != "notifications/progress" {
		x.instant(m)
		return
	}
	if o := x.open[m.Request]; o != nil && m.Flow != nil {
		o.progress(m.Flow, m.Time)
	}
}

func (x *Session) response(m *flow.Match) {
	if m.Method == "initialize" && m.Kind() == jsonrpc.Response {
		if v := jsonrpc.Text(m.Envelope.Result.Of(m.Bytes), "protocolVersion"); revision.Revision(v).Known() {
			x.version = v
		}
	}
	o := x.open[m.Request]
	if o == nil {
		return
	}
	kind, message := "", ""
	switch {
	case m.Kind() == jsonrpc.ErrorResponse:
		kind = "_OTHER"
		if err := jsonrpc.ParseError(m.Bytes, m.Envelope); err != nil {
			message = err.Message
			if _, ok := err.Code.Number(); ok {
				kind = err.Code.String()
				o.Attributes = append(o.Attributes, attribute("rpc.response.status_code", kind))
			}
		}
	case m.ToolError:
		kind = "tool_error"
		fallthrough
	default:
		o.result(m)
	}
	x.end(m.Request, m.Time, kind, message)
}
