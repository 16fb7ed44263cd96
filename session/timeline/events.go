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

// connect forgets what belongs to the connection before: ids start afresh.
func (t *Timeline) connect(conn uint16) {
	t.table, t.conn = flow.New(flow.Limits{}), conn
	t.open, t.calls, t.exchanges = map[*flow.Flow]int32{}, map[int32]bool{}, map[uint32]int32{}
}

// event takes an event into account. The caller holds the lock.
func (t *Timeline) event(e *record.Event, row int32) {
	at := e.Time.UnixNano()
	t.newest = max(t.newest, at)
	if row != store.None {
		t.rows = row + 1
		t.overview.add(at)
	}
	switch e.Kind {
	case record.KindFrame:
		t.frame(e, row)
	case record.KindConnection:
		t.connection(e.Connection, e.Time)
	case record.KindHTTP:
		t.exchange(e.Exchange)
	case record.KindProcess:
		if e.Process.What == transport.ProcessExited {
			t.abandon(e.Time)
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
		if m := t.table.End(transport.Out, []byte(e.Ended.ID), state, e.Time); m.Ended {
			t.end(t.indexOf(&m), state, at)
		}
	}
}

func (t *Timeline) connection(c *record.Connection, at time.Time) {
	switch c.What {
	case record.ConnectionOpened:
		if c.Number != t.conn {
			t.abandon(at)
			t.connect(c.Number)
		}
	case record.ConnectionClosed:
		if c.Number == t.conn {
			t.abandon(at)
		}
	}
}

// abandon ends the pending requests: no response can come any more.
func (t *Timeline) abandon(at time.Time) {
	t.table.Abandon(at, func(f *flow.Flow) {
		if i, ok := t.open[f]; ok {
			t.end(i, flow.Abandoned, at.UnixNano())
		}
	})
	clear(t.open)
	clear(t.calls)
}

func (t *Timeline) frame(e *record.Event, row int32) {
	f := &e.Frame
	if f.NonMessageEvent() {
		return
	}
	m := flow.Message{Bytes: f.Bytes, Envelope: jsonrpc.Scan(f.Bytes), Dir: f.Dir, Row: row, Time: e.Time, Exchange: f.Exchange}
	if m.Envelope.Kind != jsonrpc.Batch {
		t.message(&m)
		return
	}
	for element := range jsonrpc.Elements(f.Bytes) {
		m.Bytes, m.Envelope = element, jsonrpc.Scan(element)
		t.message(&m)
	}
}

func (t *Timeline) message(m *flow.Message) {
	match := t.table.Message(m)
	if old := match.Superseded; old != nil {
		if i, ok := t.open[old]; ok {
			t.end(i, flow.Abandoned, m.Time.UnixNano())
			delete(t.open, old)
		}
	}
	switch {
	case m.Envelope.Kind == jsonrpc.Request:
		t.request(match.Flow)
	case match.Row == flow.None:
	case m.Envelope.Kind == jsonrpc.Notification:
		if match.Acknowledged {
			return // the subscription lasts
		}
		i := t.indexOf(&match)
		if i == None {
			return
		}
		t.notified(i, m)
		if match.Ended {
			t.entries[i].timedOut = match.TimedOut
			t.end(i, match.State, m.Time.UnixNano())
		}
	default:
		t.responded(&match, m)
	}
}

// request adds a request.
func (t *Timeline) request(f *flow.Flow) {
	i := int32(len(t.entries))
	e := entry{
		start: f.Start.UnixNano(), row: f.Row, response: store.None, parent: None, previous: None, next: None, firstNested: None, nested: None, related: None,
		conn: t.conn, series: t.series.index(f), state: flow.Pending, dir: f.Dir, isSubscription: f.IsSubscription(),
	}
	if f.Dir == transport.In {
		e.parent = t.parentOf(f)
	}
	t.entries = append(t.entries, e)
	t.open[f] = i
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
		t.exchanges[f.Exchange] = i
	}
	if f.Method != "ping" && !e.isSubscription {
		t.calls[i] = true
	}
}

// parentOf is the request of the client in whose course the server sends one: that of
// the same HTTP exchange, otherwise the only one that is pending.
func (t *Timeline) parentOf(f *flow.Flow) int32 {
	if i, ok := t.exchanges[f.Exchange]; ok && f.Exchange != 0 {
		return i
	}
	if len(t.calls) == 1 {
		for i := range t.calls {
			return i
		}
	}
	return None
}

// indexOf is the entry of the request that a message belongs to; None without one.
func (t *Timeline) indexOf(m *flow.Match) int32 {
	if m.Flow != nil {
		if i, ok := t.open[m.Flow]; ok {
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
func (t *Timeline) responded(match *flow.Match, m *flow.Message) {
	if match.State != flow.Answered && match.State != flow.Late && match.State != flow.WithoutID {
		return
	}
	i := t.indexOf(match)
	if i == None || t.entries[i].response != store.None {
		return
	}
	e := &t.entries[i]
	e.response = m.Row
	e.isError = e.isError || m.Envelope.Kind == jsonrpc.ErrorResponse || match.IsToolError
	if match.Ended {
		t.end(i, flow.Answered, m.Time.UnixNano())
	} else {
		e.state = match.State
	}
	if match.Flow != nil {
		delete(t.open, match.Flow)
	}
}

// end ends the wait for a response.
func (t *Timeline) end(i int32, state flow.State, at int64) {
	if i == None || t.entries[i].end != 0 {
		return
	}
	e := &t.entries[i]
	e.end, e.state = max(at, e.start), state
	e.isError = e.isError || e.timedOut || state == flow.Abandoned
	delete(t.calls, i)
	if !e.isSubscription {
		t.series.add(e)
	}
}

// exchange takes note of the phases of the HTTP exchange that carries a request.
func (t *Timeline) exchange(x *transport.Exchange) {
	i, ok := t.exchanges[x.ID]
	if !ok {
		return
	}
	e := &t.entries[i]
	e.sent = microseconds(x.Start.UnixNano() - e.start)
	if x.Status != 0 {
		e.firstByte = microseconds(x.Start.Add(x.FirstByte).UnixNano() - e.start)
	}
	if x.Phase == transport.ExchangeDone {
		delete(t.exchanges, x.ID)
		if x.Failed {
			e.status, e.isError = uint16(x.Status), true
		}
	}
}

func microseconds(ns int64) uint32 {
	return uint32(min(max(ns/1000, 1), math.MaxUint32))
}
