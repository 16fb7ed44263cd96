package store

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
)

// apply takes an event other than a frame into the index. It is in the journal at
// an offset, with so many bytes and without its newline. The caller holds the lock.
func (s *Store) apply(e *record.Event, at int64, size int) {
	s.begin()
	l := s.laneOf(e)
	switch e.Kind {
	case record.KindConnection:
		s.connection(e.Connection, e.Time)
	case record.KindHTTP:
		s.keepExchange(e.Exchange)
		s.exchanged(l, e.Exchange)
	case record.KindProcess:
		if e.Process.What == transport.ProcessStarted {
			l.started = e.Time
		}
		if e.Process.What == transport.ProcessExited {
			s.abandon(l, e.Time)
		}
	case record.KindStderr:
		s.logs.add(Log{Time: e.Time, Source: LogStderr, Level: LevelNone, Row: None, Text: e.Text[:min(len(e.Text), logTextSize)]})
	case record.KindNote:
		s.noted(l, e, at, size)
	case record.KindMark:
		if !s.marks.beside {
			s.marks.set(*e.Mark)
		}
	case record.KindChange:
		s.changed(e, at, size)
	case record.KindEnded:
		l.requestEnded(s, e.Ended, e.Time)
	}
	if e.IsRow() {
		s.add(l, e, at, size)
	}
}

// add adds the row of an event that is not a frame.
func (s *Store) add(l *lane, e *record.Event, at int64, size int) {
	r := Row{Time: e.Time.UnixNano(), Pair: None, Cause: None, Conn: l.conn, Kind: KindProcess, Dir: transport.In}
	if x := e.Exchange; x != nil {
		r.Time, r.Code, r.off, r.Size = x.Start.UnixNano(), int64(x.Status), at, uint32(size)
		r.Method, r.Exchange, r.Kind, r.Dir = s.methods.index([]byte(x.Purpose)), x.ID, KindExchange, transport.Out
		if x.Failed {
			r.Dir, r.Time, r.Cause = transport.In, e.Time.UnixNano(), s.sentWith(x.ID)
		}
	}
	if e.Process != nil && e.Process.Expected {
		r.Flags = Expected
	}
	i := s.rows.add(r)
	s.counts.Rows++
	if r.Kind == KindProcess {
		l.exit = i
	}
}

// maxBetween is how many rows there may be between a request and the failure of its
// HTTP exchange.
const maxBetween = 1000

// sentWith finds the row of the frame that the client sent with an HTTP exchange.
func (s *Store) sentWith(exchange uint32) int32 {
	for i := int32(s.rows.n) - 1; i >= max(0, int32(s.rows.n)-maxBetween); i-- {
		if r := s.rows.at(i); r.Exchange == exchange && r.Dir == transport.Out && r.IsFrame() {
			return i
		}
	}
	return None
}

// noted takes a note into account. The one that follows the exit of a process is
// the body of that row.
func (s *Store) noted(l *lane, e *record.Event, at int64, size int) {
	if l.exit == None {
		s.logs.add(Log{Time: e.Time, Source: LogNote, Level: LevelWarning, Row: None, Text: e.Text})
		return
	}
	s.rows.change(l.exit, func(r *Row) {
		r.off, r.Size = at+int64(size-len(e.Text)-len(`"}`)), uint32(len(e.Text))
	})
	l.exit = None
}

// maxConnections is how many connections are remembered.
const maxConnections = 1000

// Connection is one connection of the session.
type Connection struct {
	record.Connection               // the newest change, with what earlier ones said
	Opened, Ready, Closed time.Time // zero before
	Row                   int32     // the first of its rows
}

// Connections returns the newest connections, oldest first. The caller owns the
// slice.
func (s *Store) Connections() []Connection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]Connection(nil), s.conns...)
}

func (s *Store) connection(c *record.Connection, at time.Time) {
	if c.What == record.ConnectionOpened {
		if !c.Beside && c.Number != s.lane.conn {
			s.abandon(s.lane, at)
			s.lane = newLane(c.Number)
		}
		if len(s.conns) >= maxConnections {
			s.conns = append(s.conns[:0], s.conns[maxConnections/4:]...)
		}
		s.conns = append(s.conns, Connection{Connection: *c, Opened: at, Row: int32(s.counts.Rows)})
		return
	}
	if c.What == record.ConnectionClosed {
		s.connectionClosed(c, at)
	}
	for i := range s.conns {
		if now := &s.conns[i]; now.Number == c.Number {
			now.change(c, at)
		}
	}
}

// connectionClosed ends the wait for responses on a connection.
func (s *Store) connectionClosed(c *record.Connection, at time.Time) {
	switch l := s.beside[c.Number]; {
	case l != nil:
		s.abandon(l, at)
		delete(s.beside, c.Number)
	case c.Number == s.lane.conn && !c.Beside:
		s.abandon(s.lane, at)
	}
}

// change takes a later change into account.
func (now *Connection) change(c *record.Connection, at time.Time) {
	now.What = c.What
	if c.What == record.ConnectionReady {
		now.Ready, now.Transport, now.Revision, now.Server = at, c.Transport, c.Revision, c.Server
	} else {
		now.Closed, now.Reason = at, c.Reason
	}
}

// requestEnded ends the wait for a response of which no frame says so.
func (l *lane) requestEnded(s *Store, e *record.Ended, at time.Time) {
	why := flow.Abandoned
	if e.Cancelled {
		why = flow.Cancelled
	}
	found := l.flows.End(transport.Out, []byte(e.ID), why, at)
	if !found.Ended {
		return
	}
	s.withdraw(l, &found)
	m := plainMatch()
	m.Request, m.Before, m.State, m.Ended, m.Method = found.Ref, found.Before, why, ByLoss, found.Method
	if e.Cancelled {
		m.Ended = ByCancel
	}
	l.calls.end(&m)
	s.match(&m)
}

// frame adds the row of a frame whose payload is at an offset of the journal. The
// caller holds the lock.
func (s *Store) frame(l *lane, f *transport.Frame, off int64, b64 bool) int32 {
	s.begin()
	l.exit = None
	i := s.rows.add(s.row(l, f, off, b64))
	s.count(f)
	s.correlate(l, i, f)
	if s.rows.row(i).IsError() {
		s.counts.Errors++
	}
	return i
}

// row returns the row of a frame whose payload is at an offset.
func (s *Store) row(l *lane, f *transport.Frame, off int64, b64 bool) Row {
	e := &f.Envelope
	r := Row{
		Time: f.Time.UnixNano(), Code: e.Code, off: off, base64: b64,
		Size: uint32(min(len(f.Bytes), 1<<32-1)), Pair: None, Cause: None,
		id: newSpan(e.ID), Method: s.methods.index(e.Method.Of(f.Bytes)),
		Exchange: f.Exchange, Conn: l.conn, Flaws: e.Flaws,
		Kind: e.Kind, IDType: e.IDType, Fault: e.Fault, Dir: f.Dir,
	}
	if f.Truncated {
		r.Flags |= Torn
	}
	if f.Side != transport.Both {
		r.Changed = changedSides[f.Side]
	}
	if f.Ending == "\r\n" {
		r.Flags |= OddEnding
	}
	if f.NonMessageEvent() {
		r.Flags |= OtherEvent
		if e.Kind == jsonrpc.Invalid {
			r.Method = s.methods.index([]byte(f.EventName)) // what it is, as it is no message
		}
	}
	return r
}

func (s *Store) count(f *transport.Frame) {
	s.counts.Rows++
	if f.Side == transport.Withheld {
		return // it was on no wire
	}
	s.counts.Bytes += int64(len(f.Bytes))
	if f.Dir == transport.Out {
		s.counts.Out++
	} else {
		s.counts.In++
	}
}
