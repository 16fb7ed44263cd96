package program

import (
	"time"
)

// Pace says when to look again at what is new, though nothing was reported.
type Pace struct {
	Behind bool          // at once: a search goes on
	Next   time.Duration // when a clock moves; 0 for never
	Rest   time.Duration // the shortest time until then; 0 is minRefresh
}

// ClockInterval is how often a running clock moves.
const ClockInterval = 100 * time.Millisecond

// Moves is the pace of a clock; slow is how long its steps are while nothing is busy, 0
// without one.
func Moves(busy bool, slow time.Duration) time.Duration {
	if busy {
		return ClockInterval
	}
	return slow
}
