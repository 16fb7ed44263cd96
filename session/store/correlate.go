package store

import (
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/flow"
)

// Flow is a request and what has become of it; see [flow.Flow].
type Flow = flow.Flow

// correlate finds out how the frame of a new row belongs to those before it, and
// marks the rows.
func (s *Store) correlate(l *lane, i int32, f *transport.Frame) {
	m := flow.Message{Bytes: f.Bytes, Envelope: f.Envelope, Dir: f.Dir, Row: i, Time: f.Time, Exchange: f.Exchange}
	if f.Envelope.Kind != jsonrpc.Batch {
		s.message(l, &m)
		return
	}
	for element := range jsonrpc.Elements(f.Bytes) {
		m.Bytes, m.Envelope = element, jsonrpc.Scan(element)
		s.message(l, &m)
		if m.Element < math.MaxUint16 {
			m.Element++
		}
	}
}

// mark marks the rows that a message concerns.
func (s *Store) mark(l *lane, m *flow.Message, match *flow.Match) {
	row := s.rows.row(m.Row)
	if m.Dir == transport.In && row.Flags&OtherEvent == 0 {
		s.logMessage(row, m)
	}
	switch kind := m.Envelope.Kind; {
	case kind == jsonrpc.Request:
		s.requested(l, row, match)
	case kind == jsonrpc.Notification:
		s.notified(l, row, match)
	case kind.IsResponse() || match.Row != None:
		s.responded(l, m.Row, kind.IsResponse(), match)
	}
}

func (s *Store) requested(l *lane, row *Row, match *flow.Match) {
	if match.Reused {
		row.Flags |= DuplicateID
	}
	if f := match.Superseded; f != nil {
		s.ended(l, f.Row)
	}
	row.Flags |= Pending
	if row.Kind == jsonrpc.Batch {
		l.inBatch[match.Row]++
	}
}

func (s *Store) notified(l *lane, row *Row, match *flow.Match) {
	if match.Row == None {
		return
	}
	row.Cause = match.Row
	if match.Ended {
		s.withdraw(l, match)
	}
	if match.Acknowledged {
		s.rows.change(match.Row, func(r *Row) {
			if r.Flags&Pending != 0 {
				r.Flags |= Acknowledged
			}
		})
	}
}

// responded marks the row of a response, and ties it to that of its request.
func (s *Store) responded(l *lane, i int32, isResponse bool, match *flow.Match) {
	row := s.rows.row(i)
	switch match.State {
	case flow.WithoutID:
		row.Flags |= NoID
	case flow.Unmatched:
		row.Flags |= UnknownID
	case flow.Duplicate:
		row.Flags |= DuplicateResponse
	}
	if isResponse && match.Before.IsLost() {
		row.Flags |= Late
	}
	if match.IsToolError {
		row.Flags |= ToolError
	}
	if match.Row == None {
		return
	}
	row.Pair = match.Row
	method := uint16(0)
	s.rows.change(match.Row, func(r *Row) {
		if match.State != flow.Duplicate {
			r.Pair = i
		}
		method = r.Method
	})
	if isResponse {
		row.Method = method
	}
	if match.Ended {
		s.ended(l, match.Row)
	}
}

// ended marks a row one of whose requests is no longer pending.
func (s *Store) ended(l *lane, row int32) {
	if n := l.inBatch[row]; n > 1 {
		l.inBatch[row] = n - 1
		return
	}
	delete(l.inBatch, row)
	s.rows.change(row, func(r *Row) { r.Flags &^= Pending })
}

// withdraw marks the row of a request that gets no response.
func (s *Store) withdraw(l *lane, match *flow.Match) {
	why := Abandoned
	if match.State == flow.Cancelled {
		why = Cancelled
	}
	if match.TimedOut {
		why |= TimedOut
	}
	s.rows.change(match.Row, func(r *Row) { r.Flags |= why })
	s.ended(l, match.Row)
}

// abandon marks what can have no response any more.
func (s *Store) abandon(l *lane, at time.Time) {
	l.flows.Abandon(at, func(f *Flow) {
		s.rows.change(f.Row, func(r *Row) { r.Flags = r.Flags&^Pending | Abandoned })
		s.endedWithout(l, f, ByClose)
	})
	l.calls = calls{}
	clear(l.inBatch)
}

// Pending returns the requests without a response, oldest first, at most so
// many. Subscriptions are not among them. The caller owns the result.
func (s *Store) Pending(most int) []Flow {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var waiting []Flow
	for f := range s.lane.flows.Pending() {
		if len(waiting) == most {
			break
		}
		if !f.IsSubscription() {
			waiting = append(waiting, *f)
		}
	}
	return waiting
}

// Related returns the rows of one exchange around a row: the request and its
// response.
func (s *Store) Related(i int32) (request, answer int32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return None, None
	}
	row := s.rows.at(i)
	switch {
	case row.Kind == jsonrpc.Request:
		return i, row.Pair
	case row.Cause != None:
		return row.Cause, s.rows.at(row.Cause).Pair
	case row.Pair != None:
		return row.Pair, i
	}
	return None, None
}

// RequestRow finds the newest request that a side sent under a raw id on the
// current connection; None without one, or when it was too long ago.
func (s *Store) RequestRow(dir transport.Direction, id string) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lane.flows.RowOf(dir, []byte(id))
}
