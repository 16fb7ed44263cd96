package store

import (
	"encoding/base64"
	"fmt"
	"os"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
)

// Store is the record of one session. Its methods may be called from any
// goroutine.
type Store struct {
	journal *journal
	path    string // empty when nothing is to be kept

	mu        sync.RWMutex
	rows      index
	seq       int64
	methods   names
	flows     *flow.Table   // of the current connection
	inBatch   map[int32]int // pending requests of a batch by its row
	counts    Counts
	conn      uint16
	opened    bool   // a connection was opened
	endedConn uint16 // the connection whose end was recorded
	gen       uint64
	halt      *halt // nil while all bodies are kept

	subMu sync.Mutex
	subs  map[chan struct{}]struct{}
}

// Counts are the totals that a header shows.
type Counts struct {
	Rows    int
	Out, In int // frames each way
	Errors  int // rows for which [Row.IsError] holds
	Bytes   int64
	Pending int // requests without a response, both ways
}

// Snapshot is the state of the store at a moment: small, and no copy of rows.
type Snapshot struct {
	Counts
	// Generation changes whenever anything does, old rows included.
	Generation uint64
}

// Options say how a record is kept.
type Options struct {
	// Path is the file of the recording; empty for a record without a name,
	// which vanishes with the process.
	Path string
	// Limit is after how many bytes no more is written; 0 is no limit.
	Limit int64
}

// Create starts a record. A record without a name needs no place that can be
// written: see spill.
func Create(o Options, h record.Header) (*Store, error) {
	var file *os.File
	var nameless *spill
	var err error
	if o.Path == "" {
		nameless = newSpill(maxOverflow)
		err = nameless.ready()
	} else {
		file, err = os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create the recording: %w", err)
	}
	if file != nil {
		lock(file)
	}
	s := &Store{
		journal: newJournal(file, nameless, o.Limit), path: o.Path, conn: 1,
		rows: newIndex(), methods: newNames(), flows: flow.New(flow.Limits{}), inBatch: map[int32]int{},
		subs: make(map[chan struct{}]struct{}),
	}
	if h.Time == 0 {
		h.Time = time.Now().UnixNano()
	}
	s.journal.add(func(dst []byte) []byte { return record.AppendHeader(dst, h) })
	return s, nil
}

// Path is the recording's file, empty when nothing is kept.
func (s *Store) Path() string { return s.path }

// Size is how large the recording is, in bytes.
func (s *Store) Size() int64 {
	kept, _ := s.journal.size()
	return kept
}

// Flush hands what is buffered to the operating system.
func (s *Store) Flush() {
	s.journal.flushLater()
	s.mu.Lock()
	s.noteStop()
	s.mu.Unlock()
}

// Close writes out what is left. Rows can be read afterwards, bodies cannot.
func (s *Store) Close() error {
	s.Flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	wrote, err := s.journal.close()
	if err != nil {
		return s.missing(wrote, err)
	}
	return nil
}

// Append records a frame and returns its row. The bytes are copied.
func (s *Store) Append(f transport.Frame) int32 {
	s.mu.Lock()
	s.seq++
	var payload record.Payload
	at := s.journal.add(func(dst []byte) []byte {
		dst, payload = record.AppendFrame(dst, s.seq, f)
		return dst
	})
	i := s.rows.add(s.row(&f, at+int64(payload.Offset), payload.Base64))
	s.count(&f)
	s.correlate(i, &f)
	if s.rows.row(i).IsError() {
		s.counts.Errors++
	}
	s.gen++
	s.noteStop()
	s.mu.Unlock()
	s.Poke()
	return i
}

func (s *Store) row(f *transport.Frame, off int64, b64 bool) Row {
	e := &f.Envelope
	r := Row{
		Time: f.Time.UnixNano(), Code: e.Code, off: off, base64: b64,
		Size: uint32(min(len(f.Bytes), 1<<32-1)), Pair: None, Cause: None,
		ID: newSpan(e.ID), Method: s.methods.index(e.Method.Of(f.Bytes)),
		Exchange: f.Exchange, Conn: s.conn, Flaws: e.Flaws,
		Kind: e.Kind, IDType: e.IDType, Fault: e.Fault, Dir: f.Dir,
	}
	if f.Torn {
		r.Flags |= Torn
	}
	if f.Ending == "\r\n" {
		r.Flags |= OddEnding
	}
	if f.OtherEvent() {
		r.Flags |= OtherEvent
		if e.Kind == jsonrpc.Invalid {
			r.Method = s.methods.index([]byte(f.EventName)) // what it is, as it is no message
		}
	}
	return r
}

func (s *Store) count(f *transport.Frame) {
	s.counts.Rows++
	s.counts.Bytes += int64(len(f.Bytes))
	if f.Dir == transport.Out {
		s.counts.Out++
	} else {
		s.counts.In++
	}
}

// Line records a line on stderr.
func (s *Store) Line(l transport.Line) {
	s.event(func(dst []byte, seq int64) []byte { return record.AppendStderr(dst, seq, l) })
}

// Exchange records the phase that an HTTP exchange has reached. The end of one
// with an authorization server is also a row, since it carries no frames that
// would show it.
func (s *Store) Exchange(x *transport.Exchange) {
	now := time.Now()
	s.mu.Lock()
	s.seq++
	size := 0
	at := s.journal.add(func(dst []byte) []byte {
		start := len(dst)
		dst = record.AppendExchange(dst, s.seq, now, x)
		size = len(dst) - start - len("\n")
		return dst
	})
	if x.Purpose == transport.PurposeAuthorization && x.Phase == transport.ExchangeDone {
		s.rows.add(Row{
			Time: x.Start.UnixNano(), Code: int64(x.Status), off: at, Size: uint32(size), Method: s.methods.index([]byte(x.Purpose)),
			Exchange: x.ID, Pair: None, Cause: None, Conn: s.conn, Kind: KindExchange, Dir: transport.Out,
		})
		s.counts.Rows++
	}
	s.gen++
	s.mu.Unlock()
	s.Poke()
}

// Step records a step of connecting.
func (s *Store) Step(st client.Step) {
	s.event(func(dst []byte, seq int64) []byte {
		return record.AppendStep(dst, seq, time.Now(), st.Name, st.State.String(), st.Detail, st.Took)
	})
}

// Authorization records a step of getting a token.
func (s *Store) Authorization(st oauth.Step) {
	s.event(func(dst []byte, seq int64) []byte { return record.AppendAuthorization(dst, seq, st) })
}

// Note records what mcptea has decided by itself, and why.
func (s *Store) Note(text string) {
	s.event(func(dst []byte, seq int64) []byte { return record.AppendNote(dst, seq, time.Now(), text) })
}

// Process records a change in the life of the server's process. Its exit is also
// a row, with the sentence as its body, since it explains why no more frames
// come.
func (s *Store) Process(e transport.ProcessEvent, sentence string) {
	e.Argv = secret.Args(e.Argv)
	s.mu.Lock()
	s.seq++
	s.journal.add(func(dst []byte) []byte { return record.AppendProcess(dst, s.seq, e) })
	if e.What == transport.ProcessExited {
		s.exited(e, sentence)
	}
	s.gen++
	s.mu.Unlock()
	s.Poke()
}

// exited adds the row of an exit. The caller holds Session.mu.
func (s *Store) exited(e transport.ProcessEvent, sentence string) {
	s.seq++
	var payload int
	at := s.journal.add(func(dst []byte) []byte {
		start := len(dst)
		dst = record.AppendNote(dst, s.seq, e.Time, sentence)
		payload = len(dst) - start - len(sentence) - len("\"}\n")
		return dst
	})
	s.rows.add(Row{
		Time: e.Time.UnixNano(), off: at + int64(payload), Size: uint32(len(sentence)),
		Pair: None, Cause: None, Conn: s.conn, Kind: KindProcess, Dir: transport.In,
	})
	s.counts.Rows++
}

// event records what is not a row.
func (s *Store) event(fill func(dst []byte, seq int64) []byte) {
	s.mu.Lock()
	s.seq++
	s.journal.add(func(dst []byte) []byte { return fill(dst, s.seq) })
	s.gen++
	s.mu.Unlock()
	s.Poke()
}

// Connection records a change in the life of the connection, and sets its number.
// With a new connection, ids start afresh, and pending requests of the one before
// get no response any more.
func (s *Store) Connection(c record.Connection) {
	now := time.Now()
	s.mu.Lock()
	if c.What == record.ConnectionOpened {
		if s.opened || s.counts.Rows > 0 {
			s.abandon(now)
			s.conn++
			s.flows = flow.New(flow.Limits{})
		}
		s.opened = true
	}
	c.Number = s.conn
	s.seq++
	s.journal.add(func(dst []byte) []byte { return record.AppendConnection(dst, s.seq, now, c) })
	s.gen++
	s.mu.Unlock()
	s.Poke()
}

// Conn is the number of the connection that frames are recorded for, from 1.
func (s *Store) Conn() uint16 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.conn
}

// Disconnected records the end of a connection, and that its pending requests get
// no response any more. It does nothing the second time, and if the connection is
// not the current one.
func (s *Store) Disconnected(conn uint16, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if conn != s.conn || s.endedConn == conn {
		return
	}
	now := time.Now()
	s.abandon(now)
	s.endedConn = conn
	s.seq++
	s.journal.add(func(dst []byte) []byte {
		return record.AppendConnection(dst, s.seq, now, record.Connection{What: record.ConnectionClosed, Number: conn, Reason: reason})
	})
	s.gen++
	defer s.Poke()
}

// Snapshot returns the state now.
func (s *Store) Snapshot() Snapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := s.counts
	counts.Pending = s.flows.Count()
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

// Method returns the name that a row's Method stands for, empty for none. When
// a server has used more names than the store remembers, it is "…" and the
// body tells.
func (s *Store) Method(n uint16) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.methods.list[n]
}

// Body reads a frame back, exactly as it crossed the wire. The caller owns the
// result.
func (s *Store) Body(i int32) ([]byte, error) { return s.Head(i, 1<<62) }

// Head reads the first bytes of a frame, at most so many.
func (s *Store) Head(i int32, most int) ([]byte, error) {
	r, ok := s.Row(i)
	if !ok {
		return nil, fmt.Errorf("there is no frame %d", i+1)
	}
	size := min(int(r.Size), most)
	if !r.base64 {
		b := make([]byte, size)
		return b, s.journal.read(b, r.off)
	}
	whole := base64.StdEncoding.EncodedLen(int(r.Size))
	b := make([]byte, min(base64.StdEncoding.EncodedLen(size), whole))
	if err := s.journal.read(b, r.off); err != nil {
		return nil, err
	}
	n, err := base64.StdEncoding.Decode(b, b)
	return b[:min(n, size)], err
}

// Subscribe returns a channel with one slot that gets a token when something
// was appended, and a function that ends the subscription.
func (s *Store) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s.subMu.Lock()
	s.subs[ch] = struct{}{}
	s.subMu.Unlock()
	return ch, func() {
		s.subMu.Lock()
		delete(s.subs, ch)
		s.subMu.Unlock()
	}
}

// Poke wakes the subscribers without news of the store's own.
func (s *Store) Poke() {
	s.subMu.Lock()
	for ch := range s.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
	s.subMu.Unlock()
}
