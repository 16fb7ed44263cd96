package store

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// spill is append-only storage without a name: it is gone when the process is. It is a file
// of the temporary directory, or memory where that cannot be created. The caller guards it
// with a lock; reads may run beside each other.
type spill struct {
	limit    int64   // of memory, in bytes; 0 is no limit
	backing  backing // nil before the first bytes
	isMemory bool
	size     int64
	create   func() (*os.File, error)
}

// backing is a file, or what stands for one.
type backing interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

var errSpillFull = errors.New("no more memory is spent on it")

func newSpill(limit int64) *spill { return &spill{limit: limit, create: unnamedFile} }

// add appends p and returns where it begins.
func (s *spill) add(p []byte) (int64, error) {
	if s.backing == nil {
		if file, err := s.create(); err == nil {
			s.backing = file
		} else {
			s.backing, s.isMemory = &heap{}, true
		}
	}
	at := s.size
	if s.isMemory && s.limit > 0 && at+int64(len(p)) > s.limit {
		return 0, errSpillFull
	}
	if _, err := s.backing.WriteAt(p, at); err != nil {
		return 0, err
	}
	s.size += int64(len(p))
	return at, nil
}

// ReadAt fills p from an offset.
func (s *spill) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > s.size {
		return 0, fmt.Errorf("bytes %d to %d: %w", off, off+int64(len(p)), io.ErrUnexpectedEOF)
	}
	if len(p) == 0 {
		return 0, nil
	}
	return s.backing.ReadAt(p, off)
}

// writeAt changes bytes that were appended.
func (s *spill) writeAt(p []byte, off int64) error {
	_, err := s.backing.WriteAt(p, off)
	return err
}

// file is the file in the temporary directory; nil without one.
func (s *spill) file() *os.File {
	file, _ := s.backing.(*os.File)
	return file
}

func (s *spill) close() error {
	if s.backing == nil {
		return nil
	}
	return s.backing.Close()
}

// heap is memory in chunks, so that growing copies nothing.
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

// ReadAt reads what was written.
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
