package intercept

import (
	"context"
	"time"
)

// Ticket is a frame of a lane that is not forwarded immediately.
type Ticket struct {
	lane    *Lane
	held    Held
	faults  []*rule
	names   []string            // names of the faults
	waits   bool                // a breakpoint held it when it was taken, or a frame before it
	clocked bool                // the clock was stopped once, so the frame counts as held
	move    func(Outcome)       // function given to Move, or nil before
	extend  func(time.Duration) // see WhileStopped; nil without

	decided  bool
	ahead    bool // the frame does not wait for earlier ones
	swap     bool // the next frame of the lane is forwarded before this one
	turn     bool // it is the turn of the frame
	decision Decision
	reason   reason
	timer    *time.Timer
	unhook   func() bool   // detaches from the context of Move; may be nil
	ready    chan struct{} // closed with turn
}

// maxSwap bounds the wait of a frame for the frame that must be forwarded first.
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
func (t *Ticket) after(d time.Duration, decision Decision, why reason) {
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		t.lane.gate.mu.Lock()
		defer t.lane.gate.mu.Unlock()
		if t.timer == timer {
			t.decide(decision, why)
		}
	})
	t.timer = timer
}

func (t *Ticket) stopTimer() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// decide takes a decision. The caller holds the lock of the gate.
func (t *Ticket) decide(d Decision, why reason) {
	t.stopTimer()
	t.decision, t.reason, t.held.Delayed, t.held.Stopped, t.swap = d, why, false, false, false
	if t.decided = d.Action != Delay; t.decided {
		if t.lane.advance(); t.ahead {
			t.proceed()
		}
	} else {
		t.held.Delayed, t.held.Until = true, time.Now().Add(d.Delay)
		forward := d
		forward.Action = Forward
		t.after(d.Delay, forward, byUser)
	}
	t.lane.gate.changed()
}

// proceed forwards the frame; later decisions do not count.
func (t *Ticket) proceed() {
	if t.turn {
		return
	}
	t.turn = true
	close(t.ready)
	if t.move != nil {
		t.lane.queueTurn(t)
	}
}

// setClock stops the clock of a frame, or restarts it. The caller holds the lock of the gate.
func (t *Ticket) setClock(running bool) {
	limit := t.lane.gate.options.Limit
	t.stopTimer()
	t.decided, t.swap, t.clocked = false, false, true
	t.held.Stopped, t.held.Delayed = !running, false
	if running {
		t.held.Until = time.Now().Add(limit)
		t.after(limit, Decision{Action: Forward}, byDeadline)
	} else if t.extend != nil {
		t.whileStopped(limit / 2)
	}
	t.lane.gate.changed()
}

// whileStopped calls extend again and again while the clock is stopped. The caller holds
// the lock of the gate.
func (t *Ticket) whileStopped(interval time.Duration) {
	g := t.lane.gate
	var timer *time.Timer
	timer = time.AfterFunc(interval, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if t.timer != timer || !t.held.Stopped {
			return
		}
		t.whileStopped(interval)
		extend := t.extend
		g.mu.Unlock()
		extend(interval)
		g.mu.Lock()
	})
	t.timer = timer
}

// SetRow sets the row of the frame in the record, for a frame that was not recorded when
// it was taken. It must be called before Move and Wait.
func (t *Ticket) SetRow(row int32) {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.held.Row = row
	g.changed()
}

// WhileStopped sets a function that is called from time to time while the clock of the
// frame is stopped: what waits for the frame must wait for as much longer.
func (t *Ticket) WhileStopped(extend func(time.Duration)) {
	t.lane.gate.mu.Lock()
	defer t.lane.gate.mu.Unlock()
	t.extend = extend
}

// Held reports whether a breakpoint held the frame when it was taken, or one before it,
// and for how long at the most without a decision.
func (t *Ticket) Held() (limit time.Duration, held bool) {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.options.Limit, t.waits
}

// Move makes the goroutine of the lane call move with the outcome of the frame, after the decision and when it
// is the frame's turn. It does not call move if the context, which is the context of the stream, ends first.
func (t *Ticket) Move(ctx context.Context, move func(Outcome)) {
	l := t.lane
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	t.move = move
	if l.moves++; l.moved == nil {
		l.moved = make(chan struct{})
	}
	if t.turn { // decided about since it was taken
		l.queueTurn(t)
	}
	t.unhook = context.AfterFunc(ctx, func() {
		l.gate.mu.Lock()
		defer l.gate.mu.Unlock()
		if !t.decided {
			t.decide(Decision{Action: Drop}, byEnd)
		}
	})
}

// Wait returns the frames to forward instead of the frame. It waits for the decision, and until all
// earlier frames are forwarded. If the context ends first, ok is false and the frame must not be
// forwarded. Done must be called in both cases.
func (t *Ticket) Wait(ctx context.Context) (o Outcome, ok bool) {
	defer context.AfterFunc(ctx, func() {
		t.lane.gate.mu.Lock()
		defer t.lane.gate.mu.Unlock()
		if !t.turn {
			t.ahead = true
			t.decide(Decision{Action: Drop}, byEnd)
		}
	})()
	<-t.ready
	return t.outcome()
}

// outcome returns the outcome of the decision, or false if the frame cannot be forwarded.
func (t *Ticket) outcome() (o Outcome, ok bool) {
	d, frame := t.decision, t.held.Bytes
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
			o.Status, o.Frames, o.Replies = r.status, nil, nil
		}
	}
	if o.Change = t.change(&o); o.Change != nil {
		if tell := t.lane.gate.listener(t.held.Session); tell != nil {
			tell(o.Change)
		}
	}
	return o, t.reason != byEnd
}

// Done reports that the frames of the outcome were moved, so the next frame of the lane may be forwarded. Move
// calls it.
func (t *Ticket) Done() {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.stopTimer()
	if t.unhook != nil {
		t.unhook()
	}
	t.lane.remove(t)
	g.changed()
}
