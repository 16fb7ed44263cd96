package app

import "time"

const (
	// bufferSize is the number of bytes that a stream collects before it is written.
	bufferSize = 64 << 10
	// bufferTime bounds how long output is buffered, so that output about slow input is visible.
	bufferTime = 50 * time.Millisecond
)

// Buffer makes the stream collect its output for a moment, for a command that prints very many lines. The
// returned function ends that; call it before the command prints on another stream.
func (s *Screen) Buffer() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffer = make([]byte, 0, bufferSize)
	s.flushing = time.AfterFunc(bufferTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flush()
	})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flushing.Stop()
		s.flush()
		s.buffer = nil
	}
}

// collect is like write, but buffers.
func (s *Screen) collect(b []byte) (int, error) {
	if len(s.buffer)+len(b) > bufferSize {
		s.flush()
	}
	if len(s.buffer) == 0 {
		s.flushing.Reset(bufferTime)
	}
	s.buffer = append(s.buffer, b...)
	return len(b), s.Failure
}

func (s *Screen) flush() {
	if len(s.buffer) > 0 && s.Failure == nil {
		_, _ = s.write(s.buffer) // the screen keeps the error
	}
	s.buffer = s.buffer[:0]
}
