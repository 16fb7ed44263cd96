package intercept

import (
	"bytes"
	"context"
	"slices"
	"time"

	"mcptea/client/transport"
)

// Lane is a stream whose frames keep their order: one direction of a connection over
// stdio, or the body of an HTTP message. The lock of the gate guards it.
type Lane struct {
	gate    *Gate
	session string
	queue   []*Ticket
}

// NewLane returns the lane of a stream. session distinguishes the sessions of a tap
// that has several: request ids are unique only within one.
func (g *Gate) NewLane(session string) *Lane { return &Lane{gate: g, session: session} }

// Ticket is a frame of a lane that does not go on at once. Its goroutine calls Wait,
// moves the frames of the outcome, and then calls Done.
type Ticket struct {
	lane   *Lane
	held   Held
	faults []*rule
	names  []string // of the faults

	decided  bool
	ahead    bool // it does not wait for its turn
	swap     bool // the next frame of the lane goes on before this one
	finished bool // ready is closed
	decision Decision
	reason   Reason
	timer    *time.Timer
	ready    chan struct{}
}

// Outcome is what goes on in place of a frame.
type Outcome struct {
	Frames  [][]byte // to the receiver, in this order
	Replies [][]byte // back to the sender
	// Status, if not nil, is the HTTP response to the message with the frame: nothing
	// goes on.
	Status *Status
}

// Take decides whether a frame goes on at once: then it returns nil, and the caller
// moves the frame before it takes the next one of the lane. Otherwise the frame is
// copied. row is that of the frame in the record, [store.None] if it has none yet.
func (l *Lane) Take(f transport.Frame, row int32) *Ticket {
	if !l.gate.Active() {
		return nil
	}
	return l.take(f, row)
}

// take is Take of a gate that is active. It has its own copy of the frame, which Take
// does not allocate.
func (l *Lane) take(f transport.Frame, row int32) *Ticket {
	g := l.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	held, faults := g.match(l.session, &f)
	if held.Breakpoint == 0 && len(faults) == 0 && len(l.queue) == 0 {
		return nil
	}
	g.lastTicket++
	now := time.Now()
	held.ID, held.Row, held.Bytes, held.Since, held.Until = g.lastTicket, row, bytes.Clone(f.Bytes), now, now.Add(g.options.Limit)
	t := &Ticket{lane: l, held: held, faults: faults, ready: make(chan struct{})}
	l.insert(t)
	g.tickets = append(g.tickets, t)
	t.start()
	g.changed()
	return t
}

// insert puts a ticket at the end of the queue, or before a frame that lets the next
// one pass.
func (l *Lane) insert(t *Ticket) {
	if n := len(l.queue); n > 0 {
		last := l.queue[n-1]
		if last.swap {
			last.swap = false
			l.queue = slices.Insert(l.queue, n-1, t)
			last.decide(Decision{Action: Forward}, byFault)
			return
		}
		if t.held.Breakpoint == 0 {
			t.held.Behind = last.held.ID
		}
	}
	l.queue = append(l.queue, t)
}

// maxSwap is how long a frame waits for the one that is to go on before it.
const maxSwap = time.Second

// start makes the first decision about a frame, or leaves it to the user.
func (t *Ticket) start() {
	var wait time.Duration
	for _, r := range t.faults {
		t.names = append(t.names, r.Name)
		r.Hits++
		wait += r.delay
		t.swap = t.swap || r.Name == reorder
	}
	switch {
	case t.held.Breakpoint != 0:
		t.swap = false
		t.after(t.lane.gate.options.Limit, Decision{Action: Forward}, byDeadline)
	case t.swap:
		t.after(maxSwap, Decision{Action: Forward}, byFault)
	case wait > 0:
		t.held.Until = t.held.Since.Add(wait)
		t.after(wait, Decision{Action: Forward}, byFault)
	case len(t.faults) > 0:
		t.decide(Decision{Action: Forward}, byFault)
	default:
		t.decide(Decision{Action: Forward}, byOrder)
	}
}

// after decides when a time has passed.
func (t *Ticket) after(d time.Duration, decision Decision, why Reason) {
	t.timer = time.AfterFunc(d, func() {
		t.lane.gate.mu.Lock()
		defer t.lane.gate.mu.Unlock()
		if !t.finished && (!t.decided || t.held.Delayed) {
			t.decide(decision, why)
		}
	})
}

// decide takes a decision. The caller holds the lock of the gate.
func (t *Ticket) decide(d Decision, why Reason) {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.decision, t.reason, t.held.Delayed, t.swap = d, why, false, false
	if d.Action == Delay {
		t.decided, t.held.Delayed = false, true
		t.held.Until = time.Now().Add(d.Delay)
		forward := d
		forward.Action = Forward
		t.after(d.Delay, forward, byUser)
		t.lane.gate.changed()
		return
	}
	t.decided = true
	t.lane.advance()
	if t.ahead {
		t.finish()
	}
	t.lane.gate.changed()
}

// advance releases the first frame of the queue if it is decided about.
func (l *Lane) advance() {
	if len(l.queue) > 0 && l.queue[0].decided {
		l.queue[0].finish()
	}
}

func (t *Ticket) finish() {
	if !t.finished {
		t.finished = true
		close(t.ready)
	}
}

// SetRow sets the row of the frame in the record, for a frame that was not recorded when
// it was taken. It must be called before Wait.
func (t *Ticket) SetRow(row int32) {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.held.Row = row
	g.changed()
}

// Held reports whether a breakpoint holds the frame, or one before it, and for how long
// at the most without a decision.
func (t *Ticket) Held() (limit time.Duration, held bool) {
	return t.lane.gate.options.Limit, t.held.Breakpoint != 0 || t.held.Behind != 0
}

// Wait returns what goes on in place of the frame, once that is decided and it is the
// turn of the frame. When the context ends first, ok is false: the frame cannot go on.
// Done must be called in both cases.
func (t *Ticket) Wait(ctx context.Context) (o Outcome, ok bool) {
	select {
	case <-t.ready:
	case <-ctx.Done():
		return Outcome{}, false
	}
	g := t.lane.gate
	g.mu.Lock()
	d, tell, report := t.decision, g.report, Report{
		Held: t.held, Decision: t.decision, Reason: t.reason, Faults: t.names, Took: time.Since(t.held.Since),
	}
	g.mu.Unlock()
	frame := t.held.Bytes
	if d.Bytes != nil {
		frame = d.Bytes
	}
	switch d.Action {
	case Drop:
	case Respond:
		o.Replies = [][]byte{d.Bytes}
	case Duplicate:
		o.Frames = [][]byte{frame, frame}
	default:
		o.Frames = [][]byte{frame}
	}
	for _, r := range t.faults {
		o.Frames = r.apply(o.Frames)
		if r.status != nil {
			o = Outcome{Status: r.status}
		}
	}
	report.Sent, report.Replies = o.Frames, o.Replies
	if tell != nil && (report.Held.Breakpoint != 0 || report.Reason != byOrder) {
		tell(report)
	}
	return o, true
}

// Done says that the frames of the outcome were moved: the next frame of the lane may
// go on.
func (t *Ticket) Done() {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	remove := func(list []*Ticket) []*Ticket {
		return slices.DeleteFunc(list, func(other *Ticket) bool { return other == t })
	}
	t.lane.queue, g.tickets = remove(t.lane.queue), remove(g.tickets)
	for _, behind := range g.tickets {
		if behind.held.Behind == t.held.ID {
			behind.held.Behind = 0
			if i := slices.Index(t.lane.queue, behind); i > 0 {
				behind.held.Behind = t.lane.queue[i-1].held.ID
			}
		}
	}
	t.lane.advance()
	g.changed()
}
