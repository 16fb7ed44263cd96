package intercept

import (
	"bytes"
	"context"
	"slices"
	"time"

	"mcptea/client/transport"
)

const (
	// MaxQueued is how many frames of a lane wait, held ones and those behind them. The
	// sender of more waits until there is room: its frames are not read.
	MaxQueued = 1000
	// maxQueuedBytes bounds the bytes of the frames that wait in a lane. A frame that is
	// larger waits alone.
	maxQueuedBytes = 16 << 20
)

// Lane is a stream whose frames keep their order: one direction of a connection over
// stdio, or the body of an HTTP message. The lock of the gate guards it.
type Lane struct {
	gate    *Gate
	session string
	queue   []*Ticket     // the frames that wait, in the order of the stream
	size    int           // of their bytes
	room    chan struct{} // closed when a frame leaves a full lane; nil while none waits for that
	ahead   []*Ticket     // those that do not wait for their turn
	wake    chan struct{} // for the goroutine of the lane; of one slot
	moved   chan struct{} // closed when that goroutine ends; nil while it does not run
}

// NewLane returns the lane of a stream. session distinguishes the sessions of a tap
// that has several: request ids are unique only within one.
func (g *Gate) NewLane(session string) *Lane {
	return &Lane{gate: g, session: session, wake: make(chan struct{}, 1)}
}

// Outcome is what goes on in place of a frame.
type Outcome struct {
	Frames  [][]byte // to the receiver, in this order
	Replies [][]byte // back to the sender
	// Status, if not nil, is the HTTP response to the message with the frame: nothing
	// goes on.
	Status *Status
	// Report is what has become of the frame.
	Report *Report
}

// Take decides whether a frame goes on at once: then it returns nil, and the caller
// moves the frame before it takes the next one of the lane. Otherwise the frame is
// copied, and the caller calls [Ticket.Move], or [Ticket.Wait] and [Ticket.Done]. While
// the lane is full it waits, at most until the context ends. row is that of the frame in
// the record, [store.None] if it has none yet.
func (l *Lane) Take(ctx context.Context, f transport.Frame, row int32) *Ticket {
	if !l.gate.Active() {
		return nil
	}
	return l.take(ctx, f, row)
}

// take is Take of a gate that is active. It has its own copy of the frame, which Take
// does not allocate.
func (l *Lane) take(ctx context.Context, f transport.Frame, row int32) *Ticket {
	g := l.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	l.awaitRoom(ctx, len(f.Bytes))
	held, faults := g.match(l.session, &f)
	if held.Breakpoint == 0 && len(faults) == 0 && len(l.queue) == 0 {
		return nil
	}
	g.lastTicket++
	now := time.Now()
	held.ID, held.Row, held.Bytes, held.Since, held.Until = g.lastTicket, row, bytes.Clone(f.Bytes), now, now.Add(g.options.Limit)
	t := &Ticket{lane: l, held: held, faults: faults, ready: make(chan struct{})}
	l.insert(t)
	t.waits = held.Breakpoint != 0 || l.queue[0] != t
	g.tickets[t.held.ID] = t
	t.start()
	g.changed()
	return t
}

// awaitRoom waits until there is room for a frame of a size. The caller holds the lock,
// which is free meanwhile.
func (l *Lane) awaitRoom(ctx context.Context, size int) {
	g := l.gate
	for len(l.queue) >= MaxQueued || len(l.queue) > 0 && l.size+size > maxQueuedBytes {
		if l.room == nil {
			l.room = make(chan struct{})
		}
		room := l.room
		g.stalled++
		g.changed()
		g.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
		}
		g.mu.Lock()
		g.stalled--
		if ctx.Err() != nil {
			return
		}
	}
}

// insert puts a ticket at the end of the queue, or before a frame that lets the next
// one pass.
func (l *Lane) insert(t *Ticket) {
	if len(l.queue) == 0 {
		l.gate.lanes = append(l.gate.lanes, l)
	}
	l.size += len(t.held.Bytes)
	if n := len(l.queue); n > 0 {
		if last := l.queue[n-1]; last.swap {
			last.swap = false
			l.queue = slices.Insert(l.queue, n-1, t)
			last.decide(Decision{Action: Forward}, byFault)
			return
		}
	}
	l.queue = append(l.queue, t)
}

// remove takes a ticket out of the queue and lets the next one go on. The caller holds
// the lock.
func (l *Lane) remove(t *Ticket) {
	i := slices.Index(l.queue, t) // mostly the first one
	if i < 0 {
		return
	}
	if i == 0 {
		l.queue[0] = nil
		l.queue = l.queue[1:]
	} else {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	if l.size -= len(t.held.Bytes); l.room != nil {
		close(l.room)
		l.room = nil
	}
	if len(l.queue) == 0 {
		l.queue = nil
		l.gate.lanes = slices.DeleteFunc(l.gate.lanes, func(other *Lane) bool { return other == l })
	}
	l.advance()
}

// advance releases the first frame of the queue if it is decided about.
func (l *Lane) advance() {
	if len(l.queue) > 0 && l.queue[0].decided {
		l.queue[0].finish()
	}
}

// run moves the frames of the lane for which [Ticket.Move] was called, until none is
// left. It is the goroutine of the lane: there is one at a time.
func (l *Lane) run(ctx context.Context) {
	g := l.gate
	for ended := false; ; {
		g.mu.Lock()
		t, left := l.next()
		if !left {
			close(l.moved)
			l.moved = nil
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		if t == nil {
			select {
			case <-l.wake:
				continue
			case <-ctx.Done():
				t = l.first()
			}
		}
		if !ended {
			var o Outcome
			if o, ended = t.await(ctx, false); !ended {
				t.move(o)
			}
		} else {
			t.await(ctx, true) // the order is kept: what is behind cannot go on either
		}
		t.Done()
	}
}

// next returns a frame whose turn it is, nil without one. left reports whether there are
// frames to be moved. The caller holds the lock.
func (l *Lane) next() (t *Ticket, left bool) {
	for len(l.ahead) > 0 {
		t, l.ahead = l.ahead[0], l.ahead[1:]
		if !t.done {
			return t, true
		}
	}
	if len(l.queue) == 0 || l.queue[0].move == nil {
		return nil, len(l.queue) > 0 && slices.ContainsFunc(l.queue, func(t *Ticket) bool { return t.move != nil })
	}
	if t := l.queue[0]; t.finished {
		return t, true
	}
	return nil, true
}

// first is the first frame that is to be moved, which there is.
func (l *Lane) first() *Ticket {
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	return l.queue[slices.IndexFunc(l.queue, func(t *Ticket) bool { return t.move != nil })]
}

// Wait returns when all frames of [Ticket.Move] were moved, or cannot go on since their
// context has ended.
func (l *Lane) Wait() {
	l.gate.mu.Lock()
	moved := l.moved
	l.gate.mu.Unlock()
	if moved != nil {
		<-moved
	}
}
