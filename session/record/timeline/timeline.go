package timeline

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/session/record/flow"
	"mcptea/session/record/store"
)

// None is the index of no request.
const None = -1

// entry is what is kept of a request. Its size is fixed, since there may be a million.
type entry struct {
	start, end int64 // Unix nanoseconds; end is 0 while the request is pending

	row, response       int32 // response is store.None without one
	parent              int32 // the call that it is nested under; None without
	previous, next      int32 // the requests nested there before it and after it; None without
	firstNested, nested int32 // the first request nested under this one, and the last
	related             int32 // index of the newest notification that belongs to it; None without one
	run                 int32 // index of its run, if it is not nested
	notifications       int32 // how many belong to it, also those that are not remembered
	requests            int32 // how many are nested under it

	element         uint16 // of the request in its batch
	sent, firstByte uint32 // of its HTTP exchange, in microseconds after start; 0 if not known
	firstMessage    uint32 // when the first notification of the peer about it came, in microseconds after start, or 0
	series          uint16
	status          uint16 // of an HTTP exchange that failed
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
	prev int32 // the one before it of the same request; None without one
}

// maxLines is how many lines of stderr are remembered: the newest.
const maxLines = 100_000

// maxEntries bounds the requests of a timeline, of 100 bytes each, which a server that floods sends
// without end. Reading stops at the next one: [Snapshot.ReadingFail] says so.
const maxEntries = 2_000_000

// ErrFull is why a timeline with maxEntries requests reads no more.
var ErrFull = fmt.Errorf("it has the first %d million requests, which is the maximum", maxEntries/1_000_000)

// Timeline is the requests of a record, as far as it was read. Its methods may be called
// from any goroutine; Run by one at a time.
type Timeline struct {
	store *store.Store
	tail  *store.Tail
	slice time.Duration // readSlice

	reading sync.Mutex // held by Run

	mu            sync.RWMutex
	entries       []entry // in the order of their rows
	top           []int32 // indexes of the entries that are not nested
	runs          []run   // of them, in their order
	notifications []notification
	lines         []int64 // times of the lines of stderr
	lineCount     int
	overview      overview
	outcomes      *flow.Outcomes
	series        series
	newest        int64 // time of the newest event
	rows          int32 // that were read
	published     int   // how often the latencies were computed
	caughtUp      bool
	err           error // why reading has ended
}

// New returns a timeline of a record, of which nothing was read yet.
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

// Run reads the events until the context ends, even while the record grows. The subscribers of
// the store are notified when there is something new to show. A later Run goes on where this
// one has ended.
func (t *Timeline) Run(ctx context.Context) {
	t.reading.Lock()
	defer t.reading.Unlock()
	changed, stop := t.store.Subscribe()
	defer stop()
	pause := time.NewTimer(readPause)
	defer pause.Stop()
	var notified time.Time
	due := true // something that was read is not published
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

// read takes events into account for the length of a slice at most. There may be more of
// them if the slice ended first.
func (t *Timeline) read(start time.Time) (read, more bool, err error) {
	n := 0
	if t.isFull() {
		return false, false, ErrFull
	}
	for e, m := range t.tail.Matches() {
		t.mu.Lock()
		t.take(e, m)
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
func (t *Timeline) isFull() bool { return len(t.entries) >= maxEntries } // Run alone changes it

// publish computes what is not computed with each event. The error is why reading has ended.
func (t *Timeline) publish(caughtUp bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.series.refresh()
	t.published++
	t.caughtUp, t.err = caughtUp, err
}
