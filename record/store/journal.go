package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	flushSize = 256 << 10
	// flushAfter bounds how long an event waits in memory. If the process is killed, the events of
	// that time are lost: at most 10 ms, including delays of the timer and of the write.
	flushAfter = 5 * time.Millisecond
	keepBuffer = 1 << 20
	// retryInterval is the pause after a failed write.
	retryInterval = 2 * time.Second
	// maxOverflow bounds the bytes kept while a recording cannot be written, and the memory of a
	// record without a file.
	maxOverflow = 128 << 20
	// recentSize is the number of newest bytes that are kept after writing has stopped, so that
	// the user can still see the session.
	recentSize = 16 << 20
	// spaceInterval is the number of bytes after which the free space is checked again.
	spaceInterval = 64 << 20
	// minFreeShare and maxFree determine the space that stays free on a disk: one part in
	// minFreeShare, but at most maxFree bytes.
	minFreeShare = 20
	maxFree      = 1 << 30
)

// journal is an append-only record with a buffer. Bytes in the buffer can be read like the others.
// A timer and a goroutine run only while something waits to be written, so an idle session is idle.
// An offset counts all bytes that were appended. From oldest to newest, the bytes are in the file,
// then in the pending full buffers, and then in the buffer. If there is no file, or while the file
// cannot be written, the overflow replaces the pending buffers. When the journal has stopped, only
// the newest bytes are kept, in a ring.
type journal struct {
	mu       sync.Mutex
	file     *os.File // file of the recording, or nil
	overflow *spill   // used without a file, and while the file cannot be written; otherwise nil
	limit    int64    // maximum bytes of the recording, or 0 for no limit
	maxAside int64    // maximum bytes of the overflow if there is a file
	flushed  int64    // bytes in the file
	pending  pending
	buf      []byte
	timer    *time.Timer
	armed    bool
	closed   bool
	err      error // error of writing the file
	tried    time.Time
	looked   time.Time // time of the last check of the file name
	gone     bool      // the path no longer leads to the file
	checked  int64     // bytes on the disk when its free space was last checked

	stopped error // why writing stopped, or nil
	lostAt  int64 // offset of the first byte that was not kept
	recent  *ring
	// halted is set together with stopped, for callers that do not hold the lock.
	halted   atomic.Bool
	epilogue []byte // last line of the file while it cannot be written
	space    func(*os.File) (free, total int64, ok bool)
}

// ErrNotKept is returned if the bytes of a frame were not kept.
var ErrNotKept = errors.New("the body was not kept")

var errGone = errors.New("the recording was closed")

// A LimitError reports that a recording stopped at its limit.
type LimitError struct {
	limit int64 // limit of the recording, in bytes, or 0 if the disk was full
	free  int64 // free bytes on the disk
}

// Error names the limit that was reached.
func (e *LimitError) Error() string {
	if e.limit > 0 {
		return fmt.Sprintf("the limit of %s is reached (--record-limit)", megabytes(e.limit))
	}
	return fmt.Sprintf("the disk has only %s left", megabytes(e.free))
}

func megabytes(n int64) string {
	switch {
	case n >= 1e9 && n%1e8 == 0:
		return fmt.Sprintf("%g GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	}
	return fmt.Sprintf("%d kB", n/1e3)
}

func newJournal(f *os.File, instead *spill, limit int64) *journal {
	j := &journal{file: f, overflow: instead, limit: limit, maxAside: maxOverflow, buf: newBuffer(), space: space}
	j.pending.written.L = &j.mu
	j.timer = time.AfterFunc(time.Hour, j.flushLater)
	j.timer.Stop()
	return j
}

func newBuffer() []byte { return make([]byte, 0, flushSize+4096) }

// add calls fill to append to the buffer and returns the offset of the appended bytes.
func (j *journal) add(fill func(dst []byte) []byte) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.end()
	j.buf = fill(j.buf)
	if len(j.buf) >= flushSize {
		j.pass()
	} else if !j.armed {
		j.armed = true
		j.timer.Reset(flushAfter)
	}
	return at
}

// addParts appends a line that is given in parts and has size bytes in total. It writes the parts
// to the file without a copy, if possible. Without a file, it adds them to the overflow one by one.
// A part is valid until the next one. addParts returns the offset of the line.
func (j *journal) addParts(parts iter.Seq[[]byte], size int64) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
	at := j.end()
	if j.writeParts(parts, size) {
		return at
	}
	for p := range parts {
		if !j.putAside(p) {
			if j.buf = append(j.buf, p...); j.file == nil {
				j.flush()
			}
		}
	}
	j.flush()
	return at
}

// putAside writes a part of a line directly to the overflow of a journal without a file. It returns
// false if that is not possible. The buffer must be empty.
func (j *journal) putAside(p []byte) bool {
	if j.file != nil || len(j.buf) > 0 || j.closed || j.limit > 0 && j.bufferStart()+int64(len(p)) > j.limit {
		return false
	}
	if j.bound(); j.stopped != nil {
		return false
	}
	j.setAside(p)
	return true
}

// writeParts writes a line to the file after the flushed bytes. It returns false if the file cannot
// be written.
func (j *journal) writeParts(parts iter.Seq[[]byte], size int64) bool {
	j.bound()
	if j.file == nil || j.err != nil || j.overflow != nil || j.stopped != nil || j.closed || j.limit > 0 && j.flushed+size > j.limit {
		return false
	}
	at := j.flushed
	for p := range parts {
		if _, j.err = j.file.WriteAt(p, at); j.err != nil {
			j.tried = time.Now()
			_ = j.file.Truncate(j.flushed) // remove partial lines
			return false
		}
		at += int64(len(p))
	}
	j.flushed = at
	return true
}

// end returns the offset after the last byte.
func (j *journal) end() int64 { return j.bufferStart() + int64(len(j.buf)) }

func (j *journal) bufferStart() int64 {
	switch {
	case j.stopped != nil:
		return j.recent.end
	case j.overflow != nil:
		return j.flushed + j.overflow.size
	}
	return j.flushed + int64(j.pending.size)
}

// flushLater flushes the buffer when the timer fires.
func (j *journal) flushLater() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.armed = false; len(j.buf) > 0 {
		j.pass()
	}
}

// flushNow flushes the buffer and waits until everything is written.
func (j *journal) flushNow() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
}

// flush empties the buffer. If the file cannot be written, for example on a full disk, the events
// go to the overflow until a later attempt succeeds. A failed recording must not end the session.
func (j *journal) flush() {
	j.settle()
	if len(j.buf) == 0 || j.closed {
		return
	}
	j.bound()
	switch {
	case j.stopped != nil:
		j.recent.add(j.buf)
		if j.overflow != nil && time.Since(j.tried) >= retryInterval {
			j.tried = time.Now()
			j.err = j.drain()
		}
	case j.file != nil && (j.err == nil || time.Since(j.tried) >= retryInterval):
		j.write()
	default:
		j.setAside(j.buf)
	}
	if cap(j.buf) > keepBuffer {
		j.buf = newBuffer()
	}
	j.buf = j.buf[:0]
}

// write writes the overflow, if there is one, and the buffer to the file. The
// caller empties the buffer.
func (j *journal) write() {
	j.tried = time.Now()
	if j.err = j.drain(); j.err == nil {
		if _, j.err = j.file.WriteAt(j.buf, j.flushed); j.err == nil {
			j.flushed += int64(len(j.buf))
			return
		}
		_ = j.file.Truncate(j.flushed) // remove partial lines
	}
	j.setAside(j.buf)
}

// drain moves the overflow to the file.
func (j *journal) drain() error {
	if j.overflow == nil || j.file == nil {
		return nil
	}
	piece := make([]byte, 1<<20)
	for done := int64(0); done < j.overflow.size; {
		p := piece[:min(int64(len(piece)), j.overflow.size-done)]
		if _, err := j.overflow.ReadAt(p, done); err != nil {
			return err
		}
		if _, err := j.file.WriteAt(p, j.flushed+done); err != nil {
			_ = j.file.Truncate(j.flushed)
			return err
		}
		done += int64(len(p))
	}
	j.flushed += j.overflow.size
	err := j.overflow.close()
	j.overflow = nil
	j.writeEpilogue()
	return err
}

// setAside adds bytes to the overflow. If there is no room, it stops the recording.
func (j *journal) setAside(p []byte) {
	if j.overflow == nil {
		j.overflow = newSpill(0)
	}
	if j.file == nil || j.overflow.size+int64(len(p)) <= j.maxAside {
		_, err := j.overflow.add(p)
		if err == nil {
			return
		}
		j.err = cmp.Or(j.err, err)
	}
	j.stop(j.err)
	j.recent.add(p)
}

// bound stops the journal at its limit, or before the disk is full.
func (j *journal) bound() {
	if j.stopped != nil {
		return
	}
	if j.limit > 0 && j.bufferStart()+int64(len(j.buf)) > j.limit {
		j.stop(&LimitError{limit: j.limit})
		return
	}
	file, size := j.file, j.flushed
	if file == nil {
		file, size = j.overflow.onDisk(), j.overflow.size
	}
	if size-j.checked < spaceInterval {
		return
	}
	if j.checked = size; file == nil {
		return
	}
	if free, total, ok := j.space(file); ok && free < min(total/minFreeShare, maxFree) {
		j.stop(&LimitError{free: free})
	}
}

// loaded sets the offset up to which the file of the recording was read.
func (j *journal) loaded(to int64) {
	j.mu.Lock()
	j.flushed = to
	j.mu.Unlock()
}
