package store

import (
	"math"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/flow"
)

// Flow is a request with its outcome; see [flow.Flow].
type Flow = flow.Flow

// Match is a message with the request that it belongs to; see [flow.Match].
type Match = flow.Match

// OnlyCall returns the pending request that the client has sent for the user. ok is false unless
// there is exactly one. Over stdio, this is the only way to find the call that a server request
// belongs to.
func OnlyCall(pending []Flow) (call Flow, ok bool) {
	for _, f := range pending {
		if f.Dir != transport.Out || strings.HasSuffix(f.Method, "/list") {
			continue
		}
		if ok {
			return Flow{}, false
		}
		call, ok = f, true
	}
	return call, ok
}

// mark sets the flags of the rows in a match. The caller holds the lock.
func (s *Store) mark(m *Match) {
	if m.IsMessage() {
		row := s.rows.row(m.Row)
		if m.Dir == transport.In && row.Flags&OtherEvent == 0 {
			s.logMessage(row, m.Message)
		}
		switch kind := m.Kind(); {
		case kind == jsonrpc.Request:
			row.Flags |= Pending
			s.goesOn(row, m)
			if m.Reused {
				row.Flags |= DuplicateID
			}
			if row.pending < math.MaxUint16 {
				row.pending++
			}
		case !m.Request.Present() && !kind.IsResponse():
		case kind == jsonrpc.Notification:
			s.notified(row, m)
		default:
			s.responded(row, m)
		}
	}
	if m.Ended != flow.NotEnded {
		s.rows.change(m.Request.Row(), func(r *Row) { r.ended(m.Ended) })
	}
}

// notified links the row of a notification to the row of its request.
func (s *Store) notified(row *Row, m *Match) {
	if row.Kind == jsonrpc.Batch {
		s.under(row, m.Row, m.Request)
	} else {
		row.cause = m.Request.Row() + 1
	}
	if s.methods.list[row.Method] != methodProgress {
		s.newest(s.root(m.Request.Row()), m.Row)
	}
	if m.Acknowledged {
		s.rows.change(m.Request.Row(), func(r *Row) {
			if r.Flags&Pending != 0 {
				r.Flags |= Acknowledged
			}
		})
	}
}

// responseFlags maps the state of a response to the flags of its row.
var responseFlags = map[flow.State]Flags{flow.WithoutID: NoID, flow.Unmatched: UnknownID, flow.Duplicate: DuplicateResponse}

// responded marks the row of a response, and links it to the row of its request.
func (s *Store) responded(row *Row, m *Match) {
	isResponse := m.Kind().IsResponse() // otherwise the response is malformed
	row.Flags |= responseFlags[m.State]
	if isResponse && m.Before.IsLost() {
		row.Flags |= Late
	}
	if m.ToolError {
		row.Flags |= ToolError
	}
	if m.AsksInput {
		row.id.of |= asksInput
	}
	if !m.Request.Present() {
		return
	}
	row.Pair = m.Request.Row()
	if row.Kind == jsonrpc.ErrorResponse && row.Flaws&jsonrpc.FlawNoID == 0 {
		row.Flags &^= NoID // an HTTP response with the id null may reject the request of its exchange
	}
	if row.Kind == jsonrpc.Batch {
		s.under(row, m.Row, m.Request)
	}
	if row.Flags&(DuplicateResponse|Late) != 0 {
		s.rows.change(s.root(row.Pair), func(r *Row) { r.id.of |= otherResponse })
	}
	method := uint16(0)
	s.rows.change(m.Request.Row(), func(r *Row) {
		if m.State != flow.Duplicate && (r.Pair == None || r.Pair >= m.Request.Row()) { // a batch of both kinds keeps its root
			r.Pair = m.Row
		}
		method = r.Method
	})
	if isResponse {
		row.Method = method
	}
}

// endFlags maps the end of a request without a response to the flags of its row.
var endFlags = [...]Flags{flow.ByCancel: Cancelled, flow.ByTimeout: Cancelled | TimedOut, flow.ByLoss: Abandoned, flow.ByClose: Abandoned}

// ended updates the row when one of its requests has ended.
func (r *Row) ended(why flow.Why) {
	r.Flags |= endFlags[why]
	if r.pending > 1 && why != flow.ByClose {
		r.pending--
		return
	}
	r.pending = 0
	r.Flags &^= Pending
}

// Pending returns the oldest requests without a response, oldest first, and at most most of them.
// It leaves out subscriptions. The caller owns the result.
func (s *Store) Pending(most int) []Flow {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var waiting []Flow
	for f := range s.matcher.Table().Pending() {
		if len(waiting) == most {
			break
		}
		if !f.IsSubscription() {
			waiting = append(waiting, *f)
		}
	}
	return waiting
}

// Related returns the rows of the request and the response that a row belongs to.
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
	case row.Request() != None && row.Pair == None:
		return row.Request(), s.rows.at(row.Request()).Pair
	case row.Pair != None:
		return row.Pair, i
	}
	return None, None
}

// RequestRow returns the row of the newest request that a side sent with an id on the current
// connection. It returns None if there was no such request recently.
func (s *Store) RequestRow(dir transport.Direction, id jsonrpc.ID) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.matcher.Table().RowOf(dir, id.Token())
}
