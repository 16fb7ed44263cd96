package store

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/record/flow"
)

// maxHops is how many steps lead from a row to its root: response, request, call. The cause of a request
// and of a batch is a root already; see [Store.under].
const maxHops = 3

// root returns the row that a row is shown under: the first request that it belongs to, and the row
// itself when it belongs to none. It is always the earlier one of what belongs together, so that it
// is known when the row is appended, and stays. The caller holds the lock.
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

// Root returns the first row of the exchange that a row is part of; None if there is no such row.
func (s *Store) Root(i int32) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return None
	}
	return s.root(i)
}

// Roots appends the roots of so many rows from one, as far as there are rows.
func (s *Store) Roots(dst []int32, from int32, n int) []int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for end := min(int(from)+n, s.rows.n); int(from) < end; from++ {
		dst = append(dst, s.root(from))
	}
	return dst
}

// RowsOf returns the rows of the exchange of a root, the first ones of at most so many. It may take long.
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

// goesOn ties a request to the root of what it goes on with: that of a message of an app is given. The
// caller holds the lock.
func (s *Store) goesOn(row *Row, m *flow.Match) {
	if s.under(row, m.Row, m.Parent) {
		s.newest(row.cause-1, m.Row)
	}
}

// under ties a row without a cause to the root of an earlier one. The caller holds the lock.
func (s *Store) under(row *Row, i int32, of flow.Ref) bool {
	if row.cause != 0 || !of.Present() || of.Row() >= i {
		return false
	}
	row.cause = s.root(of.Row()) + 1
	return true
}

// methodProgress is of notifications that a [Flow] remembers: there may be very many of a request.
const methodProgress = "notifications/progress"

// newest notes the newest row of an exchange beside its response and its progress: it is the cause of
// the root, which has none itself. The caller holds the lock.
func (s *Store) newest(root, row int32) {
	s.rows.change(root, func(r *Row) {
		if r.Kind == jsonrpc.Request && (r.cause == 0 || r.cause-1 > root) {
			r.cause = row + 1
		}
	})
}

// Request returns the row of the request that a response, a notification, the failure of an HTTP exchange or a
// delivery belongs to; None without one, and of a request.
func (r *Row) Request() int32 {
	switch {
	case r.Kind.IsResponse():
		return r.Pair
	case r.Kind == jsonrpc.Notification, r.Kind == KindExchange, r.Kind == KindDelivery:
		return r.cause - 1
	}
	return None
}

// SentFor returns the row of the message that a request is sent for: that of an app on another
// connection, or the first request of the exchange that it goes on with. i is its own row; None without
// one.
func (r *Row) SentFor(i int32) int32 {
	if r.Kind == jsonrpc.Request && r.cause-1 < i {
		return r.cause - 1
	}
	return None
}

// Newest returns the newest row of an exchange beside its responses and its progress: i is the row
// of its root, which r is. None without one.
func (r *Row) Newest(i int32) int32 {
	if r.Kind == jsonrpc.Request && r.cause-1 > i {
		return r.cause - 1
	}
	return None
}

// AsksInput reports a result that asks for input, with which the client must send the request again.
func (r *Row) AsksInput() bool { return r.id.of&asksInput != 0 }

// HasOtherResponse reports the root of an exchange with a response that is late, or not the first one of
// its request.
func (r *Row) HasOtherResponse() bool { return r.id.of&otherResponse != 0 }

// FlowOf returns the request of a row while it is pending and held.
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

// Series is what the exchanges of roots after one another have in common that are the same except for
// their ids: the kind, the direction and the method of the first frame, and its connection. 0 is that of
// a row that is not a root, of a notification or request that its method does not say all of, and of
// what needs a look of its own: see [repeats].
type Series uint64

// EventSeries is on a root that is not a frame.
const EventSeries Series = 1

// AppendSeries appends the series of the rows from one, whose roots are given.
func (s *Store) AppendSeries(dst []Series, from int32, roots []int32) []Series {
	s.mu.RLock()
	defer s.mu.RUnlock()
	method, same := uint16(0), repeats(s.methods.list[0]) // the last method that was looked at
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

// repeats reports a method whose requests or notifications are equal except for their ids, or pages of
// one list: those that are sent repeatedly without the user.
func repeats(method string) bool {
	return method == "ping" || strings.HasSuffix(method, "/list") || strings.HasSuffix(method, "/list_changed")
}
