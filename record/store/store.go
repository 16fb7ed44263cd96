package store

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/signal"
	"mcptea/record"
	"mcptea/record/flow"
)

// Store is the record of one session. Its methods may be called from any
// goroutine.
type Store struct {
	source *source // source of an opened recording; nil for a live session
	header record.Header

	saving sync.Mutex // guards the file next to the recording; locked before mu
	mu     sync.RWMutex
	lines
	rows      index
	methods   names
	matcher   *flow.Matcher
	matches   []Match          // matches of the event being indexed
	refused   refused          // newest error response to server/discover that may be expected
	exits     map[uint16]int32 // rows of exits whose sentence follows, by connection
	numbered  uint16           // highest number of an additional connection
	counts    Counts
	frames    record.FrameCounter // counts frames
	logs      logs
	exchanges map[uint32]transport.Exchange
	order     []uint32 // numbers of the exchanges, oldest first
	blocks    uint32   // blocks of exchange numbers assigned to additional connections
	conns     []Connection
	apps      []uint16 // the numbers of the connections with apps, sorted
	marks     marks
	deliveries
	changes map[int64]change // changes, by the offset of the frame's payload
	gen     uint64
	halt    *halt // set when bodies are no longer kept, or nil
	large   large

	signal signal.Signal
}

// Counts holds the totals that a header shows.
type Counts struct {
	record.FrameCount
	Rows    int // number of rows, including Frames, Unsent and Events
	Events  int // rows that are not frames
	Errors  int // rows for which [Row.IsError] holds
	Pending int // requests of both sides without a response
}

// Snapshot is the state of the store at a moment. It is small and contains no rows.
type Snapshot struct {
	Counts
	// Generation changes with every change, including changes of old rows.
	Generation uint64
}

// Options configures how a record is kept.
type Options struct {
	// Path is the file of the recording, or "" for a record that disappears with the process.
	Path string
	// Limit is the maximum size of the recording in bytes, or 0 for no limit.
	Limit int64
	// Secrets are redacted in events before they are written and indexed. Frames stay exact, and
	// the reader of stderr redacts its lines; see [secret.Lines]. Secrets may be nil.
	Secrets *secret.Values
}

// Create starts a record. A record without a path does not need a writable directory; see spill.
func Create(o Options, h record.Header) (*Store, error) {
	l, err := newLines(o, &h)
	if err != nil {
		return nil, err
	}
	return newStore(l, h), nil
}

func newStore(l lines, h record.Header) *Store {
	return &Store{
		lines: l, header: h, rows: newIndex(), methods: newNames(), matcher: flow.NewMatcher(flow.Limits{}), exits: map[uint16]int32{},
		exchanges: map[uint32]transport.Exchange{}, changes: map[int64]change{},
	}
}

// Header returns the first line of the record.
func (s *Store) Header() record.Header { return s.header }

// Size returns the size of the recording in bytes.
func (s *Store) Size() int64 {
	kept, _ := s.journal.size()
	return kept
}

// Flush passes the buffered bytes to the operating system.
func (s *Store) Flush() {
	s.journal.flushNow()
	s.mu.Lock()
	s.noteStop()
	s.mu.Unlock()
}

// HandOver is like Flush, but waits at most within. A caller that displays the record uses it
// before it displays an event. So the event is in the file even if the process is killed.
func (s *Store) HandOver(within time.Duration) { s.journal.handOver(within) }

// Close writes the remaining bytes. After that, rows can be read but bodies cannot.
func (s *Store) Close() error {
	s.Flush()
	marks := s.SaveMarks()
	s.mu.Lock()
	defer s.mu.Unlock()
	wrote, err := s.journal.close()
	if err != nil {
		return s.missing(wrote, err)
	}
	return marks
}

// Append records a frame and returns its row. The bytes are copied, if they are not its own.
func (s *Store) Append(f transport.Frame) int32 { return s.append(0, &f) }

func (s *Store) append(beside uint16, f *transport.Frame) int32 {
	s.mu.Lock()
	at, b64 := s.lines.frame(beside, f)
	i := s.frame(beside, f, at, b64, 0)
	if f.Own {
		s.large.keep(i, f.Bytes)
	}
	s.noteStop()
	s.mu.Unlock()
	s.Notify()
	return i
}

// Snapshot returns the state now.
func (s *Store) Snapshot() Snapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := s.counts
	counts.FrameCount = s.frames.FrameCount
	counts.Pending = s.matcher.Table().Count()
	return Snapshot{Counts: counts, Generation: s.gen}
}

// Row returns a copy of a row.
func (s *Store) Row(i int32) (Row, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return Row{}, false
	}
	return s.rows.at(i), true
}

// RowAt returns the first row at a time or later, or the last row if all are earlier. It returns
// None if the record is empty.
func (s *Store) RowAt(at time.Time) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := sort.Search(s.rows.n, func(i int) bool { return s.rows.at(int32(i)).Time >= at.UnixNano() })
	return int32(min(i, s.rows.n-1))
}

// Method returns the name for the Method of a row, or "". It returns "…" if a server has used more
// names than the store remembers: then only the body has the name.
func (s *Store) Method(n uint16) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.methods.list[n]
}

// Body returns a frame exactly as it crossed the wire. The caller must not change it, because large frames are
// shared.
func (s *Store) Body(i int32) ([]byte, error) { return s.Head(i, 1<<62) }

// Head is like [Store.Body], but returns at most most bytes.
func (s *Store) Head(i int32, most int) ([]byte, error) {
	r, ok := s.Row(i)
	if !ok {
		return nil, fmt.Errorf("there is no frame %d", i+1)
	}
	size := min(int(r.Size), most)
	if size == int(r.Size) && size > largeSize {
		return s.shared(i, &r)
	}
	b := make([]byte, size)
	return b, s.readFrame(b, &r)
}

// Subscribe returns a channel with one slot that receives a token when something was appended, and a function
// that ends the subscription.
func (s *Store) Subscribe() (<-chan struct{}, func()) {
	return s.signal.Subscribe()
}

// Notify wakes the subscribers, including for changes outside of the store.
func (s *Store) Notify() {
	s.signal.Notify()
}
