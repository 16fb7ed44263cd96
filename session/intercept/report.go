package intercept

import (
	"time"

	"mcptea/session/record"
)

// Report tells what became of a frame that did not go on at once and unchanged. It is
// for the record.
type Report struct {
	Held     Held
	Decision Decision
	Reason   Reason
	Faults   []string // names of the faults that were applied
	Took     time.Duration
	// Sent are the frames that went on, Replies those that went back.
	Sent, Replies [][]byte
}

// IsTold reports whether the record has the report: that a frame has only waited for
// others is no change of it.
func (r *Report) IsTold() bool {
	return r.Held.Breakpoint != 0 || r.Reason != byOrder && r.Reason != byRelease
}

// isSame reports whether what was received went on, once.
func (r *Report) isSame() bool {
	return len(r.Sent) == 1 && len(r.Replies) == 0 && string(r.Sent[0]) == string(r.Held.Bytes)
}

// Change is the report for the record, with the row of the frame as what was received.
func (r *Report) Change() *record.Change {
	c := &record.Change{Row: r.Held.Row, What: r.what(), Breakpoint: r.Held.Breakpoint, Faults: r.Faults, Why: whys[r.Reason], Held: r.Took}
	if c.What == record.ByFault && c.Breakpoint == 0 && c.Held < maxInstant {
		c.Held = 0 // it was not held, only changed
	}
	if !r.isSame() {
		c.Sent = append([][]byte{}, r.Sent...)
	}
	return c
}

// maxInstant is the time that a frame which is not held may take.
const maxInstant = 10 * time.Millisecond

func (r *Report) what() record.Changed {
	switch {
	case len(r.Replies) > 0:
		return record.AnsweredByHand
	case len(r.Faults) > 0 && (r.Held.Breakpoint == 0 || !r.isSame() && r.Decision.Action == Forward && r.Decision.Bytes == nil):
		if r.isSame() {
			return record.Delayed
		}
		return record.ByFault
	case len(r.Sent) == 0:
		return record.Dropped
	case r.Decision.Action == Duplicate:
		return record.Duplicated
	case !r.isSame():
		return record.Edited
	case r.Decision.Delay > 0:
		return record.Delayed
	}
	return record.Forwarded
}

// whys are the reasons as the record has them. That the user has decided goes without
// saying.
var whys = map[Reason]string{
	byDeadline: "time limit",
	byRelease:  "all held frames were forwarded",
	byEnd:      "its connection or its request has ended",
}
