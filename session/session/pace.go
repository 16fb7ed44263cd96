package session

import "time"

// The CPU budget of the linter: it works for a slice and then pauses, for a
// shorter time when nothing new comes in. During a flood it cannot keep up in any
// case, and leaves the processor to recording and drawing.
const (
	lintSlice = 3 * time.Millisecond
	lintPause = 30 * time.Millisecond
	idlePause = 6 * time.Millisecond

	// recordedSlice and recordedPause apply to recordings: no transport competes with the linter, but the
	// user's keys do.
	recordedSlice = 4 * time.Millisecond
	recordedPause = time.Millisecond

	// actedTime is the time after an action of the user in which another one is expected. During that time,
	// actedSlice and actedPause apply, so that drawing comes before checking.
	actedTime  = 200 * time.Millisecond
	actedSlice = time.Millisecond
	actedPause = 20 * time.Millisecond

	floodRate  = 80_000 // frames a second
	floodSlice = time.Millisecond
	floodPause = 200 * time.Millisecond
)

// A load describes what competes with the linter for the processor.
type load struct {
	recorded bool // the session is a recording
	came     int  // rows since the load before
	in       time.Duration
	acts     bool // the user has acted a moment ago
}

// pace returns how long the linter works, and how long it then pauses if there is more to check.
func (l load) pace() (slice, pause time.Duration) {
	flood := !l.recorded && float64(l.came) > floodRate*l.in.Seconds()
	switch {
	case flood:
		return floodSlice, floodPause
	case l.recorded:
		slice, pause = recordedSlice, recordedPause
	case l.came == 0:
		slice, pause = lintSlice, idlePause
	default:
		slice, pause = lintSlice, lintPause
	}
	if l.acts {
		return actedSlice, actedPause
	}
	return slice, pause
}
