package store

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
)

// apply adds an event other than a frame to the index, and returns its row, or None. at is the
// offset of the event in the journal, and size is its length in bytes without the newline. The
// caller holds the lock.
func (s *Store) apply(e *record.Event, at int64, size int) int32 {
	s.gen++
	s.matches = s.matcher.Event(e, None)
	for i := range s.matches {
		s.mark(&s.matches[i])
	}
	switch e.Kind {
	case record.KindConnection:
		s.connection(e.Connection, e.Time)
	case record.KindHTTP:
		s.frames.Exchange(e.Exchange)
		s.keepExchange(e.Exchange)
	case record.KindStderr:
		s.logs.add(Log{Time: e.Time, Source: LogStderr, Level: LevelNone, Row: None, Text: logText(e.Text)})
	case record.KindNote:
		s.noted(e, at, size)
	case record.KindMark:
		if !s.marks.beside {
			s.marks.set(*e.Mark)
		}
	case record.KindChange:
		s.changed(e, at, size)
	case record.KindDrift:
		s.drifted(e)
	}
	if !e.IsRow() {
		return None
	}
	return s.add(e, at, size)
}

// connOf returns the number of an event's connection. beside is the number of an additional connection, or 0.
func (s *Store) connOf(beside uint16) uint16 {
	if beside != 0 {
		return beside
	}
	return s.matcher.Conn()
}

// add adds the row of an event that is not a frame.
func (s *Store) add(e *record.Event, at int64, size int) int32 {
	if e.Kind == record.KindDelivery {
		i := s.keep(s.delivery(e, int32(s.rows.n), at, size))
		if text := e.Delivery.Trouble; text != "" {
			s.logs.add(Log{Time: e.Time, Source: LogNote, Level: LevelWarning, Row: i, Text: logText("webhook: " + text)})
		}
		return i
	}
	r := Row{Time: e.Time.UnixNano(), off: at, Pair: None, Conn: s.connOf(e.ConnBeside()), Kind: KindProcess, Dir: transport.In}
	if x := e.Exchange; x != nil {
		r.Time, r.code, r.Size = x.Start.UnixNano(), int64(x.Status), uint32(size)
		r.Method, r.Exchange, r.Kind, r.Dir = s.methods.index([]byte(x.Purpose)), x.ID, KindExchange, transport.Out
		if x.Failed {
			r.Dir, r.Time, r.cause = transport.In, e.Time.UnixNano(), s.sentWith(x.ID)+1
		}
	}
	if e.Process != nil && e.Process.Expected {
		r.Flags = Expected
	}
	i := s.keep(r)
	if r.Kind == KindProcess {
		s.exits[r.Conn] = i
	}
	return i
}

// keep adds a row that is not a frame.
func (s *Store) keep(r Row) int32 {
	s.counts.Rows++
	s.counts.Events++
	if r.IsError() {
		s.counts.Errors++
	}
	return s.rows.add(r)
}

// maxBetween bounds the rows between a request and the failure of its HTTP exchange.
const maxBetween = 1000

// sentWith returns the row of the frame that the client sent in an HTTP exchange.
func (s *Store) sentWith(exchange uint32) int32 {
	for i := int32(s.rows.n) - 1; i >= max(0, int32(s.rows.n)-maxBetween); i-- {
		if r := s.rows.at(i); r.Exchange == exchange && r.Dir == transport.Out && r.IsFrame() {
			return i
		}
	}
	return None
}

// noted handles a note. The note after the exit of a process is the body of the row of that exit.
func (s *Store) noted(e *record.Event, at int64, size int) {
	conn := s.connOf(e.ConnBeside())
	exit, ok := s.exits[conn]
	if !ok {
		level := LevelWarning
		if e.Level == record.LevelInfo {
			level = LevelInfo
		}
		s.logs.add(Log{Time: e.Time, Source: LogNote, Level: level, Row: None, Text: e.Text})
		return
	}
	s.rows.change(exit, func(r *Row) {
		r.off, r.Size = at+int64(size-len(e.Text)-len(`"}`)), uint32(len(e.Text))
	})
	delete(s.exits, conn)
}

// drifted records a difference between the server and a baseline. It goes into the log, and becomes
// the note of a row until the user replaces that note.
func (s *Store) drifted(e *record.Event) {
	if !s.marks.beside {
		s.marks.set(driftNote(e))
	}
	if int(e.Drift.Row) < s.rows.n {
		s.logs.add(Log{Time: e.Time, Source: LogNote, Level: LevelWarning, Row: e.Drift.Row, Text: "drift: " + logText(e.Text)})
	}
}

// maxConnections bounds the remembered connections.
const maxConnections = 1000

// Connection is one connection of the session.
type Connection struct {
	record.Connection           // newest change, merged with earlier ones
	Closed            time.Time // zero while the connection is open
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
		if len(s.conns) >= maxConnections {
			s.conns = append(s.conns[:0], s.conns[maxConnections/4:]...)
		}
		s.conns = append(s.conns, Connection{Connection: *c})
		if at, known := slices.BinarySearch(s.apps, c.Number); c.Transport == record.App && c.Beside && !known {
			s.apps = slices.Insert(s.apps, at, c.Number)
		}
		return
	}
	for i := range s.conns {
		now := &s.conns[i]
		if now.Number != c.Number {
			continue
		}
		if c.What != record.ConnectionReady {
			now.Closed = at
		}
		now.Update(c)
	}
}

// frame adds the row of a frame whose payload is at an offset of the journal. beside is the number of an
// additional connection, or 0 for the session's. The caller holds s.mu.
func (s *Store) frame(beside uint16, f *transport.Frame, off int64, b64 bool, ahead flow.Ahead) int32 {
	s.gen++
	conn := s.connOf(beside)
	delete(s.exits, conn)
	i := s.rows.add(s.row(conn, f, off, b64))
	s.counts.Rows++
	s.frames.Frame(f)
	s.deliveries.callbacks.Frame(f, i)
	s.matches = s.matcher.Frame(beside, f, i, ahead)
	for k := range s.matches {
		s.mark(&s.matches[k])
	}
	if r := s.rows.row(i); r.Dir == transport.In && r.Kind.IsResponse() && s.detects(i, r) {
		return i
	} else if r.IsError() {
		s.counts.Errors++
	}
	return i
}

// refused is the error response to server/discover at the start of a connection.
type refused struct {
	conn uint16
	row  int32
}

// detects reports whether a frame is an error response to server/discover that shows the era of the
// server. Such a response does not count as an error. A later result of initialize on the same
// connection confirms it.
func (s *Store) detects(i int32, r *Row) bool {
	method := ""
	if r.Pair != None {
		method = s.methods.list[s.rows.at(r.Pair).Method]
	}
	switch {
	case r.Kind == jsonrpc.ErrorResponse && !flow.IsFailure(r.Kind, method):
		s.refused = refused{r.Conn, i}
		return true
	case s.refused.row > 0 && s.refused.conn == r.Conn && r.Kind == jsonrpc.Response && method == "initialize":
		s.rows.change(s.refused.row, func(r *Row) { r.Flags |= Expected })
		s.refused = refused{}
	}
	return false
}

// row returns the row of a frame whose payload is at an offset.
func (s *Store) row(conn uint16, f *transport.Frame, off int64, b64 bool) Row {
	e := &f.Envelope
	r := RowOf(f)
	r.off, r.Conn, r.id = off, conn, newSpan(e.ID.Span())
	r.id.base64 = b64
	if len(s.apps) > 0 {
		_, r.App = slices.BinarySearch(s.apps, conn)
	}
	if f.Cause.Present() && int(f.Cause.Row()) < s.rows.n {
		r.cause = f.Cause.Row() + 1
	}
	if e.Method.Present() {
		r.Method = s.methods.index(e.MethodText(f.Bytes))
	}
	if f.Truncated {
		r.Flags |= Torn
	}
	if f.Side != transport.Both {
		r.Changed = changedSides[f.Side]
	}
	switch f.Side {
	case transport.Attached:
		r.Flags |= Attached
	case transport.Own:
		r.id.of |= ofTap
	}
	if f.Ending == "\r\n" {
		r.Flags |= OddEnding
	}
	if f.NonMessageEvent() {
		r.Flags |= OtherEvent
		if e.Kind == jsonrpc.Invalid {
			r.Method = s.methods.index([]byte(f.EventName)) // the event type, because it is not a message
		}
	}
	return r
}
