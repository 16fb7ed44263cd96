package failure

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// maxScan bounds the rows that one call reads.
const maxScan = 2000

// Unmatched looks for an unmatched response, which may be the response to a call under another id. The zero
// value has not read anything.
type Unmatched struct {
	begun bool
	next  int32 // first unread row
	row   int32 // newest unmatched response, or store.None
}

// Look reads the frames since the previous call.
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

// Sentence returns a sentence about the unmatched response, or "", and the start of the response, untrusted, if
// it is a result.
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

// LateResponse returns the row of the response that arrived after its request was given up, and its delay after
// the request, or store.None.
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
