package store

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// A spill is append-only storage without a name, which disappears with the process. It starts as a file in the
// temporary directory. If that cannot be created or written, the rest goes to memory. The caller guards it with
// a lock; concurrent reads are allowed.
type spill struct {
	// limit bounds the bytes in memory; 0 means no limit.
	limit  int64
	memory int64
	size   int64
	parts  []part
	kind   spillKind // kind of backing of the current or next part
	create func(spillKind) (backing, error)
}

// A part is a range of a spill in one backing.
type part struct {
	backing backing
	start   int64 // offset in the spill
	size    int64
}

// A backing is a file or a replacement for one.
type backing interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A spillKind is a kind of backing. If one fails, the next is tried.
type spillKind uint8

const (
	inTempDir spillKind = iota
	onHeap
	nowhere
)

var (
	errSpillFull = errors.New("no more memory is spent on it")
	errNoSpill   = errors.New("no place for temporary data")
)

func newSpill(limit int64) *spill { return &spill{limit: limit, create: createBacking} }

func createBacking(k spillKind) (backing, error) {
	if k == inTempDir {
		return unnamedFile()
	}
	return &heap{}, nil
}

// ready opens a backing before anything is written, so that an unusable backing is noticed early.
func (s *spill) ready() error {
	for ; s.kind < nowhere; s.kind++ {
		b, err := s.create(s.kind)
		if err == nil {
			s.parts = append(s.parts, part{backing: b, start: s.size})
			return nil
		}
	}
	return errNoSpill
}

// add appends p to one part, and returns its start.
func (s *spill) add(p []byte) (int64, error) {
	at := s.size
	for s.kind < nowhere {
		if len(s.parts) == 0 {
			if err := s.ready(); err != nil {
				return 0, err
			}
		}
		if s.kind != inTempDir && s.limit > 0 && s.memory+int64(len(p)) > s.limit {
			return 0, errSpillFull
		}
		last := &s.parts[len(s.parts)-1]
		if _, err := last.backing.WriteAt(p, last.size); err == nil {
			last.size += int64(len(p))
			s.size += int64(len(p))
			if s.kind != inTempDir {
				s.memory += int64(len(p))
			}
			return at, nil
		}
		if s.kind++; s.kind < nowhere {
			if err := s.ready(); err != nil {
				return 0, err
			}
		}
	}
	return 0, errNoSpill
}

// part returns the part that contains n bytes from an offset.
func (s *spill) part(off int64, n int) (backing, int64, error) {
	for i := len(s.parts) - 1; i >= 0; i-- {
		if p := &s.parts[i]; off >= p.start && off+int64(n) <= p.start+p.size {
			return p.backing, off - p.start, nil
		}
	}
	return nil, 0, fmt.Errorf("bytes %d to %d: %w", off, off+int64(n), io.ErrUnexpectedEOF)
}

// ReadAt fills p from an offset, also across parts.
func (s *spill) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for i := range s.parts {
		q := &s.parts[i]
		from := off + int64(n)
		if n == len(p) || from < q.start || from >= q.start+q.size {
			continue
		}
		m := int(min(int64(len(p)-n), q.start+q.size-from))
		if _, err := q.backing.ReadAt(p[n:n+m], from-q.start); err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		n += m
	}
	if n < len(p) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

// writeAt changes bytes that were appended in one piece.
func (s *spill) writeAt(p []byte, off int64) error {
	b, at, err := s.part(off, len(p))
	if err != nil {
		return err
	}
	_, err = b.WriteAt(p, at)
	return err
}

// onDisk returns the file that is written, or nil if it is not in the temporary directory.
func (s *spill) onDisk() *os.File {
	if s.kind != inTempDir || len(s.parts) == 0 {
		return nil
	}
	f, _ := s.parts[len(s.parts)-1].backing.(*os.File)
	return f
}

func (s *spill) close() error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.backing.Close())
	}
	s.parts, s.kind = nil, nowhere
	return errors.Join(errs...)
}

// heap is a backing in chunks, so that growing copies nothing.
type heap struct{ chunks [][]byte }

const heapChunk = 1 << 20

// WriteAt writes at any offset up to the end.
func (h *heap) WriteAt(p []byte, off int64) (int, error) {
	for n := 0; n < len(p); {
		i, at := int((off+int64(n))/heapChunk), int((off+int64(n))%heapChunk)
		for i >= len(h.chunks) {
			h.chunks = append(h.chunks, make([]byte, heapChunk))
		}
		n += copy(h.chunks[i][at:], p[n:])
	}
	return len(p), nil
}

// ReadAt reads written bytes.
func (h *heap) ReadAt(p []byte, off int64) (int, error) {
	for n := 0; n < len(p); {
		i, at := int((off+int64(n))/heapChunk), int((off+int64(n))%heapChunk)
		if i >= len(h.chunks) {
			return n, io.EOF
		}
		n += copy(p[n:], h.chunks[i][at:])
	}
	return len(p), nil
}

// Close frees the memory.
func (h *heap) Close() error {
	h.chunks = nil
	return nil
}

var _, _ backing = (*heap)(nil), (*os.File)(nil)
