package store

import (
	"fmt"
	"os"
)

// read fills p from an offset.
func (j *journal) read(p []byte, off int64) error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return errGone
	}
	if from := j.bufferStart(); off+int64(len(p)) > from {
		// Some or all of the bytes are still in the buffer.
		at := max(0, from-off)
		tail := j.buf[min(max(0, off-from), int64(len(j.buf))):]
		if copy(p[at:], tail) < len(p)-int(at) {
			j.mu.Unlock()
			return fmt.Errorf("offset %d is past the end", off)
		}
		p = p[:at]
	}
	p = j.readPending(p, off)
	file, at, err := j.readStored(p, off)
	j.mu.Unlock()
	if file != nil {
		_, err = file.ReadAt(p, at) // read without the lock, so that a large frame does not delay others
	}
	return err
}

// readStored fills p from bytes that are no longer in the buffer, or returns the file that contains them and
// the position in it.
func (j *journal) readStored(p []byte, off int64) (*os.File, int64, error) {
	inFile := min(max(0, j.flushed-off), int64(len(p)))
	switch {
	case len(p) == 0:
		return nil, 0, nil
	case j.stopped != nil && off+int64(len(p)) > j.lostAt:
		if !j.recent.read(p, off) {
			return nil, 0, ErrNotKept
		}
		return nil, 0, nil
	case inFile == int64(len(p)):
		return j.file, off, nil
	case j.file == nil:
		if b, at, err := j.overflow.part(off, len(p)); err == nil {
			if f, ok := b.(*os.File); ok {
				return f, at, nil
			}
		}
	case inFile > 0:
		if _, err := j.file.ReadAt(p[:inFile], off); err != nil {
			return nil, 0, err
		}
	}
	_, err := j.overflow.ReadAt(p[inFile:], off+inFile-j.flushed)
	return nil, 0, err
}

// failure returns the offset up to which the file was written, and why the file is not complete, or
// nil.
func (j *journal) failure() (wrote int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.overflow != nil {
		return j.flushed, j.err
	}
	return j.lostAt, j.stopped
}

// size returns the number of bytes kept, and the number of bytes appended.
func (j *journal) size() (kept, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	end = j.end()
	if j.stopped != nil {
		return j.lostAt, end
	}
	return end, end
}
