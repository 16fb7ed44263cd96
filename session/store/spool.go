package store

// Spool is a temporary file without a name; see spill. It is not safe for
// concurrent use.
type Spool struct{ data *spill }

// NewSpool returns an empty one.
func NewSpool() *Spool { return &Spool{newSpill(maxOverflow)} }

// Write appends.
func (s *Spool) Write(p []byte) (int, error) {
	if _, err := s.data.add(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ReadAt reads what was appended.
func (s *Spool) ReadAt(p []byte, off int64) (int, error) { return s.data.ReadAt(p, off) }

// Size is how many bytes it has.
func (s *Spool) Size() int64 { return s.data.size }

// Close frees it.
func (s *Spool) Close() error { return s.data.close() }
