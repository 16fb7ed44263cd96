package store

import (
	"fmt"
	"sort"
)

// Failure returns why the recording stopped, a [GoneError], or nil if it continues. The session
// continues in memory.
func (s *Store) Failure() error {
	if s.path == "" {
		return nil
	}
	at, err := s.journal.failure()
	if err == nil {
		return s.journal.goneError()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.missing(at, err)
}

// missing returns an error that describes which frames are missing in a file. at is the offset up
// to which the file was written. The caller holds Store.mu.
func (s *Store) missing(at int64, why error) error {
	return fmt.Errorf("%w; frames from #%d on are not in it", why, s.rowFrom(at)+1)
}

// rowFrom returns the first row whose body is at or after an offset. The caller holds s.mu.
func (s *Store) rowFrom(at int64) int32 {
	return int32(sort.Search(s.rows.n, func(i int) bool { return s.rows.at(int32(i)).off >= at }))
}

// Halted reports whether bodies are no longer kept; see [Store.NotKept]. It takes
// no lock.
func (s *Store) Halted() bool { return s.journal.halted.Load() }

// NotKept returns the first row whose body was not kept, and the reason, which is nil if all bodies
// were kept. The newest bodies remain readable for a while.
func (s *Store) NotKept() (from int32, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteStop()
	if s.halt == nil {
		return None, nil
	}
	return s.halt.from, s.halt.why
}

// A halt is the reason why the journal has stopped, and the first row that was not kept.
type halt struct {
	from int32
	why  error
}

// noteStop handles a journal that has stopped: it writes the reason at the end of the recording.
// The caller holds Store.mu.
func (s *Store) noteStop() {
	if s.halt != nil || !s.journal.halted.Load() {
		return
	}
	lostAt, why := s.journal.stoppedAt()
	from := s.rowFrom(lostAt)
	s.halt = &halt{from, why}
	s.gen++
	s.journal.finish(s.note("the recording stops here: %v; the bodies of frames from #%d on are not in it", why, from+1))
}
