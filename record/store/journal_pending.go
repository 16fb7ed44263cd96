package store

import (
	"slices"
	"sync"
	"time"
)

// maxPending bounds the bytes of the buffers that wait to be written. So a slow disk does not stop
// the wire immediately.
const maxPending = 4 << 20

// maxSpare is the number of buffers kept for reuse.
const maxSpare = 2

// pending holds full buffers of a journal that must still be written to the file. A goroutine
// writes them while there are any. The lock of the journal guards them.
type pending struct {
	blocks  [][]byte // oldest first
	size    int      // total size of the blocks, in bytes
	spare   [][]byte // written buffers, for reuse
	written sync.Cond
}

// pass hands the buffer to the goroutine that writes. It waits only if much is pending. The caller
// holds j.mu, which is released while waiting.
func (j *journal) pass() {
	q := &j.pending
	for q.size > 0 && q.size+len(j.buf) > maxPending {
		q.written.Wait()
	}
	switch {
	case j.file == nil, j.err != nil, j.overflow != nil, j.stopped != nil, j.closed, cap(j.buf) > keepBuffer,
		j.limit > 0 && j.end() > j.limit, j.flushed-j.checked >= spaceInterval:
		j.flush()
		return
	case len(j.buf) == 0: // another goroutine has passed the buffer
		return
	}
	q.blocks, q.size = append(q.blocks, j.buf), q.size+len(j.buf)
	if n := len(q.spare); n > 0 {
		j.buf, q.spare = q.spare[n-1], q.spare[:n-1]
	} else {
		j.buf = newBuffer()
	}
	if len(q.blocks) == 1 {
		go j.writePending()
	}
}

// writePending writes the pending buffers until there are none.
func (j *journal) writePending() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for q := &j.pending; len(q.blocks) > 0; q.written.Broadcast() {
		block, at, file := q.blocks[0], j.flushed, j.file
		looks := time.Since(j.looked) >= goneInterval
		j.mu.Unlock()
		_, err := file.WriteAt(block, at)
		gone := looks && isGone(file)
		j.mu.Lock() // only this goroutine writes while the block exists
		if looks {
			j.looked, j.gone = time.Now(), gone
		}
		if err != nil {
			j.cannotWrite(err)
			continue
		}
		j.flushed += int64(len(block))
		if q.blocks, q.size = slices.Delete(q.blocks, 0, 1), q.size-len(block); len(q.spare) < maxSpare {
			q.spare = append(q.spare, block[:0])
		}
	}
}

// cannotWrite moves the pending buffers to the overflow. The caller holds j.mu.
func (j *journal) cannotWrite(err error) {
	blocks := j.pending.blocks
	j.pending.blocks, j.pending.size = nil, 0
	j.tried, j.err = time.Now(), err
	_ = j.file.Truncate(j.flushed) // remove partial lines
	for _, block := range blocks {
		if j.stopped != nil {
			j.recent.add(block)
		} else {
			j.setAside(block)
		}
	}
}

// handOver waits until everything appended so far is in the file, at most for a time, because a
// slow disk must not delay its caller longer. It does nothing without a file, or while the file
// cannot be written.
func (j *journal) handOver(within time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	q, late := &j.pending, false
	waits := func() bool { return len(q.blocks) > 0 && !late }
	if j.file == nil || j.closed || len(j.buf) == 0 && !waits() {
		return
	}
	defer time.AfterFunc(within, func() {
		j.mu.Lock()
		late = true
		j.mu.Unlock()
		q.written.Broadcast()
	}).Stop()
	to := j.end()
	for waits() && q.size+len(j.buf) > maxPending {
		q.written.Wait()
	}
	if !late {
		j.pass()
	}
	for waits() && j.flushed < to {
		q.written.Wait()
	}
}

// settle waits until nothing is pending. The caller holds j.mu, which is released while waiting.
func (j *journal) settle() {
	for len(j.pending.blocks) > 0 {
		j.pending.written.Wait()
	}
}

// readPending fills the end of p from pending blocks and returns the unfilled start. off is the
// offset of p.
func (j *journal) readPending(p []byte, off int64) []byte {
	at := j.flushed
	rest := p
	for _, block := range j.pending.blocks {
		if from := max(off, at); from < min(off+int64(len(p)), at+int64(len(block))) {
			copy(p[from-off:], block[from-at:])
			rest = p[:min(int64(len(rest)), from-off)]
		}
		at += int64(len(block))
	}
	return rest
}
