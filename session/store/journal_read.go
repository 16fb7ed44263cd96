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
		// Some or all of it is still in the buffer.
		at := max(0, from-off)
		tail := j.buf[min(max(0, off-from), int64(len(j.buf))):]
		if copy(p[at:], tail) < len(p)-int(at) {
			j.mu.Unlock()
			return fmt.Errorf("offset %d is past the end", off)
		}
		p = p[:at]
	}
	file, err := j.readStored(p, off)
	j.mu.Unlock()
	if file != nil {
		_, err = file.ReadAt(p, off) // a large frame does not hold up the others
	}
	return err
}

// readStored fills p from what is no longer in the buffer, or returns the file
// that has it.
func (j *journal) readStored(p []byte, off int64) (*os.File, error) {
	end := off + int64(len(p))
	switch {
	case len(p) == 0:
		return nil, nil
	case j.stopped != nil && end > j.lostAt:
		if !j.recent.read(p, off) {
			return nil, ErrNotKept
		}
		return nil, nil
	case j.nameless != nil:
		b, at, err := j.nameless.at(off, len(p))
		if f, ok := b.(*os.File); err == nil && ok && at == off {
			return f, nil
		}
		_, err = j.nameless.ReadAt(p, off)
		return nil, err
	case end <= j.flushed:
		return j.file, nil
	case off >= j.flushed:
		_, err := j.overflow.ReadAt(p, off-j.flushed)
		return nil, err
	}
	if _, err := j.file.ReadAt(p[:j.flushed-off], off); err != nil {
		return nil, err
	}
	_, err := j.overflow.ReadAt(p[j.flushed-off:], 0)
	return nil, err
}

// failure is why the file is not complete, nil while it is, and up to which
// offset it has been written.
func (j *journal) failure() (wrote int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.overflow != nil {
		return j.flushed, j.err
	}
	return j.lostAt, j.stopped
}

// size is the length of everything that was kept, in bytes, and end that of
// everything that was appended.
func (j *journal) size() (kept, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	end = j.end()
	if j.stopped != nil {
		return j.lostAt, end
	}
	return end, end
}
