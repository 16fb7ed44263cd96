package store

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/record/flow"
)

// maxHops is the maximum number of steps from a row to its root: response, request, call. The cause
// of a request or a batch is already a root; see [Store.under].
const maxHops = 3

// root returns the row that a row is displayed under: the first request that it belongs to, or the
// row itself. The root is always earlier, so it is known when the row is appended. It does not
// change. The caller holds s.mu.
func (s *Store) root(i int32) int32 {
	for range maxHops {
		r := s.rows.at(i)
		switch {
		case r.cause != 0 && r.cause-1 < i:
			i = r.cause - 1
		case r.Pair != None && r.Pair < i:
			i = r.Pair
		default:
			return i
		}
	}
	return i
}

// Root returns the first row of the exchange to which a row belongs, or None if there is no such row.
func (s *Store) Root(i int32) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return None
	}
	return s.root(i)
}

// Roots appends the roots of up to n rows, starting with the row from.
func (s *Store) Roots(dst []int32, from int32, n int) []int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for end := min(int(from)+n, s.rows.n); int(from) < end; from++ {
		dst = append(dst, s.root(from))
	}
	return dst
}

// RowsOf returns the first rows of the exchange with a root, at most most of them. It may take
// long.
func (s *Store) RowsOf(root int32, most int) (rows []int32) {
	var roots []int32
	for from := root; len(rows) < most; from += int32(len(roots)) {
		if roots = s.Roots(roots[:0], from, 4096); len(roots) == 0 {
			break
		}
		for i, of := range roots {
			if of == root && len(rows) < most {
				rows = append(rows, from+int32(i))
			}
		}
	}
	return rows
}

// goesOn links a request to the root of the exchange that it continues. A request for an app's
// message already has a cause. The caller holds s.mu.
func (s *Store) goesOn(row *Row, m *flow.Match) {
	if s.under(row, m.Row, m.Parent) {
		s.newest(row.cause-1, m.Row)
	}
}

// under links a row without a cause to the root of an earlier row. The caller holds the lock.
func (s *Store) under(row *Row, i int32, of flow.Ref) bool {
	if row.cause != 0 || !of.Present() || of.Row() >= i {
		return false
	}
	row.cause = s.root(of.Row()) + 1
	return true
}

// methodProgress is the method of notifications that a [Flow] summarizes, because a request may
// have very many.
const methodProgress = "notifications/progress"

// newest records the newest row of an exchange other than its response and progress. It stores the
// number in the cause of the root, because a root has no cause. The caller holds s.mu.
func (s *Store) newest(root, row int32) {
	s.rows.change(root, func(r *Row) {
		if r.Kind == jsonrpc.Request && (r.cause == 0 || r.cause-1 > root) {
			r.cause = row + 1
		}
	})
}

// Request returns the row of the request that a response, a notification, a failed HTTP exchange or a delivery
// belongs to. It returns None if there is no such request, or if the row is itself a request.
func (r *Row) Request() int32 {
	switch {
	case r.Kind.IsResponse():
		return r.Pair
	case r.Kind == jsonrpc.Notification, r.Kind == KindExchange, r.Kind == KindDelivery:
		return r.cause - 1
	}
	return None
}

// SentFor returns the row of the message that caused a request: a message of an app on another
// connection, or the first request of the exchange that the request continues. i is the number of
// the row itself. SentFor returns None if there is no such message.
func (r *Row) SentFor(i int32) int32 {
	if r.Kind == jsonrpc.Request && r.cause-1 < i {
		return r.cause - 1
	}
	return None
}

// Newest returns the newest row of an exchange other than its responses and progress, or None. r is the root of
// the exchange and i its number.
func (r *Row) Newest(i int32) int32 {
	if r.Kind == jsonrpc.Request && r.cause-1 > i {
		return r.cause - 1
	}
	return None
}

// AsksInput reports whether the row is a result that requests input. The client must then send the
// request again with the input.
func (r *Row) AsksInput() bool { return r.id.of&asksInput != 0 }

// HasOtherResponse reports whether the row is the root of an exchange with a late or repeated
// response.
func (r *Row) HasOtherResponse() bool { return r.id.of&otherResponse != 0 }

// FlowOf returns the request in a row while the request is pending and held.
func (s *Store) FlowOf(row int32) (Flow, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for f := range s.matcher.Table().PendingAfter(row - 1) {
		if f.Row() == row {
			return *f, true
		}
		break
	}
	return Flow{}, false
}

// A Series identifies consecutive exchanges that are equal except for their ids. It is made from
// the connection, and the kind, the direction and the method of the first frame. It is 0 for a row
// that is not a root, for a message whose method does not describe it completely, and for rows that
// need individual attention; see [repeats].
type Series uint64

// EventSeries is the series of a root that is not a frame.
const EventSeries Series = 1

// AppendSeries appends the series of consecutive rows, starting with the row from. roots holds their roots.
func (s *Store) AppendSeries(dst []Series, from int32, roots []int32) []Series {
	s.mu.RLock()
	defer s.mu.RUnlock()
	method, same := uint16(0), repeats(s.methods.list[0]) // the method that was examined last
	for i, root := range roots {
		row, of := from+int32(i), Series(0)
		if root != row {
			dst = append(dst, of)
			continue
		}
		r := s.rows.at(row)
		if !r.IsFrame() {
			dst = append(dst, EventSeries)
			continue
		}
		if r.Method != method {
			method, same = r.Method, repeats(s.methods.list[r.Method])
		}
		if same && !r.App && (r.Kind == jsonrpc.Request || r.Kind == jsonrpc.Notification) {
			of = Series(r.Kind)<<48 | Series(r.Dir)<<40 | Series(r.Method)<<16 | Series(r.Conn)
		}
		dst = append(dst, of)
	}
	return dst
}

// repeats reports whether messages with this method are equal except for their ids, or are pages of
// one list. Clients send them repeatedly without the user.
func repeats(method string) bool {
	return method == "ping" || strings.HasSuffix(method, "/list") || strings.HasSuffix(method, "/list_changed")
}
