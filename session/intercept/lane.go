package intercept

import (
	"bytes"
	"context"
	"slices"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

const (
	// MaxQueued bounds the waiting frames of a lane, held ones and those queued after them. A sender of more
	// waits until there is room.
	MaxQueued = 1000
	// maxQueuedBytes bounds the bytes of the frames that wait in a lane. A frame that is
	// larger waits alone.
	maxQueuedBytes = 16 << 20
)

// AppSession is the start of the session name of a lane for messages of an app.
const AppSession = "app "

// Lane is a stream whose frames keep their order: one direction of a connection over
// stdio, or the body of an HTTP message. The lock of the gate guards it.
type Lane struct {
	gate    *Gate
	session string
	queue   []*Ticket     // the frames that wait, in the order of the stream
	size    int           // size of the held frames
	room    chan struct{} // closed when a frame leaves a full lane; nil while none waits for that
	turns   []*Ticket     // tickets of Move whose turn it is
	running bool          // a goroutine moves the frames
	moves   int           // tickets of Move in the queue
	moved   chan struct{} // closed when no frames are being moved; nil while there are none
	cut     bool          // the stream has ended before a frame could go on: no later one does
}

// NewLane returns the lane of a stream. session distinguishes the sessions of a tap
// that has several: request ids are unique only within one.
func (g *Gate) NewLane(session string) *Lane { return &Lane{gate: g, session: session} }

// An Outcome holds the frames that are sent instead of a frame.
type Outcome struct {
	Frames  [][]byte // frames for the receiver, in order
	Replies [][]byte // back to the sender
	// Status, if not nil, is the HTTP response to the message with the frame: nothing is forwarded.
	Status *Status
	// Change is the change of the frame for the record, or nil if there is nothing to record.
	Change *record.Change
}

// Take decides whether a frame continues immediately: then it returns nil, and the caller moves the frame
// before it takes the next one of the lane. Otherwise it copies the frame, and the caller calls [Ticket.Move],
// or [Ticket.Wait] and [Ticket.Done]. While the lane is full, it waits, at most until the context ends. row is
// the row of the frame in the record, or [store.None] if it has none yet.
func (l *Lane) Take(ctx context.Context, f transport.Frame, row int32) *Ticket {
	if !l.IsActive() {
		return nil
	}
	return l.takeActive(ctx, f, row)
}

// IsActive reports whether frames of the lane may be held; false for nil.
func (l *Lane) IsActive() bool { return l != nil && l.gate.Active() }

// takeActive implements Take for an active gate. f is a copy, so that Take does not allocate for an inactive gate.
func (l *Lane) takeActive(ctx context.Context, f transport.Frame, row int32) *Ticket {
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
	t.start()
	g.changed()
	return t
}

// awaitRoom waits until there is room for a frame of a size. The caller holds the lock, which is
// released while waiting.
func (l *Lane) awaitRoom(ctx context.Context, size int) {
	g := l.gate
	for ctx.Err() == nil && (len(l.queue) >= MaxQueued || len(l.queue) > 0 && l.size+size > maxQueuedBytes) {
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
	}
}

// insert puts a ticket at the end of the queue, or before a frame that lets the next
// one pass.
func (l *Lane) insert(t *Ticket) {
	n := len(l.queue)
	if n == 0 {
		l.gate.lanes = append(l.gate.lanes, l)
	}
	l.size += len(t.held.Bytes)
	if n > 0 && l.queue[n-1].swap {
		last := l.queue[n-1]
		l.queue = slices.Insert(l.queue, n-1, t)
		last.decide(Decision{Action: Forward}, byFault)
		return
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
	if t.move != nil {
		if l.moves--; l.moves == 0 {
			close(l.moved)
			l.moved = nil
		}
	}
	if len(l.queue) == 0 {
		l.queue = nil
		l.gate.lanes = slices.DeleteFunc(l.gate.lanes, func(other *Lane) bool { return other == l })
	}
	l.advance()
}

// advance forwards the first frame of the queue if it has a decision.
func (l *Lane) advance() {
	if len(l.queue) > 0 && l.queue[0].decided {
		l.queue[0].proceed()
	}
}

// queueTurn queues a frame of Move to be moved. The caller holds the lock.
func (l *Lane) queueTurn(t *Ticket) {
	if l.turns = append(l.turns, t); !l.running {
		l.running = true
		go l.run()
	}
}

// run moves the frames whose turn it is, until there are none: there is one such
// goroutine at a time.
func (l *Lane) run() {
	g := l.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(l.turns) > 0 {
		t := l.turns[0]
		l.turns = l.turns[1:]
		if l.cut = l.cut || t.reason == byEnd; l.cut {
			t.decision, t.reason = Decision{Action: Drop}, byEnd
		}
		g.mu.Unlock()
		if o, ok := t.outcome(); ok {
			t.move(o)
		}
		t.Done()
		g.mu.Lock()
	}
	l.running = false
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
