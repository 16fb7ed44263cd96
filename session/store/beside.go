package store

import (
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
)

// lane is what the store knows of a connection while it goes on.
type lane struct {
	conn    uint16
	flows   *flow.Table
	inBatch map[int32]int  // pending requests of a batch by its row
	calls   calls          // without a response
	carried map[uint32]Ref // requests by the HTTP exchange that carries them
	// started is when the process was started; exit is the row of its exit, whose
	// sentence follows, or None.
	started time.Time
	exit    int32
}

func newLane(conn uint16) *lane {
	return &lane{conn: conn, flows: flow.New(flow.Limits{}), inBatch: map[int32]int{}, carried: map[uint32]Ref{}, exit: None}
}

// laneOf is the lane of an event. The caller holds the lock.
func (s *Store) laneOf(e *record.Event) *lane {
	if !e.Beside {
		return s.lane
	}
	l := s.beside[e.Conn]
	if l == nil {
		l = newLane(e.Conn)
		s.beside[e.Conn] = l
	}
	return l
}

// Beside is a connection beside that of the session: its events are in the same
// record, and its requests are correlated by themselves. Its methods may be called
// from any goroutine.
type Beside struct {
	store *Store
	conn  uint16

	mu sync.Mutex
	// blocks are the beginnings of the blocks of exchange numbers that the connection
	// has, by the block of its own numbers, which it counts from 1.
	blocks map[uint32]uint32
}

// exchangeBlock is how many exchange numbers a connection gets at a time. They are counted
// down from the highest number; those of the session are counted up.
const exchangeBlock = 256

// Beside records the beginning of a connection beside that of the session.
func (s *Store) Beside(c record.Connection) *Beside {
	s.mu.Lock()
	s.numbered = max(s.numbered, s.lane.conn) + 1
	c.Number, c.What, c.Beside = s.numbered, record.ConnectionOpened, true
	s.change(c)
	s.mu.Unlock()
	s.Notify()
	return &Beside{store: s, conn: c.Number, blocks: map[uint32]uint32{}}
}

// exchangeBlock returns the first number of a block of exchange numbers that is free.
func (s *Store) exchangeBlock() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks++
	return -s.blocks * exchangeBlock
}

// Conn is the number of the connection.
func (b *Beside) Conn() uint16 { return b.conn }

// exchange is the number of an HTTP exchange in the record; 0 stays 0.
func (b *Beside) exchange(id uint32) uint32 {
	if id == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	first, ok := b.blocks[id/exchangeBlock]
	if !ok {
		first = b.store.exchangeBlock()
		b.blocks[id/exchangeBlock] = first
	}
	return first + id%exchangeBlock
}

// Append is [Store.Append].
func (b *Beside) Append(f transport.Frame) (int32, Match) {
	f.Exchange = b.exchange(f.Exchange)
	s := b.store
	s.mu.Lock()
	s.seq++
	var payload record.Payload
	at := s.journal.add(func(dst []byte) []byte {
		line := len(dst)
		dst, payload = record.AppendFrame(dst, s.seq, f)
		var moved int
		dst, moved = record.InsertConnection(dst, line, b.conn)
		payload.Offset += moved
		return dst
	})
	l := s.laneOf(&record.Event{Conn: b.conn, Beside: true})
	i := s.frame(l, &f, at+int64(payload.Offset), payload.Base64)
	m := s.taken()
	s.noteStop()
	s.mu.Unlock()
	s.Notify()
	return i, m
}

// event records another event and returns its row, None without one.
func (b *Beside) event(e record.Event) int32 {
	e.Conn, e.Beside = b.conn, true
	s, row := b.store, None
	s.mu.Lock()
	before := s.counts.Rows
	s.record(e)
	if s.counts.Rows > before {
		row = int32(before)
	}
	s.mu.Unlock()
	s.Notify()
	return row
}

// Exchange records the phase that an HTTP exchange has reached, and returns its row,
// None without one.
func (b *Beside) Exchange(x transport.Exchange) int32 {
	x.ID, x.Repeats = b.exchange(x.ID), b.exchange(x.Repeats)
	return b.event(record.Event{Kind: record.KindHTTP, Time: time.Now(), Exchange: &x})
}

// Line records a line on stderr.
func (b *Beside) Line(l transport.Line) {
	b.event(record.Event{Kind: record.KindStderr, Time: l.Time, Text: string(l.Text[:min(len(l.Text), logTextSize)])})
}

// Process records a change in the life of the process. Its arguments must be
// redacted.
func (b *Beside) Process(e transport.ProcessEvent) {
	b.event(record.Event{Kind: record.KindProcess, Time: e.Time, Process: &e})
	if e.What == transport.ProcessExited {
		b.store.mu.Lock()
		started := b.store.laneOf(&record.Event{Conn: b.conn, Beside: true}).started
		b.store.mu.Unlock()
		b.event(record.Event{Kind: record.KindNote, Time: e.Time, Text: ExitSentence(e, started)})
	}
}

// Close records the end of the connection. A reason is a sentence; it is empty if
// the client has ended it.
func (b *Beside) Close(reason string) {
	s := b.store
	s.mu.Lock()
	s.change(record.Connection{What: record.ConnectionClosed, Number: b.conn, Beside: true, Reason: reason})
	s.mu.Unlock()
	s.Notify()
}
