package store

import (
	"errors"
	"os"
	"sync"
	"time"
)

const (
	flushSize  = 256 << 10
	flushAfter = 50 * time.Millisecond
	keepBuffer = 1 << 20
)

// journal is an append-only file with a buffer in front of it. What is still
// in the buffer can be read back like the rest. It has no goroutine: a timer
// runs only while something waits to be written, so an idle session is idle.
type journal struct {
	mu      sync.Mutex
	file    *os.File
	flushed int64 // bytes in the file
	buf     []byte
	timer   *time.Timer
	armed   bool
	err     error // why writing fails; buf keeps everything meanwhile
	tried   time.Time
}

// retryAfter is how long a failed write is left alone.
const retryAfter = 2 * time.Second

func newJournal(f *os.File) *journal {
	j := &journal{file: f, buf: make([]byte, 0, flushSize+4096)}
	j.timer = time.AfterFunc(time.Hour, j.flushLater)
	j.timer.Stop()
	return j
}

// add lets fill append to the buffer and returns the offset where that began.
func (j *journal) add(fill func(dst []byte) []byte) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.flushed + int64(len(j.buf))
	j.buf = fill(j.buf)
	if len(j.buf) >= flushSize {
		j.flush()
	} else if !j.armed {
		j.armed = true
		j.timer.Reset(flushAfter)
	}
	return at
}

func (j *journal) flushLater() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.armed = false
	j.flush()
}

// flush writes the buffer out. After a failure, such as a full disk, frames
// stay in memory until a later try works: losing the recording must not lose
// the session.
func (j *journal) flush() {
	if len(j.buf) == 0 || j.file == nil || j.err != nil && time.Since(j.tried) < retryAfter {
		return
	}
	n, err := j.file.Write(j.buf)
	j.flushed += int64(n)
	j.err, j.tried = err, time.Now()
	if err != nil {
		j.buf = append([]byte(nil), j.buf[n:]...)
		return
	}
	if cap(j.buf) > keepBuffer {
		j.buf = make([]byte, 0, flushSize+4096)
	}
	j.buf = j.buf[:0]
}

var errGone = errors.New("the recording was closed")

// read fills p from an offset.
func (j *journal) read(p []byte, off int64) error {
	j.mu.Lock()
	if j.file == nil {
		j.mu.Unlock()
		return errGone
	}
	n := 0
	if tail := off + int64(len(p)) - j.flushed; tail > 0 {
		// Some or all of it is still in the buffer.
		from := max(0, off-j.flushed)
		to := min(off+int64(len(p))-j.flushed, int64(len(j.buf)))
		if from < to {
			n = copy(p[max(0, j.flushed-off):], j.buf[from:to])
		}
		p = p[:len(p)-n]
	}
	file := j.file
	j.mu.Unlock()
	if len(p) == 0 {
		return nil
	}
	_, err := file.ReadAt(p, off)
	return err
}

func (j *journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// size is the length of everything appended so far, in bytes.
func (j *journal) size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.flushed + int64(len(j.buf))
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return j.err
	}
	j.timer.Stop()
	j.tried = time.Time{}
	j.flush()
	err := errors.Join(j.err, j.file.Close())
	j.file = nil
	return err
}
