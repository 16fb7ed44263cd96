package failure

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/record/store"
)

// maxScan bounds the rows that one look reads.
const maxScan = 2000

// Unmatched looks for a response without a request: it may be the response to a call,
// under another id. The zero Unmatched has not looked yet.
type Unmatched struct {
	begun bool
	next  int32 // the first row that was not looked at
	row   int32 // the newest that was found, or store.None
}

// Look looks at the frames that have come since the last time.
func (u *Unmatched) Look(s *store.Store, started time.Time) {
	rows := int32(s.Snapshot().Rows)
	if !u.begun {
		u.begun, u.row, u.next = true, store.None, rows
		for u.next > 0 && rows-u.next < maxScan {
			row, ok := s.Row(u.next - 1)
			if !ok || row.Time < started.UnixNano() {
				break
			}
			u.next--
		}
	}
	for end := min(rows, u.next+maxScan); u.next < end; u.next++ {
		row, ok := s.Row(u.next)
		if ok && row.Dir == transport.In && row.Kind.IsResponse() && row.Flags&(store.UnknownID|store.NoID) != 0 && row.Time >= started.UnixNano() {
			u.row = u.next
		}
	}
}

// Sentence names the response that was found, and returns its beginning, untrusted, if
// it is a result. It is empty without one.
func (u *Unmatched) Sentence(s *store.Store) (text string, head []byte) {
	if !u.begun || u.row == store.None {
		return "", nil
	}
	head, err := s.Head(u.row, 1<<10)
	if err != nil {
		return "", nil
	}
	row, _ := s.Row(u.row)
	what := "without an id"
	if row.Flags&store.NoID == 0 {
		what = "with an unknown id"
		if id := jsonrpc.Scan(head).ID.Of(head).Shown(); len(id) > 0 {
			what = "with the unknown id " + string(id[:min(len(id), 40)])
		}
	}
	if row.Kind != jsonrpc.Response {
		head = nil
	}
	return "#" + strconv.Itoa(int(u.row)+1) + " came " + what + "; it may be the response to this call", head
}

// LateResponse is the row of the response that came after a request was given up, and how long
// after the request; store.None without one.
func LateResponse(s *store.Store, request int32, started time.Time) (row int32, after time.Duration) {
	if request == store.None {
		return store.None, 0
	}
	_, answer := s.Related(request)
	r, ok := s.Row(answer)
	if answer == store.None || !ok || r.Flags&store.Late == 0 {
		return store.None, 0
	}
	return answer, time.Unix(0, r.Time).Sub(started)
}
