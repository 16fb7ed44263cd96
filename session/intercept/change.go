package intercept

import (
	"bytes"
	"time"

	"mcptea/record"
)

// maxInstant is the time that a frame which is not held may take.
const maxInstant = 10 * time.Millisecond

// A reason is the reason for releasing a frame.
type reason uint8

const (
	byUser     reason = iota
	byDeadline        // no decision came in time
	byRelease         // all frames were forwarded, as when the inspector closes
	byOrder           // the frame before it has gone on
	byFault
	byEnd // the context has ended: it could not go on
)

// reasons maps reasons to texts of the record. A decision of the user needs no text.
var reasons = [...]string{
	byUser: "", byDeadline: "time limit", byRelease: "all held frames were forwarded", byOrder: "", byFault: "",
	byEnd: "its connection or its request has ended",
}

// change returns the change of the frame, with the row of the received frame. It returns nil for a frame that
// has only waited for others.
func (t *Ticket) change(o *Outcome) *record.Change {
	h, d := &t.held, &t.decision
	if h.Breakpoint == 0 && (t.reason == byOrder || t.reason == byRelease) {
		return nil
	}
	same := len(o.Frames) == 1 && len(o.Replies) == 0 && bytes.Equal(o.Frames[0], h.Bytes)
	c := &record.Change{Row: h.Row, What: record.Forwarded, Breakpoint: h.Breakpoint, Faults: t.names, Why: reasons[t.reason], Held: time.Since(h.Since)}
	if !same {
		c.Sent = append([][]byte{}, o.Frames...)
	}
	switch fault := len(t.names) > 0 && (h.Breakpoint == 0 || !same && d.Action == Forward && d.Bytes == nil); {
	case len(o.Replies) > 0:
		c.What = record.AnsweredByHand
	case fault && !same:
		if c.What = record.ByFault; h.Breakpoint == 0 && c.Held < maxInstant {
			c.Held = 0 // the frame was not held, only changed
		}
	case fault:
		c.What = record.Delayed
	case len(o.Frames) == 0:
		c.What = record.Dropped
	case d.Action == Duplicate:
		c.What = record.Duplicated
	case !same:
		c.What = record.Edited
	case d.Delay > 0:
		c.What = record.Delayed
	}
	return c
}
