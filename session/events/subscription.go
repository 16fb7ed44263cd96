package events

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// bounds of the kept part of a subscription; the record has everything
const (
	// maxEntries and maxEntryBytes bound its entries. entryBytes is the size of an entry without its text. The
	// oldest is dropped first.
	maxEntries    = 10_000
	maxEntryBytes = 16 << 20
	entryBytes    = 256
	// maxIDs bounds the ids that are remembered to recognize repeated events. The oldest is dropped first.
	maxIDs = 8192
	// maxError bounds the message and the data of an error. A longer message is cut, and longer data is left
	// out.
	maxError = 8 << 10
)

// A subscription is the state of a subscription. The frames of the record and the decisions of its follower
// change it. It is guarded by the lock of its tracker.
type subscription struct {
	State
	entries  []Entry
	size     int // size of the entries
	ids      map[string]bool
	order    []string // keys of ids, oldest first
	args     jsonrpc.Meaning
	conn     uint16 // a connection other than that of the session, or 0
	stuck    bool   // the newest poll returned hasMore, but no events and the same cursor
	read     int32  // the row of the newest response that was read
	more     bool   // the newest poll announced more events
	wait     time.Duration
	hasWait  bool
	newest   time.Time       // timestamp of a delivery
	troubles map[string]bool // troubles with deliveries that were reported
	opened   bool            // delivery has begun on the newest stream
}

// add adds an entry.
func (s *subscription) add(e Entry) {
	if e.Time.After(s.Heard) && e.Kind != Lost && e.Kind != Stopped && e.Kind != Trouble {
		s.Heard = e.Time
	}
	s.State.Entries++
	e.Number, e.Cursor = s.State.Entries, s.Cursor
	s.entries = append(s.entries, e)
	s.size += e.size()
	for len(s.entries) > 1 && (len(s.entries) > maxEntries || s.size > maxEntryBytes) {
		s.size -= s.entries[0].size()
		s.entries[0] = Entry{}
		s.entries = s.entries[1:]
		s.Dropped++
	}
}

// requested handles a request that opens the subscription, possibly again.
func (s *subscription) requested(row int32, at time.Time) {
	s.Row, s.Next, s.Err = row, time.Time{}, nil
	if s.Mode == revision.DeliveryPush || s.Phase == Ended {
		s.Phase, s.opened = Opening, false
	}
	if s.Began.IsZero() {
		s.Began = at
	}
}

// moved updates the cursor.
func (s *subscription) moved(c Cursor) {
	if c.Set || s.Cursor.Set {
		s.NoReplay = false
	}
	if !c.Set {
		s.NoReplay = !s.Cursor.Set
		return // without replay there is no position to continue from
	}
	s.Cursor = c
}

// began records the start of delivery, or a gap in a running one.
func (s *subscription) began(row int32, at time.Time, c Cursor, truncated bool) {
	s.moved(c)
	first := !s.opened
	if first {
		s.opened, s.Phase, s.Since = true, Live, at
		s.add(Entry{Time: at, Kind: Opened, Row: row})
	}
	switch {
	case truncated:
		s.Gaps++
		s.add(Entry{Time: at, Kind: Gap, Row: row})
	case !first:
		s.add(Entry{Time: at, Kind: Opened, Row: row, Text: "again, although nothing is missing"})
	}
	s.Heard = at
}

// occurred handles an event.
func (s *subscription) occurred(row int32, at time.Time, raw []byte, d *Delivery) {
	o := ReadOccurrence(bytes.Clone(raw))
	if value, there := jsonrpc.Member(raw, "cursor"); there && string(value) != "null" {
		s.moved(o.Cursor)
	} else if s.Mode != revision.DeliveryPoll {
		s.moved(Cursor{})
	}
	s.Events++
	again := s.knows(o.ID)
	if again {
		s.Repeated++
	}
	s.add(Entry{Time: at, Kind: Occurred, Row: row, Event: o, Repeated: again, Delivery: d})
}

// knows reports whether an event with this id came before, and remembers the id.
func (s *subscription) knows(id string) bool {
	switch {
	case id == "" || len(id) > maxError:
		return false
	case s.ids[id]:
		return true
	case s.ids == nil:
		s.ids = map[string]bool{}
	}
	if len(s.order) >= maxIDs {
		delete(s.ids, s.order[0])
		s.order = s.order[1:]
	}
	s.ids[id] = true
	s.order = append(s.order, id)
	return false
}

// notified handles a notification of its stream.
func (s *subscription) notified(row int32, at time.Time, method string, params []byte) {
	c, _ := cursorOf(params)
	switch method {
	case revision.EventsActive:
		s.began(row, at, c, isTrue(params, "truncated"))
	case revision.EventsEvent:
		s.occurred(row, at, params, nil)
	case revision.EventsHeartbeat:
		s.moved(c)
		s.Heartbeats++
		s.Heartbeat, s.Heard = at, at
	case revision.EventsError:
		s.Failures++
		s.add(Entry{Time: at, Kind: Failed, Row: row, Err: shortened(errorOf(params))})
	case revision.EventsTerminated:
		s.ended(Entry{Time: at, Kind: Terminated, Row: row, Err: shortened(errorOf(params))})
	}
}

// ended ends the subscription.
func (s *subscription) ended(e Entry) {
	s.Phase, s.Err, s.Next = Ended, e.Err, time.Time{}
	s.add(e)
}

// answered handles the response to the request of a stream, which ends it.
func (s *subscription) answered(row int32, at time.Time, failure *client.RPCError) {
	s.read = row
	switch {
	case s.Phase == Ended:
	case failure != nil:
		s.refused(row, at, failure)
	default:
		s.Phase = Waiting
		s.add(Entry{Time: at, Kind: Closed, Row: row})
	}
}

// refused records an error response. It ends the subscription if a retry would fail too.
func (s *subscription) refused(row int32, at time.Time, failure *client.RPCError) {
	failure = shortened(failure)
	if isFinal(failure) {
		s.ended(Entry{Time: at, Kind: Terminated, Row: row, Err: failure})
		return
	}
	s.Failures++
	s.Phase = Waiting
	s.add(Entry{Time: at, Kind: Failed, Row: row, Err: failure})
}

// polled handles the response to a poll.
func (s *subscription) polled(row int32, at time.Time, result []byte) {
	s.read = row
	b := readBatch(result)
	before := s.Cursor
	if len(b.events) == 0 || b.truncated {
		s.moved(b.cursor)
	}
	if s.Since.IsZero() {
		s.Since = at
		s.add(Entry{Time: at, Kind: Opened, Row: row})
	}
	s.opened, s.Phase, s.Heard = true, Live, at
	if b.truncated {
		s.Gaps++
		s.add(Entry{Time: at, Kind: Gap, Row: row})
	}
	for i, e := range b.events {
		if i == len(b.events)-1 { // the cursor of the message applies from its last event
			s.moved(b.cursor)
		}
		s.occurred(row, at, e, nil)
	}
	// A server that sends hasMore without an event or a new cursor would be polled forever.
	s.stuck = b.more && len(b.events) == 0 && s.Cursor == before
	s.more, s.wait, s.hasWait = b.more && !s.stuck, b.next, b.hasNext
}

// lost records the end of a stream or a poll without a message of the server.
func (s *subscription) lost(at time.Time, text string) {
	if s.Phase == Ended {
		return
	}
	s.Lost++
	s.Phase = Waiting
	s.add(Entry{Time: at, Kind: Lost, Row: -1, Text: text})
}

// stopped records an end by the client.
func (s *subscription) stopped(row int32, at time.Time, text string) {
	if s.Phase != Ended {
		s.ended(Entry{Time: at, Kind: Stopped, Row: row, Text: text})
	}
}

// isOpen reports a stream that notifications may still come on.
func (s *subscription) isOpen() bool { return s.Phase == Opening || s.Phase == Live }

// isFinal reports whether a retry would get the same error: the event type, the arguments or the mode are not
// accepted.
func isFinal(e *client.RPCError) bool {
	if e.Code.Is(jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound) {
		return true
	}
	code, ok := e.Code.Number()
	kind, _, known := revision.EventErrorOf(code)
	return ok && known && kind != revision.EventExhausted
}

// shortened returns an error without the parts that are too long to keep.
func shortened(e *client.RPCError) *client.RPCError {
	c := *e
	c.Message = c.Message[:min(len(c.Message), maxError)]
	if len(c.Data) > maxError {
		c.Data = nil
	}
	c.Data = bytes.Clone(c.Data)
	return &c
}

// from returns at most most entries, starting with the given number. If most is 0, it returns all.
func (s *subscription) from(number, most int) []Entry {
	at, _ := slices.BinarySearchFunc(s.entries, number, func(e Entry, n int) int { return cmp.Compare(e.Number, n) })
	found := s.entries[at:]
	if most > 0 && len(found) > most {
		found = found[:most]
	}
	return slices.Clone(found)
}
