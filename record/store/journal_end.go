package store

import (
	"bytes"
	"errors"
	"time"
)

// stop ends writing permanently. The overflow is still written when that is possible.
func (j *journal) stop(why error) {
	at := j.bufferStart()
	j.stopped, j.lostAt = why, at
	j.recent = newRing(recentSize, at)
	j.halted.Store(true)
}

// stoppedAt returns the offset of the first byte that was not kept, and the reason.
func (j *journal) stoppedAt() (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lostAt, j.stopped
}

// finish writes the last line of a stopped journal into the file.
func (j *journal) finish(line []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.epilogue = line
	if j.overflow == nil && !j.closed {
		j.writeEpilogue()
	}
}

// endWith writes the last line of a file that cannot be extended. The line replaces as many lines
// at the end as necessary. endWith does nothing while the file is complete.
func (j *journal) endWith(line []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.file == nil {
		return
	}
	j.tried = time.Time{}
	if j.flush(); j.overflow != nil {
		j.err = j.drain() // there may be room now
	}
	if j.overflow == nil {
		return
	}
	const tailSize = 64 << 10
	tail := make([]byte, min(tailSize, j.flushed))
	if _, err := j.file.ReadAt(tail, j.flushed-int64(len(tail))); err != nil {
		return
	}
	cut := bytes.LastIndexByte(tail[:max(0, len(tail)-len(line))], '\n') + 1
	if cut == 0 {
		return // the last line is longer than the part that was read, and worth more than the new line
	}
	at := j.flushed - int64(len(tail)-cut)
	if j.file.Truncate(at) != nil {
		return
	}
	if _, err := j.file.WriteAt(line, at); err == nil {
		at += int64(len(line))
	}
	j.flushed, j.epilogue = at, nil
	_ = j.overflow.close() // the overflow no longer follows the file
	j.overflow = nil
	if j.stopped == nil {
		j.stop(j.err)
	}
}

func (j *journal) writeEpilogue() {
	if j.file != nil && len(j.epilogue) > 0 {
		_, _ = j.file.WriteAt(j.epilogue, j.flushed) // readers of the session see the epilogue, too
		j.epilogue = nil
	}
}

// close returns the offset up to which the file was written, and the reason if the file is not
// complete.
func (j *journal) close() (wrote int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return j.flushed, j.err
	}
	j.timer.Stop()
	j.tried = time.Time{}
	j.flush()
	var errs []error
	if j.overflow != nil {
		j.err = j.drain()
	}
	if j.overflow != nil {
		errs = append(errs, j.overflow.close())
	}
	if j.file != nil {
		errs = append(errs, j.err, j.file.Close())
	}
	j.closed, j.recent = true, nil
	return j.flushed, errors.Join(errs...)
}
