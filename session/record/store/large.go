package store

import (
	"unsafe"
	"weak"
)

// large is the newest frame whose bytes are its own, as long as they are in use: they need
// not be read again, and are in memory once.
type large struct {
	row   int32
	first weak.Pointer[byte]
	size  int
}

// keep takes note of a frame.
func (l *large) keep(row int32, frame []byte) {
	if len(frame) > 0 {
		*l = large{row, weak.Make(&frame[0]), len(frame)}
	}
}

// largeFrame returns the bytes of a row; nil if they have to be read.
func (s *Store) largeFrame(row int32) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.large.size == 0 || s.large.row != row {
		return nil
	}
	first := s.large.first.Value()
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, s.large.size) //nolint:gosec // the pointer is to the first of so many
}
