package intercept

import (
	"context"
	"fmt"
	"time"

	"mcptea/internal/signal"
)

// Ticket is a frame of a lane that does not go on at once.
type Ticket struct {
	lane    *Lane
	held    Held
	faults  []*rule
	names   []string            // of the faults
	waits   bool                // a breakpoint held it when it was taken, or a frame before it
	clocked bool                // its clock was stopped once: it is held, whatever it waited for before
	move    func(Outcome)       // of Move; nil before
	extend  func(time.Duration) // see WhileStopped; nil without

	decided  bool
	ahead    bool // it does not wait for its turn
	swap     bool // the next frame of the lane goes on before this one
	finished bool // ready is closed
	done     bool
	decision Decision
	reason   Reason
	timer    *time.Timer
	ready    chan struct{}
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
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		t.lane.gate.mu.Lock()
		defer t.lane.gate.mu.Unlock()
		if t.timer == timer && !t.finished && (!t.decided || t.held.Delayed) {
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
func (t *Ticket) decide(d Decision, why Reason) {
	t.stopTimer()
	t.decision, t.reason, t.held.Delayed, t.held.Stopped, t.swap = d, why, false, false, false
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
	if t.ahead && !t.finished {
		if t.move != nil {
			t.lane.ahead = append(t.lane.ahead, t)
		}
		t.finish()
	}
	t.lane.gate.changed()
}

func (t *Ticket) finish() {
	if t.finished {
		return
	}
	t.finished = true
	close(t.ready)
	signal.Wake(t.lane.wake)
}

// setClock stops the clock of a frame, or has it begin again. The caller holds the lock of
// the gate.
func (t *Ticket) setClock(running bool) error {
	if t.finished {
		return fmt.Errorf("frame %d is not held any more", t.held.ID)
	}
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
	return nil
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

// Move has the goroutine of the lane call move with what goes on in place of the frame,
// once that is decided and it is the turn of the frame. move is not called if the
// context, which is that of the stream, ends first.
func (t *Ticket) Move(ctx context.Context, move func(Outcome)) {
	l := t.lane
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	t.move = move
	if t.finished && l.queue[0] != t {
		l.ahead = append(l.ahead, t) // decided about since it was taken
	}
	if l.moved == nil {
		l.moved = make(chan struct{})
		go l.run(ctx)
		return
	}
	signal.Wake(l.wake)
}

// Wait returns what goes on in place of the frame, once that is decided and it is the
// turn of the frame. When the context ends first, ok is false: the frame cannot go on.
// Done must be called in both cases.
func (t *Ticket) Wait(ctx context.Context) (o Outcome, ok bool) {
	o, ended := t.await(ctx, false)
	return o, !ended
}

// await is Wait of a frame; ended says before that it cannot go on.
func (t *Ticket) await(ctx context.Context, ended bool) (Outcome, bool) {
	if !ended {
		select {
		case <-t.ready:
		default:
			select {
			case <-t.ready:
			case <-ctx.Done():
				ended = true
			}
		}
	}
	var o Outcome
	g := t.lane.gate
	g.mu.Lock()
	if ended {
		t.stopTimer()
		t.decided, t.finished, t.decision, t.reason = true, true, Decision{Action: Drop}, byEnd
	}
	d, tell, report := t.decision, g.report, Report{
		Held: t.held, Decision: t.decision, Reason: t.reason, Faults: t.names, Took: time.Since(t.held.Since),
	}
	g.mu.Unlock()
	if !ended {
		o = t.outcome(d)
	}
	report.Sent, report.Replies, o.Report = o.Frames, o.Replies, &report
	if tell != nil && report.IsTold() {
		tell(report)
	}
	return o, ended
}

// outcome is what goes on after a decision.
func (t *Ticket) outcome(d Decision) (o Outcome) {
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
	return o
}

// Done says that the frames of the outcome were moved: the next frame of the lane may
// go on. Move does it by itself.
func (t *Ticket) Done() {
	g := t.lane.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.stopTimer()
	t.done = true
	delete(g.tickets, t.held.ID)
	t.lane.remove(t)
	g.changed()
}
