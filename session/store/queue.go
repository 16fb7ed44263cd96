package store

import (
	"sync"
	"time"
)

// Sink takes bytes out of a [Queue].
type Sink interface {
	// Write is called with the bytes of one Put, which are valid during the call.
	Write(at time.Time, b []byte)
}

// Queue stands between a stream and its recording, so that the stream never waits for
// a disk: Put copies the bytes, and one goroutine, that of Run, passes them on in
// their order. What does not fit into memory goes to temporary storage. Nothing is
// left out unless that is full, too; see [Queue.Err].
type Queue struct {
	mu    sync.Mutex
	ready sync.Cond // there are items, or the queue is closed
	idle  sync.Cond // all items were passed on

	buf    []byte // the bytes of items
	items  []item
	spill  *spill // nil while everything is in memory
	later  []item // whose bytes are in the spill, behind items
	passed int64  // items that were passed on
	put    int64
	closed bool
	err    error
}

// item is one Put: bytes for a sink, or a call.
type item struct {
	sink Sink
	size int
	at   time.Time
	call func()
}

const (
	// maxQueued is how many bytes wait in memory.
	maxQueued = 32 << 20
	// maxQueuedItems bounds the items that wait in memory, which small Puts have.
	maxQueuedItems = 1 << 18
	// spillRead is how many bytes are read from temporary storage at a time, at least
	// those of one item.
	spillRead = 4 << 20
)

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	q := &Queue{}
	q.ready.L, q.idle.L = &q.mu, &q.mu
	return q
}

// Put appends bytes for a sink. It never waits for Run.
func (q *Queue) Put(to Sink, at time.Time, b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.err != nil {
		return
	}
	it := item{sink: to, size: len(b), at: at}
	q.put++
	if len(q.later) == 0 && len(q.buf)+len(b) <= maxQueued && len(q.items) < maxQueuedItems {
		q.buf = append(q.buf, b...)
		q.items = append(q.items, it)
		q.ready.Signal()
		return
	}
	if q.spill == nil {
		q.spill = newSpill(maxOverflow)
	}
	if _, err := q.spill.add(b); err != nil {
		q.err = err
		q.put--
		return
	}
	q.later = append(q.later, it)
	q.ready.Signal()
}

// Call has Run call a function when everything before it was passed on.
func (q *Queue) Call(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	it := item{call: do}
	q.put++
	if len(q.later) > 0 {
		q.later = append(q.later, it)
	} else {
		q.items = append(q.items, it)
	}
	q.ready.Signal()
}

// Sync waits until everything that was put before was passed on.
func (q *Queue) Sync() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for target := q.put; q.passed < target; {
		q.idle.Wait()
	}
}

// Passed is how many Puts and Calls were passed on.
func (q *Queue) Passed() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.passed
}

// Err is why bytes were left out, from some Put on; nil if none were.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Close has Run return when everything was passed on. Later Puts and Calls are
// ignored.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Signal()
}

// Run passes on what is put until the queue is closed.
func (q *Queue) Run() {
	var buf []byte
	var items []item
	read := int64(0) // of the spill
	for {
		q.mu.Lock()
		q.passed += int64(len(items))
		q.idle.Broadcast()
		for len(q.items) == 0 && len(q.later) == 0 && !q.closed {
			q.ready.Wait()
		}
		switch {
		case len(q.items) > 0:
			buf, q.buf = q.buf, reuse(buf)
			items, q.items = q.items, items[:0]
		case len(q.later) > 0:
			buf, items = q.takeSpilled(reuse(buf), items[:0], &read)
		default:
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		for rest, i := buf, 0; i < len(items); i++ {
			it := &items[i]
			if it.call != nil {
				it.call()
				continue
			}
			it.sink.Write(it.at, rest[:it.size:it.size])
			rest = rest[it.size:]
		}
		clear(items)
	}
}

// reuse empties a buffer, and drops one that a burst has made large.
func reuse(buf []byte) []byte {
	if cap(buf) > spillRead {
		return nil
	}
	return buf[:0]
}

// takeSpilled takes the next items out of the spill. The caller holds the lock.
func (q *Queue) takeSpilled(buf []byte, items []item, read *int64) ([]byte, []item) {
	size, n := 0, 0
	for n < len(q.later) && (n == 0 || size+q.later[n].size <= spillRead) {
		size += q.later[n].size
		n++
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err := q.spill.ReadAt(buf, *read); err != nil && size > 0 {
		q.err = err
	}
	*read += int64(size)
	items = append(items, q.later[:n]...)
	q.later = q.later[n:]
	if len(q.later) == 0 {
		_ = q.spill.close() // it was read
		q.spill, q.later, *read = nil, nil, 0
	}
	return buf, items
}
