package store

import (
	"bytes"
	"sync"
	"time"
	"unsafe"

	"mcptea/client/jsonrpc"
)

// Sink receives bytes from a [Queue].
type Sink interface {
	// Write is called with the bytes of one Put, which are valid during the call.
	Write(at time.Time, b []byte)
}

// A LineSink is a Sink that accepts lines with their scanned envelopes.
type LineSink interface {
	Sink
	// WriteScanned is like Write, but for whole lines with the envelope of each. Lines and
	// envelopes are valid during the call.
	WriteScanned(at time.Time, lines []byte, scanned []jsonrpc.Envelope)
}

// A Queue is between a stream and its recording, so that the stream never waits for a disk. Put
// copies the bytes, and the goroutine that calls Run forwards them in order. Bytes that do not fit
// in memory are written to temporary storage. If that is full too, bytes are dropped; see
// [Queue.Err].
type Queue struct {
	mu    sync.Mutex
	ready sync.Cond // signals that there are items or that the queue is closed
	idle  sync.Cond // signals that all items were forwarded

	// chunks holds the bytes of the items in order. All bytes of an item are in one chunk. It is
	// the chunk of the previous item, or the next chunk if item.next is set. copyIn and takeSpilled
	// fill chunks, pass reads them, and free returns them to the pool.
	chunks [][]byte
	size   int // bytes of chunks and scanned
	items  []item
	// scanned holds the envelopes of the items in order. item.scanned is the number of envelopes of
	// an item.
	scanned []jsonrpc.Envelope
	spill   *spill // temporary storage, or nil while everything fits in memory
	later   []item // items after those in memory; their bytes are in the spill; at most maxLater
	passed  int64  // items that were forwarded
	// hurry ends a pause of Run; 1 slot.
	hurry   chan struct{}
	awaited int // number of waiting calls of Sync
	put     int64
	closed  bool
	err     error
}

// item is one Put or Call: bytes for a sink, or a function.
type item struct {
	sink    Sink
	size    int
	scanned int  // number of envelopes
	next    bool // the bytes begin the next chunk; see Queue.chunks
	at      time.Time
	call    func()
}

const (
	// maxQueued is the maximum number of bytes waiting in memory.
	maxQueued = 32 << 20
	// maxQueuedItems bounds the items that wait in memory. Small Puts reach it before maxQueued.
	maxQueuedItems = 1 << 18
	// maxLater bounds the items whose bytes are in temporary storage. Each takes about 100 bytes of
	// memory. If there are more, their bytes are dropped, which [Queue.Err] reports.
	maxLater = 1 << 21
	// queueChunk is the size of a chunk of memory, in bytes. A larger Put gets a chunk of its own.
	queueChunk = 256 << 10
	// spillRead is the number of bytes read from temporary storage at a time. A larger item is read whole.
	spillRead = 4 << 20
	// queuePause is the time in which Run lets items accumulate after a small batch. During the pause, a Put does not
	// wake a goroutine that would compete with the stream.
	queuePause = 2 * time.Millisecond
	// maxGathered is the minimum number of items in a batch after which Run does not pause.
	maxGathered = 256
	// keptScanned is the number of envelopes that an idle buffer of Run may keep.
	keptScanned  = 1 << 12
	envelopeSize = int(unsafe.Sizeof(jsonrpc.Envelope{}))
)

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	q := &Queue{hurry: make(chan struct{}, 1)}
	q.ready.L, q.idle.L = &q.mu, &q.mu
	return q
}

// Put appends bytes for a sink. It never waits for Run.
func (q *Queue) Put(to Sink, at time.Time, b []byte) {
	q.append(to, at, b, nil)
	q.ready.Signal()
}

// PutScanned is like Put, but for whole lines with the envelope of each, so that the sink need not
// scan them again. It copies the envelopes. Without envelopes, it is the same as Put.
func (q *Queue) PutScanned(to LineSink, at time.Time, lines []byte, scanned []jsonrpc.Envelope) {
	q.append(to, at, lines, scanned)
	q.ready.Signal()
}

// PutBeside is like PutScanned, but also calls write with the bytes. Run would compete with write
// for a processor, so it is woken when write has returned, or after queuePause. So the bytes are
// recorded even if write blocks.
func (q *Queue) PutBeside(to LineSink, at time.Time, b []byte, scanned []jsonrpc.Envelope, write func(b []byte)) {
	q.append(to, at, b, scanned)
	late := time.AfterFunc(queuePause, q.ready.Signal)
	write(b)
	late.Stop()
	q.ready.Signal()
}

// append appends bytes for a sink. The caller wakes Run.
func (q *Queue) append(to Sink, at time.Time, b []byte, scanned []jsonrpc.Envelope) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.err != nil {
		return
	}
	it := item{sink: to, size: len(b), at: at}
	q.put++
	if len(q.later) == 0 && q.size+len(b)+len(scanned)*envelopeSize <= maxQueued && len(q.items) < maxQueuedItems {
		it.next, it.scanned = q.copyIn(b), len(scanned)
		q.scanned = append(q.scanned, scanned...)
		q.size += len(scanned) * envelopeSize
		q.items = append(q.items, it)
		return
	}
	if len(q.later) >= maxLater {
		q.err = errSpillFull
		q.put--
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
}

// chunkPool has chunks of queueChunk.
var chunkPool = sync.Pool{New: func() any { return new([queueChunk]byte) }}

// copyIn appends bytes to the last chunk, or to a new one. It returns the value of item.next:
// whether the chunk is new. The caller holds the lock.
func (q *Queue) copyIn(b []byte) (next bool) {
	q.size += len(b)
	if last := len(q.chunks) - 1; last >= 0 && cap(q.chunks[last])-len(q.chunks[last]) >= len(b) {
		q.chunks[last] = append(q.chunks[last], b...)
		return false
	}
	if len(b) > queueChunk {
		q.chunks = append(q.chunks, bytes.Clone(b))
		return true
	}
	q.chunks = append(q.chunks, append(chunkPool.Get().(*[queueChunk]byte)[:0], b...))
	return true
}

// free returns the chunks of items that were forwarded.
func free(chunks [][]byte) {
	for i, c := range chunks {
		if cap(c) == queueChunk {
			chunkPool.Put((*[queueChunk]byte)(c[:queueChunk]))
		}
		chunks[i] = nil
	}
}

// Call makes Run call a function after everything that was put before it.
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

// Sync waits until everything that was put before has been forwarded.
func (q *Queue) Sync() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.awaited++
	q.endPause()
	for target := q.put; q.passed < target; {
		q.idle.Wait()
	}
	q.awaited--
}

// endPause ends the pause of Run, or prevents the next one. The caller holds the lock.
func (q *Queue) endPause() {
	select {
	case q.hurry <- struct{}{}:
	default:
	}
}

// pause waits while items accumulate, unless Sync or Close is waiting for Run. The caller holds q.mu, which is
// released while waiting.
func (q *Queue) pause() {
	if q.closed || q.awaited > 0 {
		return
	}
	q.mu.Unlock()
	select {
	case <-q.hurry:
	case <-time.After(queuePause):
	}
	q.mu.Lock()
}

// Passed returns the number of forwarded Puts and Calls.
func (q *Queue) Passed() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.passed
}

// Err returns why bytes were dropped, or nil.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Close makes Run return after it has forwarded everything. Later Puts and Calls are ignored.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.endPause()
	q.ready.Signal()
}

// Run forwards items until the queue is closed.
func (q *Queue) Run() {
	var chunks [][]byte
	var items []item
	var scanned []jsonrpc.Envelope
	read := int64(0) // bytes read from the spill so far
	for {
		q.mu.Lock()
		q.passed += int64(len(items))
		if q.idle.Broadcast(); len(items) > 0 && len(items) < maxGathered {
			q.pause()
		}
		for len(q.items) == 0 && len(q.later) == 0 && !q.closed {
			q.ready.Wait()
		}
		switch {
		case len(q.items) > 0:
			chunks, q.chunks, q.size = q.chunks, chunks[:0], 0
			items, q.items = q.items, items[:0]
			scanned, q.scanned = q.scanned, scanned[:0]
		case len(q.later) > 0:
			chunks, items = q.takeSpilled(chunks[:0], items[:0], &read)
		default:
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		pass(chunks, items, scanned)
		free(chunks)
		clear(items)
		if cap(scanned) > keptScanned && len(scanned) < cap(scanned)/8 {
			scanned = nil
		}
	}
}

// pass forwards items, whose bytes are in chunks.
func pass(chunks [][]byte, items []item, scanned []jsonrpc.Envelope) {
	var rest []byte
	for i := range items {
		it := &items[i]
		if it.call != nil {
			it.call()
			continue
		}
		if it.next {
			rest, chunks = chunks[0], chunks[1:]
		}
		b := rest[:it.size:it.size]
		rest = rest[it.size:]
		if to, ok := it.sink.(LineSink); ok && it.scanned > 0 {
			to.WriteScanned(it.at, b, scanned[:it.scanned])
			scanned = scanned[it.scanned:]
		} else {
			it.sink.Write(it.at, b)
		}
	}
}

// takeSpilled reads the next items from the spill. The caller holds q.mu.
func (q *Queue) takeSpilled(chunks [][]byte, items []item, read *int64) ([][]byte, []item) {
	size, n := 0, 0
	for n < len(q.later) && (n == 0 || size+q.later[n].size <= spillRead) {
		size += q.later[n].size
		n++
	}
	buf := make([]byte, size)
	if _, err := q.spill.ReadAt(buf, *read); err != nil && size > 0 {
		q.err = err
	}
	*read += int64(size)
	items = append(items, q.later[:n]...)
	for i := range items {
		if items[i].call == nil {
			items[i].next = true // the next items are in the same chunk
			break
		}
	}
	q.later = q.later[n:]
	if len(q.later) == 0 {
		_ = q.spill.close() // everything in the file was read
		q.spill, q.later, *read = nil, nil, 0
	}
	return append(chunks, buf), items
}
