package flow

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// A Matcher finds the request for each event of a record, with a [Table] for each connection. It is
// not safe for concurrent use.
type Matcher struct {
	limits Limits
	lane   *lane            // lane for the connection of the session
	beside map[uint16]*lane // lanes for additional connections, until they end

	messages []Message // messages of the event
	matches  []Match
}

// NewMatcher returns a matcher of a record without events.
func NewMatcher(limits Limits) *Matcher {
	x := &Matcher{limits: limits, beside: map[uint16]*lane{}}
	x.lane = x.newLane(1)
	return x
}

func (x *Matcher) newLane(conn uint16) *lane {
	return &lane{Table: New(x.limits), conn: conn, carried: map[uint32]Ref{}}
}

// Table returns the table of the connection of the session.
func (x *Matcher) Table() *Table { return x.lane.Table }

// Conn returns the number of the connection of the session, from 1; a reconnection gets a new number.
func (x *Matcher) Conn() uint16 { return x.lane.conn }

// laneOf returns the lane of an additional connection, or the lane of the session for 0.
func (x *Matcher) laneOf(beside uint16) *lane {
	if beside == 0 {
		return x.lane
	}
	l := x.beside[beside]
	if l == nil {
		l = x.newLane(beside)
		x.beside[beside] = l
	}
	return l
}

// Parent returns the client request that a message of the server would belong to if it arrived now;
// see [Match.Parent]. exchange is the HTTP exchange of the message, or 0. beside is the number of
// an additional connection, or 0 for the session's.
func (x *Matcher) Parent(beside uint16, exchange uint32) Ref {
	return x.laneOf(beside).parent(exchange)
}

// Event handles the next event and returns its matches in order, at least one. A batch, the end of
// a connection, and an id that is used again lead to several matches. They are valid until the next
// event. row is the row of the event, or None.
func (x *Matcher) Event(e *record.Event, row int32) []Match {
	if e.Kind == record.KindFrame {
		f := e.Frame
		f.Time, f.Envelope = e.Time, jsonrpc.Scan(f.Bytes)
		return x.Frame(e.ConnBeside(), &f, row, 0)
	}
	x.begin()
	l := x.laneOf(e.ConnBeside())
	switch {
	case e.Kind == record.KindConnection:
		x.connection(e)
	case e.Kind == record.KindProcess && e.Process.What == transport.ProcessExited:
		x.abandon(l, e)
	case e.Kind == record.KindHTTP:
		x.exchange(l, e)
	case e.Kind == record.KindEnded:
		x.lost(l, e)
	}
	if len(x.matches) == 0 {
		x.add(Match{Message: x.message(Message{Row: None, Time: e.Time})})
	}
	return x.matches
}

// Frame is like [Matcher.Event], but takes a frame whose Time and Envelope are set, so the frame is
// not scanned again. beside is the number of an additional connection, such as the connection of an
// app, or 0 for the session's.
func (x *Matcher) Frame(beside uint16, f *transport.Frame, row int32, ahead Ahead) []Match {
	x.begin()
	l := x.laneOf(beside)
	l.reuse()
	m := Message{Bytes: f.Bytes, Envelope: f.Envelope, Dir: f.Dir, Row: row, Time: f.Time, Exchange: f.Exchange, Ahead: ahead}
	if f.Envelope.Kind != jsonrpc.Batch {
		x.match(l, x.message(m))
		return x.matches
	}
	m.Ahead = 0
	n := 0
	for element := range jsonrpc.Elements(f.Bytes) {
		if n == maxElements {
			break
		}
		m.Bytes, m.Envelope, m.Element = element, jsonrpc.Scan(element), uint16(n)
		x.match(l, x.message(m))
		n++
	}
	return x.matches
}

// begin prepares the matcher for the next event.
func (x *Matcher) begin() {
	if cap(x.matches) > maxKept {
		x.messages, x.matches = nil, nil
	}
	x.messages, x.matches = x.messages[:0], x.matches[:0]
}

func (x *Matcher) message(m Message) *Message {
	x.messages = append(x.messages, m)
	return &x.messages[len(x.messages)-1]
}

func (x *Matcher) add(m Match) *Match {
	x.matches = append(x.matches, m)
	return &x.matches[len(x.matches)-1]
}

// match adds the match of a message.
func (x *Matcher) match(l *lane, message *Message) {
	m := l.Message(message)
	if m.Superseded != nil {
		x.endedWithout(l, m.Superseded, ByReuse, message)
	}
	switch {
	case m.Kind() == jsonrpc.Request && m.Dir == transport.In:
		m.Parent = l.parent(m.Exchange)
	case m.Kind() == jsonrpc.Request:
		l.sent(&m)
	case m.Ended != NotEnded && m.Kind() == jsonrpc.Notification:
		l.ended(m.Dir, &m)
	case m.Ended != NotEnded:
		l.ended(1-m.Dir, &m)
	}
	x.add(m)
	for _, f := range m.Rejected {
		l.ended(f.Dir, x.add(Match{
			Message: x.message(Message{Row: None, Dir: f.Dir, Time: message.Time}), Request: f.Ref, Flow: f, Method: f.Method,
			Before: Pending, State: Answered, Ended: ByResponse,
		}))
	}
}

// endedWithout adds the end of a pending request that no message announces.
func (x *Matcher) endedWithout(l *lane, f *Flow, why Why, at *Message) {
	m := x.add(Match{
		Message: x.message(Message{Row: None, Dir: f.Dir, Time: at.Time}), Request: f.Ref, Flow: f, Method: f.Method,
		Before: Pending, State: Abandoned, Ended: why,
	})
	l.ended(f.Dir, m)
}

// abandon ends the requests that can no longer get a response.
func (x *Matcher) abandon(l *lane, e *record.Event) {
	at := Message{Time: e.Time}
	l.abandon(e.Time, func(f *Flow) { x.endedWithout(l, f, ByClose, &at) })
	l.open, l.sum = 0, 0
}

func (x *Matcher) connection(e *record.Event) {
	c := e.Connection
	switch lane := x.beside[c.Number]; {
	case c.What == record.ConnectionReady:
	case c.What == record.ConnectionOpened && !c.Beside && c.Number != x.lane.conn:
		x.abandon(x.lane, e)
		x.lane = x.newLane(c.Number)
	case c.What == record.ConnectionOpened:
	case lane != nil:
		x.abandon(lane, e)
		delete(x.beside, c.Number)
	case c.Number == x.lane.conn && !c.Beside:
		x.abandon(x.lane, e)
	}
}

// exchange adds the match of a phase of an HTTP exchange.
func (x *Matcher) exchange(l *lane, e *record.Event) {
	r, ok := l.carried[e.Exchange.ID]
	if !ok {
		return
	}
	m := Match{Message: x.message(Message{Row: None, Dir: transport.Out, Time: e.Time}), Request: r}
	if e.Exchange.Phase == transport.ExchangeDone {
		delete(l.carried, e.Exchange.ID)
	}
	x.add(m)
}

// lost adds a match for a request that gets no response. No frame reports that.
func (x *Matcher) lost(l *lane, e *record.Event) {
	state := Abandoned
	if e.Ended.Cancelled {
		state = Cancelled
	}
	m := l.End(transport.Out, e.Ended.ID.Token(), state, e.Time)
	if m.Ended == NotEnded {
		return
	}
	m.Message = x.message(Message{Row: None, Dir: transport.Out, Time: e.Time})
	l.ended(transport.Out, x.add(m))
}
