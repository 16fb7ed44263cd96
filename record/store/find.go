package store

import (
	"runtime"
	"slices"
	"sort"
	"sync"
)

// A Needle is a pattern for [Scanner.Find].
type Needle interface {
	// Index returns the offset of the first match in some bytes, or -1. It may be called from
	// several goroutines.
	Index(b []byte) int
	Len() int // length of the pattern, in bytes
}

const (
	// maxFinders bounds the goroutines of a search.
	maxFinders = 4
	// pieceSize is the minimum number of bytes of the record that each finder searches. readSize is the number
	// of bytes read at a time.
	pieceSize = 1 << 20
	readSize  = 256 << 10
)

// Find yields rows from the row from, in order. These are rows whose bytes contain the needle, and
// rows whose text is more than their bytes; see [Scanner.Text]. It searches a few MB of the record
// on all processors. next is the first row that was not searched; it is at most end.
func (sc *Scanner) Find(needle Needle, from, end int32) (rows []int32, next int32) {
	next = from
	pieces := 0
	sc.store.mu.RLock()
	_, kept := sc.store.journal.size()
	places := sc.store.rows.places
	for ; pieces < min(runtime.GOMAXPROCS(0), maxFinders) && next < end; pieces++ {
		if len(sc.finders) == pieces {
			sc.finders = append(sc.finders, &finder{store: sc.store, buf: make([]byte, readSize)})
		}
		f := sc.finders[pieces]
		block := int(next / blockRows)
		f.start, f.end, f.from, f.first = places[block].start, kept, next, -1
		for block++; block < len(places); block++ {
			if f.end = places[block].start; f.end-f.start >= pieceSize {
				break
			}
			f.end = kept
		}
		next = min(int32(block)*blockRows, end)
		f.to = next
	}
	sc.store.mu.RUnlock()
	var working sync.WaitGroup
	for _, f := range sc.finders[:pieces] {
		working.Go(func() { f.find(needle) })
	}
	working.Wait()
	for _, f := range sc.finders[:pieces] {
		rows = append(rows, f.found...)
	}
	return rows, next
}

// finder searches the bytes of some rows.
type finder struct {
	store      *Store
	from, to   int32
	start, end int64 // range in the record
	buf        []byte
	found      []int32

	rows  []Row // rows of the block
	first int32 // number of the first row of the block, or -1
	limit int64 // start of the next block
	at    int   // index in rows
}

func (f *finder) find(needle Needle) {
	f.found = f.found[:0]
	for block := f.from / blockRows; block*blockRows < f.to; block++ {
		f.aside(block)
	}
	for at := f.start; at < f.end; {
		b := f.buf[:min(int64(len(f.buf)), f.end-at)]
		if f.store.journal.read(b, at) != nil { // the bytes cannot be read, so each row may match
			f.found = f.found[:0]
			for i := f.from; i < f.to; i++ {
				f.found = append(f.found, i)
			}
			return
		}
		next := at + int64(len(b))
		if next < f.end {
			next -= int64(needle.Len() - 1)
		}
		for off := at; off < at+int64(len(b)); {
			i := needle.Index(b[off-at:])
			if i < 0 {
				break
			}
			off = f.hit(off+int64(i), int64(needle.Len()))
			next = max(next, off)
		}
		at = next
	}
	slices.Sort(f.found)
	f.found = slices.Compact(f.found)
}

// aside adds the rows of a block whose text is more than their bytes.
func (f *finder) aside(block int32) {
	f.store.mu.RLock()
	aside := f.store.rows.places[block].aside
	f.store.mu.RUnlock()
	if !aside {
		return
	}
	f.load(block)
	for i := range f.rows {
		if !f.rows[i].IsPlain() {
			f.add(f.first + int32(i))
		}
	}
}

func (f *finder) add(row int32) {
	if row >= f.from && row < f.to {
		f.found = append(f.found, row)
	}
}

// hit adds the row that contains a position of the record, if there is one, and returns where the search
// continues.
func (f *finder) hit(off, size int64) int64 {
	if f.first < 0 || off >= f.limit || off < f.rows[0].off {
		f.store.mu.RLock()
		places := f.store.rows.places
		block := sort.Search(len(places), func(i int) bool { return places[i].start > off }) - 1
		f.store.mu.RUnlock()
		f.load(int32(block))
	}
	next := off + 1
	for i := f.at; i < len(f.rows); i++ {
		r := &f.rows[i]
		switch {
		case !r.IsPlain():
		case r.off > off:
			return max(next, r.off) // the position is between two rows
		case off+size <= r.off+int64(r.Size):
			f.at = i
			f.add(f.first + int32(i))
			return r.off + int64(r.Size)
		}
	}
	return next
}

// load reads a block of the index.
func (f *finder) load(block int32) {
	f.store.mu.RLock()
	defer f.store.mu.RUnlock()
	f.first, f.at = block*blockRows, 0
	f.rows = f.store.rows.copy(f.rows[:0], f.first, blockRows)
	f.limit = f.end
	if places := f.store.rows.places; int(block)+1 < len(places) {
		f.limit = places[block+1].start
	}
}
