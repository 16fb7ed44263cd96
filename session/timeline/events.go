package timeline

import (
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
	"mcptea/session/store"
)

// laneOf is the lane of an event.
func (t *Timeline) laneOf(e *record.Event) *lane {
	if !e.Beside {
		return t.lane
	}
	l := t.beside[e.Conn]
	if l == nil {
		l = newLane(e.Conn)
		t.beside[e.Conn] = l
	}
	return l
}

// event takes an event into account. The caller holds the lock.
func (t *Timeline) event(e *record.Event, row int32) {
	at, l := e.Time.UnixNano(), t.laneOf(e)
	t.newest = max(t.newest, at)
	if row != store.None {
		t.rows = row + 1
		t.overview.add(at)
	}
	switch e.Kind {
	case record.KindFrame:
		t.frame(l, e, row)
	case record.KindConnection:
		t.connection(l, e)
	case record.KindHTTP:
		t.exchange(l, e.Exchange)
	case record.KindProcess:
		if e.Process.What == transport.ProcessExited {
			t.abandon(l, e.Time)
		}
	case record.KindStderr:
		t.lineCount++
		if len(t.lines) == 2*maxLines {
			t.lines = append(t.lines[:0], t.lines[maxLines:]...)
		}
		t.lines = append(t.lines, at)
	case record.KindEnded:
		state := flow.Abandoned
		if e.Ended.Cancelled {
			state = flow.Cancelled
		}
		if m := l.table.End(transport.Out, []byte(e.Ended.ID), state, e.Time); m.Ended {
			t.end(l, t.indexOf(l, &m), state, at)
		}
	}
}

// connection takes note of a change of a connection. Ids start afresh with a new one.
func (t *Timeline) connection(l *lane, e *record.Event) {
	switch e.Connection.What {
	case record.ConnectionOpened:
		if !e.Beside && e.Connection.Number != l.conn {
			t.abandon(l, e.Time)
			t.lane = newLane(e.Connection.Number)
		}
	case record.ConnectionClosed:
		if e.Connection.Number == l.conn {
			t.abandon(l, e.Time)
			delete(t.beside, l.conn)
		}
	}
}

// abandon ends the pending requests: no response can come any more.
func (t *Timeline) abandon(l *lane, at time.Time) {
	l.table.Abandon(at, func(f *flow.Flow) {
		if i, ok := l.open[f]; ok {
			t.end(l, i, flow.Abandoned, at.UnixNano())
		}
	})
	clear(l.open)
	clear(l.calls)
}

func (t *Timeline) frame(l *lane, e *record.Event, row int32) {
	f := &e.Frame
	if f.NonMessageEvent() {
		return
	}
	m := flow.Message{Bytes: f.Bytes, Envelope: jsonrpc.Scan(f.Bytes), Dir: f.Dir, Row: row, Time: e.Time, Exchange: f.Exchange}
	if m.Envelope.Kind != jsonrpc.Batch {
		t.message(l, &m)
		return
	}
	for element := range jsonrpc.Elements(f.Bytes) {
		m.Bytes, m.Envelope = element, jsonrpc.Scan(element)
		t.message(l, &m)
	}
}

func (t *Timeline) message(l *lane, m *flow.Message) {
	match := l.table.Message(m)
	if old := match.Superseded; old != nil {
		if i, ok := l.open[old]; ok {
			t.end(l, i, flow.Abandoned, m.Time.UnixNano())
			delete(l.open, old)
		}
	}
	switch {
	case m.Envelope.Kind == jsonrpc.Request:
		t.request(l, match.Flow)
	case match.Row == flow.None:
	case m.Envelope.Kind == jsonrpc.Notification:
		if match.Acknowledged {
			return // the subscription lasts
		}
		i := t.indexOf(l, &match)
		if i == None {
			return
		}
		t.notified(i, m)
		if match.Ended {
			t.entries[i].timedOut = match.TimedOut
			t.end(l, i, match.State, m.Time.UnixNano())
		}
	default:
		t.responded(l, &match, m)
	}
}

// request adds a request.
func (t *Timeline) request(l *lane, f *flow.Flow) {
	i := int32(len(t.entries))
	e := entry{
		start: f.Start.UnixNano(), row: f.Row, response: store.None, parent: None, previous: None, next: None, firstNested: None, nested: None, related: None,
		conn: l.conn, series: t.series.index(f), state: flow.Pending, dir: f.Dir, isSubscription: f.IsSubscription(),
	}
	if f.Dir == transport.In {
		e.parent = t.parentOf(l, f)
	}
	t.entries = append(t.entries, e)
	l.open[f] = i
	switch p := e.parent; {
	case p == None:
		t.top = append(t.top, i)
	case t.entries[p].nested == None:
		t.entries[p].firstNested, t.entries[p].nested = i, i
	default:
		t.entries[i].previous = t.entries[p].nested
		t.entries[t.entries[p].nested].next = i
		t.entries[p].nested = i
	}
	if f.Dir == transport.In {
		return
	}
	if f.Exchange != 0 {
		l.exchanges[f.Exchange] = i
	}
	if f.Method != "ping" && !e.isSubscription {
		l.calls[i] = true
	}
}

// parentOf is the request of the client in whose course the server sends one: that of
// the same HTTP exchange, otherwise the only one that is pending.
func (t *Timeline) parentOf(l *lane, f *flow.Flow) int32 {
	if i, ok := l.exchanges[f.Exchange]; ok && f.Exchange != 0 {
		return i
	}
	if len(l.calls) == 1 {
		for i := range l.calls {
			return i
		}
	}
	return None
}

// indexOf is the entry of the request that a message belongs to; None without one.
func (t *Timeline) indexOf(l *lane, m *flow.Match) int32 {
	if m.Flow != nil {
		if i, ok := l.open[m.Flow]; ok {
			return i
		}
	}
	return t.ofRow(m.Row)
}

// maxNotifications is how many notifications are remembered with their requests.
const maxNotifications = 2_000_000

func (t *Timeline) notified(i int32, m *flow.Message) {
	if len(t.notifications) >= maxNotifications {
		return
	}
	t.notifications = append(t.notifications, notification{at: m.Time.UnixNano(), row: m.Row, prev: t.entries[i].related})
	t.entries[i].related = int32(len(t.notifications) - 1)
}

// responded ends a request with its first response.
func (t *Timeline) responded(l *lane, match *flow.Match, m *flow.Message) {
	if match.State != flow.Answered && match.State != flow.Late && match.State != flow.WithoutID {
		return
	}
	i := t.indexOf(l, match)
	if i == None || t.entries[i].response != store.None {
		return
	}
	e := &t.entries[i]
	e.response = m.Row
	e.isError = e.isError || m.Envelope.Kind == jsonrpc.ErrorResponse || match.IsToolError
	if match.Ended {
		t.end(l, i, flow.Answered, m.Time.UnixNano())
	} else {
		e.state = match.State
	}
	if match.Flow != nil {
		delete(l.open, match.Flow)
	}
}

// end ends the wait for a response.
func (t *Timeline) end(l *lane, i int32, state flow.State, at int64) {
	if i == None || t.entries[i].end != 0 {
		return
	}
	e := &t.entries[i]
	e.end, e.state = max(at, e.start), state
	e.isError = e.isError || e.timedOut || state == flow.Abandoned
	delete(l.calls, i)
	if !e.isSubscription {
		t.series.add(e)
	}
}

// exchange takes note of the phases of the HTTP exchange that carries a request.
func (t *Timeline) exchange(l *lane, x *transport.Exchange) {
	i, ok := l.exchanges[x.ID]
	if !ok {
		return
	}
	e := &t.entries[i]
	e.sent = microseconds(x.Start.UnixNano() - e.start)
	if x.Status != 0 {
		e.firstByte = microseconds(x.Start.Add(x.FirstByte).UnixNano() - e.start)
	}
	if x.Phase == transport.ExchangeDone {
		delete(l.exchanges, x.ID)
		if x.Failed {
			e.status, e.isError = uint16(x.Status), true
		}
	}
}

func microseconds(ns int64) uint32 {
	return uint32(min(max(ns/1000, 1), math.MaxUint32))
}
