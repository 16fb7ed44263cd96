package timeline

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// None is the index of no request.
const None = -1

// An entry is the stored part of a request. Its size is fixed, because there may be a million.
type entry struct {
	start, end int64 // Unix nanoseconds; end is 0 while the request is pending

	row, response       int32 // response is store.None if there is no response
	parent              int32 // call that it is nested under, or None
	previous, next      int32 // previous and next request nested there, or None
	firstNested, nested int32 // first and last request nested under this one
	related             int32 // index of the newest notification that belongs to it, or None
	run                 int32 // index of its run, if it is not nested
	notifications       int32 // number of notifications that belong to it, including forgotten ones
	requests            int32 // number of requests nested under it

	element         uint16 // index of the request in its batch
	sent, firstByte uint32 // times of its HTTP exchange, in microseconds after start; 0 if unknown
	firstMessage    uint32 // arrival of the peer's first notification about it, in microseconds after start, or 0
	series          uint16
	status          uint16 // HTTP status of a failed exchange
	state           flow.State
	dir             transport.Direction
	isError         bool
	detects         bool // the error response is not a failure, see [flow.IsFailure]
	timedOut        bool
	isSubscription  bool
}

// notification is a message that belongs to a request.
type notification struct {
	at   int64
	row  int32
	prev int32 // previous notification of the same request, or None
}

// maxLines is the number of newest stderr lines remembered.
const maxLines = 100_000

// maxEntries bounds the requests of a timeline, of 100 bytes each, because a flooding server sends them without
// end. Reading then stops: [Snapshot.ReadingFail] says so.
const maxEntries = 2_000_000

// ErrFull reports that a timeline with maxEntries requests has stopped reading.
var ErrFull = fmt.Errorf("it has the first %d million requests, which is the maximum", maxEntries/1_000_000)

// A Timeline holds the requests of the part of a record that it has read. It is safe for concurrent use, but only one
// goroutine may call Run.
type Timeline struct {
	store *store.Store
	tail  *store.Tail
	slice time.Duration // readSlice

	reading sync.Mutex // held by Run

	mu            sync.RWMutex
	entries       []entry // entries in the order of their rows
	top           []int32 // indexes of the entries that are not nested
	runs          []run   // runs of entries, in order
	notifications []notification
	lines         []int64 // times of the lines of stderr
	lineCount     int
	overview      overview
	outcomes      *flow.Outcomes
	series        series
	newest        int64 // time of the newest event
	rows          int32 // rows that were read
	published     int   // number of computations of the latencies
	caughtUp      bool
	err           error // why reading has ended
}

// New returns a timeline of a record. It has read nothing yet.
func New(s *store.Store) *Timeline {
	return &Timeline{store: s, tail: s.NewTail(), slice: readSlice, outcomes: flow.NewOutcomes(), series: newSeries()}
}

// The budget of reading: it works for a slice and then pauses, so that recording and
// drawing have the processor. Subscribers of the store are notified at an interval.
const (
	readSlice      = 8 * time.Millisecond
	readPause      = 3 * time.Millisecond
	notifyInterval = 100 * time.Millisecond
)

// Run reads the events until the context is done, even while the record grows. It notifies the subscribers of
// the store when there is something new to show. A later Run continues where this one ended.
func (t *Timeline) Run(ctx context.Context) {
	t.reading.Lock()
	defer t.reading.Unlock()
	changed, stop := t.store.Subscribe()
	defer stop()
	pause := time.NewTimer(readPause)
	defer pause.Stop()
	var notified time.Time
	due := true // entries that were read are not published
	for {
		start := time.Now()
		read, more, err := t.read(start)
		if err != nil {
			t.publish(true, err)
			t.store.Notify()
			return
		}
		due = due || read
		if due && (!more || start.Sub(notified) >= notifyInterval) {
			t.publish(!more, nil)
			notified, due = start, more
			t.store.Notify()
		}
		if more {
			pause.Reset(readPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// read reads events for at most one slice. more reports whether the slice ended first.
func (t *Timeline) read(start time.Time) (read, more bool, err error) {
	n := 0
	if t.isFull() {
		return false, false, ErrFull
	}
	for e, m := range t.tail.Matches() {
		t.mu.Lock()
		t.update(e, m)
		t.mu.Unlock()
		if t.isFull() {
			return true, false, ErrFull
		}
		if n++; n%32 == 0 && time.Since(start) > t.slice {
			return true, true, nil
		}
	}
	return n > 0, false, t.tail.Err()
}

// isFull reports whether there is no room for another request.
func (t *Timeline) isFull() bool { return len(t.entries) >= maxEntries } // changed only by Run

// publish computes the values that are not updated with each event. err is the reason why reading has ended.
func (t *Timeline) publish(caughtUp bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.series.refresh()
	t.published++
	t.caughtUp, t.err = caughtUp, err
}
