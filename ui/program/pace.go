package program

import (
	"time"
)

// Pace is the time of the next refresh if nothing is reported.
type Pace struct {
	Behind bool          // immediately, because a search is running
	Next   time.Duration // when a clock moves; 0 for never
	Rest   time.Duration // minimum time before the next refresh; 0 is minRefresh
}

// ClockInterval is the interval of a running clock.
const ClockInterval = 100 * time.Millisecond

// Moves returns the pace of a clock. slow is its interval while nothing is busy, or 0.
func Moves(busy bool, slow time.Duration) time.Duration {
	if busy {
		return ClockInterval
	}
	return slow
}
