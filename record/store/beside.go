package store

import (
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// A Beside is an additional connection in the record of a session. Its events are in the same
// record. Its requests are correlated separately. Its methods are safe for concurrent use.
type Beside struct {
	store *Store
	conn  uint16

	mu      sync.Mutex
	started time.Time // start of the process
	// blocks maps the blocks of the connection's exchange numbers to blocks in the record. The key
	// is 1-based, and the value is the first number of the block.
	blocks map[uint32]uint32
}

// exchangeBlock is the number of exchange numbers that a connection reserves at a time. Additional
// connections count down from the highest number, and the connection of the session counts up.
const exchangeBlock = 256

// Beside records the start of an additional connection.
func (s *Store) Beside(c record.Connection) *Beside {
	s.mu.Lock()
	s.numbered = nextConn(max(s.numbered, s.matcher.Conn()))
	c.Number, c.What, c.Beside = s.numbered, record.ConnectionOpened, true
	s.change(c)
	s.mu.Unlock()
	s.Notify()
	return &Beside{store: s, conn: c.Number, blocks: map[uint32]uint32{}}
}

// exchangeBlock reserves a block of exchange numbers and returns its first number.
func (s *Store) exchangeBlock() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks++
	return -s.blocks * exchangeBlock
}

// Conn returns the number of the connection.
func (b *Beside) Conn() uint16 { return b.conn }

// exchange returns the number of an HTTP exchange in the record; 0 stays 0.
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

// Append is like [Store.Append], but for this connection.
func (b *Beside) Append(f transport.Frame) int32 {
	f.Exchange = b.exchange(f.Exchange)
	return b.store.append(b.conn, &f)
}

// event records events and returns the row of the first, or None.
func (b *Beside) event(events ...record.Event) int32 {
	for i := range events {
		events[i].Conn, events[i].Beside = b.conn, true
	}
	return b.store.event(events...)
}

// Exchange records the phase that an HTTP exchange has reached, and returns its row, or None.
func (b *Beside) Exchange(x transport.Exchange) int32 {
	x.ID, x.Repeats = b.exchange(x.ID), b.exchange(x.Repeats)
	return b.event(record.Event{Kind: record.KindHTTP, Time: time.Now(), Exchange: &x})
}

// Line records a line on stderr.
func (b *Beside) Line(l transport.Line) {
	b.event(record.Event{Kind: record.KindStderr, Time: l.Time, Text: l.Text[:min(len(l.Text), logTextSize)]})
}

// Process records a change in the life of the process. Its arguments must be
// redacted.
func (b *Beside) Process(e transport.ProcessEvent) {
	b.mu.Lock()
	if e.What == transport.ProcessStarted {
		b.started = e.Time
	}
	started := b.started
	b.mu.Unlock()
	b.event(processEvents(&e, ExitSentence(e, started))...)
}

// Close records the end of the connection. The reason is a sentence, or "" if the client has ended
// the connection.
func (b *Beside) Close(reason string) {
	b.store.mu.Lock()
	b.store.change(record.Connection{What: record.ConnectionClosed, Number: b.conn, Beside: true, Reason: reason})
	b.store.mu.Unlock()
	b.store.Notify()
}
