package store

import (
	"encoding/base64"
)

// scanBuffer is the number of bytes of the recording that Scan reads at a time.
const scanBuffer = 256 << 10

// bodyLimit is the number of bytes of a frame that a Scanner returns.
const bodyLimit = 1 << 20

// Scanner reads rows and their bytes in order, with one read of the recording for many rows. It is not safe for
// concurrent use.
type Scanner struct {
	store *Store
	rows  []Row
	buf   []byte
	from  int64 // file offset of buf
	text  []byte

	finders []*finder // used by Find
}

// NewScanner returns a scanner over the store.
func (s *Store) NewScanner() *Scanner {
	return &Scanner{store: s, rows: make([]Row, 0, 1024)}
}

// Rows calls visit for each row, starting with the row from. It stops when visit returns false,
// after most rows, or at the last row. It returns the next row.
func (sc *Scanner) Rows(from int32, most int, visit func(i int32, r *Row) bool) int32 {
	for most > 0 {
		sc.load(from, min(most, cap(sc.rows)))
		if len(sc.rows) == 0 {
			return from
		}
		for k := range sc.rows {
			if !visit(from, &sc.rows[k]) {
				return from
			}
			from++
			most--
		}
	}
	return from
}

// load copies rows, so that they are visited without the lock.
func (sc *Scanner) load(from int32, n int) {
	s := sc.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	sc.rows = s.rows.copy(sc.rows[:0], from, n)
}

// Body returns the bytes of a row, at most 1 MiB, valid until the next call. Rows that are
// requested in order share reads.
func (sc *Scanner) Body(r *Row) []byte {
	stored := int(min(r.stored(), bodyLimit)) // a multiple of four, which base64 needs
	if !sc.has(r.off, stored) {
		sc.read(r.off, stored)
	}
	if !sc.has(r.off, stored) {
		return nil
	}
	start := int(r.off - sc.from)
	raw := sc.buf[start : start+stored]
	if !r.id.base64 {
		return raw
	}
	if cap(sc.text) < len(raw) {
		sc.text = make([]byte, bodyLimit)
	}
	n, err := base64.StdEncoding.Decode(sc.text[:cap(sc.text)], raw)
	if err != nil {
		return nil
	}
	return sc.text[:min(n, int(r.Size))]
}

// ID returns the raw id of a row, or nil; valid until the next call.
func (sc *Scanner) ID(r *Row) []byte {
	if r.id.size == 0 {
		return nil
	}
	if r.id.base64 || int(r.id.start)+int(r.id.size) <= bodyLimit {
		return r.IDOf(sc.Body(r))
	}
	// The id is after a long result.
	id := make([]byte, r.id.size)
	if sc.store.journal.read(id, r.off+int64(r.id.start)) != nil {
		return nil
	}
	return id
}

func (sc *Scanner) has(off int64, n int) bool {
	return off >= sc.from && off+int64(n) <= sc.from+int64(len(sc.buf))
}

func (sc *Scanner) read(off int64, n int) {
	size := n // beyond the kept bytes, do not read ahead
	if kept, end := sc.store.journal.size(); off < kept {
		size = int(min(kept-off, scanBuffer))
	} else if kept < end {
		size = int(min(end-off, scanBuffer))
	}
	size = max(size, n)
	if cap(sc.buf) < size {
		sc.buf = make([]byte, size)
	}
	sc.buf, sc.from = sc.buf[:size], off
	if sc.store.journal.read(sc.buf, off) != nil {
		sc.buf = sc.buf[:0]
	}
}
