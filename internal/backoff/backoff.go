// Package backoff says how long the next attempt waits after attempts that failed.
package backoff

import "time"

// Backoff is a series of pauses between attempts: each pause is longer than the one before, up to a bound.
type Backoff struct {
	First  time.Duration // pause after the first failure
	Most   time.Duration // bound of the pauses
	Factor float64       // ratio of successive pauses; 0 means 2
}

// After returns the pause after a number of failures in succession, or 0 after none.
func (b Backoff) After(failures int) time.Duration {
	if failures <= 0 {
		return 0
	}
	factor := b.Factor
	if factor == 0 {
		factor = 2
	}
	pause := min(b.First, b.Most)
	for ; failures > 1 && pause < b.Most; failures-- {
		pause = min(time.Duration(float64(pause)*factor), b.Most)
	}
	return pause
}

// A Series counts failures in succession. It is not safe for concurrent use.
type Series struct {
	Backoff
	failures int
}

// Next counts a failure, and returns the pause before the next attempt.
func (s *Series) Next() time.Duration {
	s.failures++
	return s.After(s.failures)
}

// Lasted records how long the last attempt had success. If that is longer than the longest pause,
// earlier failures no longer count.
func (s *Series) Lasted(d time.Duration) {
	if d > s.Most {
		s.Reset()
	}
}

// Reset forgets the failures.
func (s *Series) Reset() { s.failures = 0 }
