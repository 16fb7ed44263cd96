package timeline

import (
	"sort"
	"time"

	"mcptea/client/transport"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// Snapshot is the state of a timeline at a moment.
type Snapshot struct {
	Requests    int
	Lines       int       // lines of stderr
	Begin, End  time.Time // start and end of the session; zero before the first frame
	Rows        int       // rows of the store that were read
	Published   int       // changes when the latencies do
	CaughtUp    bool      // everything available at the last check was read
	ReadingFail error     // why reading has stopped, or nil
}

// Snapshot returns the state now.
func (t *Timeline) Snapshot() Snapshot {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := Snapshot{Requests: len(t.entries), Lines: t.lineCount, Rows: int(t.rows), Published: t.published, CaughtUp: t.caughtUp, ReadingFail: t.err}
	if t.overview.begin != 0 {
		s.Begin, s.End = time.Unix(0, t.overview.begin), time.Unix(0, t.newest)
	}
	return s
}

// Request is a request with its place in time.
type Request struct {
	Index, Parent int // Parent is the call during which the server sent it, or None
	Nested        int // index of the first request nested under it, or None
	IsLastNested  bool

	Row, Response int32 // Response is store.None if there is no response
	Dir           transport.Direction
	Method, Name  string // Name is of the tool or prompt; empty for other methods
	Start, End    time.Time
	IsPending     bool // End is zero then
	State         flow.State
	IsError       bool
	// IsSubscription reports whether the request is a long-lived subscription. No response to it is
	// expected.
	IsSubscription bool

	// Sent and FirstByte are times of its HTTP exchange: when the request was sent and when the response
	// headers arrived, relative to Start; 0 if unknown. Status is the HTTP status if the exchange failed.
	Sent, FirstByte time.Duration
	Status          int
	// FirstMessage is the arrival time of the peer's first notification about it, relative to Start, or 0.
	FirstMessage time.Duration
	// Notifications counts the notifications that belong to it, and Requests the requests nested under it.
	Notifications, Requests int
}

// Took returns how long the request took, or has taken up to a time.
func (r *Request) Took(now time.Time) time.Duration {
	if r.IsPending {
		return max(0, now.Sub(r.Start))
	}
	return r.End.Sub(r.Start)
}

// Request returns a request by its index, in the order in which they began.
func (t *Timeline) Request(i int) (Request, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if i < 0 || i >= len(t.entries) {
		return Request{}, false
	}
	e := &t.entries[i]
	key := &t.series.list[e.series].seriesKey
	r := Request{
		Index: i, Parent: int(e.parent), Nested: int(e.firstNested), Row: e.row, Response: e.response, Dir: e.dir,
		Method: key.method, Name: key.name, Start: time.Unix(0, e.start), IsPending: e.end == 0, State: e.state,
		IsError: e.isError, IsSubscription: e.isSubscription,
		Sent: time.Duration(e.sent) * time.Microsecond, FirstByte: time.Duration(e.firstByte) * time.Microsecond, Status: int(e.status),
		FirstMessage:  time.Duration(e.firstMessage) * time.Microsecond,
		Notifications: int(e.notifications), Requests: int(e.requests),
	}
	if !r.IsPending {
		r.End = time.Unix(0, e.end)
	}
	r.IsLastNested = e.parent != None && e.next == None
	return r, true
}

// OfRow returns the request that a row of the store is or belongs to, or None.
func (t *Timeline) OfRow(row int32) int {
	request, _ := t.store.Related(row)
	if request == store.None {
		return None
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if i := t.indexFrom(request); i != None && t.entries[i].row == request {
		return i
	}
	return None
}

// From returns the first request in a row of the store or in a later one, or None.
func (t *Timeline) From(row int32) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.indexFrom(row)
}

func (t *Timeline) indexFrom(row int32) int {
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].row >= row })
	if i == len(t.entries) {
		return None
	}
	return i
}

// At returns the first request that started at a time or later, or None.
func (t *Timeline) At(at time.Time) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].start >= at.UnixNano() })
	if i == len(t.entries) {
		return None
	}
	return i
}

// NestedOf returns the requests that are nested under a request, at most most.
func (t *Timeline) NestedOf(i, most int) []Request {
	r, ok := t.Request(i)
	var nested []Request
	for n := r.Nested; ok && n != None && len(nested) < most; {
		request, _ := t.Request(n)
		nested = append(nested, request)
		t.mu.RLock()
		n = int(t.entries[n].next)
		t.mu.RUnlock()
	}
	return nested
}

// Notification is a notification that belongs to a request: progress, a cancellation, or
// the status of its task.
type Notification struct {
	Time time.Time
	Row  int32
}

// NotificationsOf returns the newest notifications of a request, up to a maximum, newest first.
func (t *Timeline) NotificationsOf(i, most int) []Notification {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var list []Notification
	if i < 0 || i >= len(t.entries) {
		return nil
	}
	for n := t.entries[i].related; n != None && len(list) < most; n = t.notifications[n].prev {
		list = append(list, Notification{time.Unix(0, t.notifications[n].at), t.notifications[n].row})
	}
	return list
}

// LinesBetween counts the lines of stderr between two times. all is false if older lines, no longer remembered,
// may be among them.
func (t *Timeline) LinesBetween(from, to time.Time) (n int, all bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	before := func(at time.Time) int {
		return sort.Search(len(t.lines), func(i int) bool { return t.lines[i] >= at.UnixNano() })
	}
	first := before(from)
	return max(before(to)-first, 0), len(t.lines) == t.lineCount || first > 0
}
