package store

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/record"
)

// Ref names a request of a record; see [flow.Ref].
type Ref = flow.Ref

// NoRef is no request.
var NoRef = flow.NoRef

// Why says what ended the wait for a response.
type Why uint8

// The causes.
const (
	NotEnded   Why = iota
	ByResponse     // also a malformed one that has the id
	ByCancel       // a notification, or the end of its exchange on purpose
	ByTimeout      // a cancellation because of a timeout
	ByReuse        // a newer request has its id
	ByLoss         // the transport lost it, and the connection goes on
	ByClose        // the connection or the process ended
)

// Match is one message of an event, or the end of a request without a message, and what it
// belongs to. It is a value: it says what was known at its moment, and holds nothing of
// what correlates. An event has at least one.
type Match struct {
	// Row is that of the frame of the message, None without a message. Element is the place
	// of the message in a batch.
	Row     int32
	Element uint16
	Kind    jsonrpc.Kind // of the message
	// Dir is the direction of the message; of an end without one, that of the request.
	Dir transport.Direction
	// Request is the request that the message is, or belongs to.
	Request Ref
	// Parent is the request of the client in whose course a request of the server came that
	// is no response: that of its HTTP exchange, or the only one that is pending.
	Parent Ref
	// Before is the state of the request before the message, and State that after it; for a
	// response also Duplicate, Unmatched and WithoutID.
	Before, State flow.State
	Ended         Why
	Method        string // of the request; [ManyMethods] if it is in the body only
	Reused        bool   // the sender of the request used its id before
	ToolError     bool
	Acknowledged  bool
	// Bytes are the message: they alias the event, and are valid as long as it is.
	Bytes []byte
	// Others are the matches of the event before this one, if it has several: a batch, the
	// end of a connection, an id that is used again. Those of [Tail.Matches] have none.
	Others []Match
}

// IsMessage reports whether there is a message.
func (m *Match) IsMessage() bool { return m.Row != None }

// IsSubscription reports whether the request lasts: its response is not awaited.
func (m *Match) IsSubscription() bool { return flow.IsSubscription(m.Method) }

// Envelope scans the message.
func (m *Match) Envelope() jsonrpc.Envelope { return jsonrpc.Scan(m.Bytes) }

// All visits the matches of an event, the one of which is m, in their order.
func (m *Match) All() iter.Seq[*Match] {
	return func(yield func(*Match) bool) {
		for i := range m.Others {
			if !yield(&m.Others[i]) {
				return
			}
		}
		yield(m)
	}
}

// plainMatch is the match of what belongs to nothing.
func plainMatch() Match { return Match{Row: None, Request: NoRef, Parent: NoRef} }

// logged is what the log has of a match: what belongs to nothing is not in it.
type logged struct {
	event                                  uint32 // its number, from 1
	request, parent                        int32
	element, requestElement, parentElement uint16
	method                                 uint16
	kind                                   jsonrpc.Kind
	states                                 uint8 // before, and state in the upper half
	ended                                  Why
	flags                                  matchFlags
}

type matchFlags uint8

const (
	isMessage matchFlags = 1 << iota
	isIncoming
	isReused
	isToolError
	isAcknowledged
)

// loggedSize is the length of an entry in a file, in bytes.
const loggedSize = 24

func (l *logged) encode(b []byte) {
	le := binary.LittleEndian
	_ = b[loggedSize-1]
	le.PutUint32(b, l.event)
	le.PutUint32(b[4:], uint32(l.request))
	le.PutUint32(b[8:], uint32(l.parent))
	le.PutUint16(b[12:], l.element)
	le.PutUint16(b[14:], l.requestElement)
	le.PutUint16(b[16:], l.parentElement)
	le.PutUint16(b[18:], l.method)
	b[20], b[21], b[22], b[23] = byte(l.kind), l.states, byte(l.ended), byte(l.flags)
}

func (l *logged) decode(b []byte) {
	le := binary.LittleEndian
	_ = b[loggedSize-1]
	l.event, l.request, l.parent = le.Uint32(b), int32(le.Uint32(b[4:])), int32(le.Uint32(b[8:]))
	l.element, l.requestElement, l.parentElement = le.Uint16(b[12:]), le.Uint16(b[14:]), le.Uint16(b[16:])
	l.method = le.Uint16(b[18:])
	l.kind, l.states, l.ended, l.flags = jsonrpc.Kind(b[20]), b[21], Why(b[22]), matchFlags(b[23])
}

// match adds a match of the event that is taken into the index. The caller holds the lock.
func (s *Store) match(m *Match) {
	s.matches = append(s.matches, *m)
	if m.Request == NoRef && m.Parent == NoRef && m.State == flow.Unknown && (m.Kind == jsonrpc.Notification || !m.IsMessage()) {
		return
	}
	l := logged{
		event: s.events, request: m.Request.Row, requestElement: m.Request.Element, parent: m.Parent.Row, parentElement: m.Parent.Element,
		element: m.Element, kind: m.Kind, states: uint8(m.Before) | uint8(m.State)<<4, ended: m.Ended,
	}
	if m.Method != "" {
		l.method = s.methods.index([]byte(m.Method))
	}
	l.set(isMessage, m.IsMessage())
	l.set(isIncoming, m.Dir == transport.In)
	l.set(isReused, m.Reused)
	l.set(isToolError, m.ToolError)
	l.set(isAcknowledged, m.Acknowledged)
	s.log.add(l)
}

func (l *logged) set(flag matchFlags, is bool) {
	if is {
		l.flags |= flag
	}
}

// taken returns the matches of the event that was taken into the index. The caller holds
// the lock.
func (s *Store) taken() Match {
	n := len(s.matches)
	if n == 0 {
		return plainMatch()
	}
	m := s.matches[n-1]
	if n > 1 {
		m.Others = slices.Clone(s.matches[:n-1])
	}
	return m
}

// begin begins with the next event. The caller holds the lock.
func (s *Store) begin() {
	s.events++
	s.gen++
	clear(s.matches)
	s.matches = s.matches[:0]
}

// message gives a message to the table of its connection, marks the rows that it concerns,
// and adds its match.
func (s *Store) message(l *lane, m *flow.Message) {
	found := l.flows.Message(m)
	s.mark(l, m, &found)
	match := Match{
		Row: m.Row, Element: m.Element, Kind: m.Envelope.Kind, Dir: m.Dir, Request: found.Ref, Parent: NoRef, Before: found.Before, State: found.State,
		Method: found.Method, Reused: found.Reused, ToolError: found.IsToolError, Acknowledged: found.Acknowledged, Bytes: m.Bytes,
	}
	if old := found.Superseded; old != nil {
		s.endedWithout(l, old, ByReuse)
	}
	if m.Dir == transport.In && match.Kind == jsonrpc.Request {
		match.Parent = l.parent(m.Exchange)
	}
	switch {
	case match.Kind == jsonrpc.Request:
		l.sent(&match, m.Exchange)
	case found.Ended:
		match.Ended = ByResponse
		if match.Kind == jsonrpc.Notification {
			match.Ended = ByCancel
		}
		if found.TimedOut {
			match.Ended = ByTimeout
		}
		l.calls.end(&match)
	}
	s.match(&match)
}

// endedWithout adds the end of a pending request that no message says.
func (s *Store) endedWithout(l *lane, f *Flow, why Why) {
	m := plainMatch()
	m.Dir, m.Request, m.Before, m.State, m.Ended, m.Method = f.Dir, f.Ref, flow.Pending, flow.Abandoned, why, f.Method
	l.calls.end(&m)
	s.match(&m)
}

// calls are the pending requests of the client that the server may be working at. Which
// they are matters only while there is one.
type calls struct {
	n   int
	sum uint64 // of their numbers: that of the only one, if there is one
}

func numberOf(r Ref) uint64 { return uint64(uint32(r.Row))<<16 | uint64(r.Element) }

// counts reports whether a request is one of them.
func (*calls) counts(dir transport.Direction, method string) bool {
	return dir == transport.Out && method != "ping" && !flow.IsSubscription(method)
}

// end takes the end of the wait for a response into account.
func (c *calls) end(m *Match) {
	dir := m.Dir
	if m.IsMessage() && m.Kind != jsonrpc.Notification {
		dir = 1 - dir // a response
	}
	if c.counts(dir, m.Method) {
		c.n, c.sum = c.n-1, c.sum-numberOf(m.Request)
	}
}

// maxCarriers bounds the HTTP exchanges of a connection that carry requests. Of more the
// requests are forgotten.
const maxCarriers = 10_000

// sent takes note of a new request.
func (l *lane) sent(m *Match, exchange uint32) {
	if m.Dir == transport.In {
		return
	}
	if l.calls.counts(m.Dir, m.Method) {
		l.calls.n, l.calls.sum = l.calls.n+1, l.calls.sum+numberOf(m.Request)
	}
	if exchange == 0 {
		return
	}
	if len(l.carried) >= maxCarriers {
		clear(l.carried)
	}
	l.carried[exchange] = m.Request
}

// parent is the request in whose course a message of the server came.
func (l *lane) parent(exchange uint32) Ref {
	if exchange != 0 {
		if r, ok := l.carried[exchange]; ok {
			return r
		}
	}
	if l.calls.n != 1 {
		return NoRef
	}
	return Ref{Row: int32(l.calls.sum >> 16), Element: uint16(l.calls.sum)}
}

// exchanged adds the match of a phase of an HTTP exchange.
func (s *Store) exchanged(l *lane, x *transport.Exchange) {
	m := plainMatch()
	if r, ok := l.carried[x.ID]; ok {
		m.Dir, m.Request = transport.Out, r
		if x.Phase == transport.ExchangeDone {
			delete(l.carried, x.ID)
		}
	}
	s.match(&m)
}

// Matches walks over the events of the record, each with what it means, and ends when there
// are no more at the moment: see [Tail.Err]. Both are valid until the next step. Ranging
// over it again goes on where a loop has ended, also within an event.
func (t *Tail) Matches() iter.Seq2[*record.Event, *Match] {
	return func(yield func(*record.Event, *Match) bool) {
		for {
			for t.step() {
				if !yield(&t.event, &t.match) {
					return
				}
			}
			var ok bool
			if t.event, t.at, ok, t.err = t.Next(); t.err != nil || !ok {
				return
			}
			t.begin()
		}
	}
}

// Err is why a walk over the matches has ended; nil if it may go on later.
func (t *Tail) Err() error { return t.err }

// begin begins with an event.
func (t *Tail) begin() {
	t.plain, t.messages = true, nil
	f := &t.event.Frame
	if t.event.Kind != record.KindFrame {
		return
	}
	t.element, t.messages = 0, append(t.spare[:0], f.Bytes)
	if text := bytes.TrimLeft(f.Bytes, " \t\r\n"); len(text) > 0 && text[0] == '[' && jsonrpc.Scan(f.Bytes).Kind == jsonrpc.Batch {
		t.messages = slices.AppendSeq(t.messages[:0], jsonrpc.Elements(f.Bytes))
	}
	t.spare = t.messages
}

// step makes the next match of the event; false without a further one.
func (t *Tail) step() bool {
	l := t.entry()
	element := uint16(min(t.element, math.MaxUint16))
	if len(t.messages) > 0 && (l == nil || l.flags&isMessage != 0 && l.element != element) {
		t.match = plainMatch()
		t.match.Kind = jsonrpc.Notification
	} else if l != nil {
		t.entries = t.entries[1:]
		t.match = t.store.matchOf(l)
		if l.flags&isMessage == 0 {
			t.plain = false
			return true
		}
	} else {
		t.match = plainMatch()
		plain := t.plain
		t.plain = false
		return plain
	}
	t.plain = false
	t.match.Row, t.match.Element, t.match.Dir, t.match.Bytes = t.at, element, t.event.Frame.Dir, t.messages[0]
	t.messages = t.messages[1:]
	t.element++
	return true
}

const entriesRead = 512 // of the log at a time

// entry is the next entry of the log, if it is of the event; nil otherwise.
func (t *Tail) entry() *logged {
	for len(t.entries) > 0 && t.entries[0].event < t.number {
		t.entries = t.entries[1:] // events that were read without their matches
	}
	if len(t.entries) == 0 && (t.known < t.number || t.more) {
		s := t.store
		s.mu.RLock()
		t.known = s.events
		t.entries = s.log.copy(t.memory[:0], t.next, entriesRead)
		t.next += int32(len(t.entries))
		t.more = int(t.next) < s.log.n
		s.mu.RUnlock()
		t.memory = t.entries
	}
	if len(t.entries) == 0 || t.entries[0].event != t.number {
		return nil
	}
	return &t.entries[0]
}

// matchOf returns what an entry of the log says.
func (s *Store) matchOf(l *logged) Match {
	m := Match{
		Row: None, Kind: l.kind, Dir: transport.Out, Request: Ref{Row: l.request, Element: l.requestElement}, Parent: Ref{Row: l.parent, Element: l.parentElement},
		Before: flow.State(l.states & 15), State: flow.State(l.states >> 4), Ended: l.ended, Method: s.Method(l.method),
		Reused: l.flags&isReused != 0, ToolError: l.flags&isToolError != 0, Acknowledged: l.flags&isAcknowledged != 0,
	}
	if l.flags&isIncoming != 0 {
		m.Dir = transport.In
	}
	return m
}
