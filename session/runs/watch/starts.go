package watch

import (
	"time"

	"mcptea/internal/backoff"
)

const (
	// startGrace is the time after a start in which changes are attributed to the server.
	startGrace = 3 * time.Second
	// maxFollowed is the number of consecutive starts that may be followed by a change before the next start
	// pauses.
	maxFollowed = 2
	// firstPause is the first pause. Each later one is twice as long.
	firstPause = time.Second
	// maxPause is the maximum.
	maxPause = time.Minute
	// maxKnownPause is the maximum for a file that has changed before: it may be one that the user
	// saves repeatedly.
	maxKnownPause = 10 * time.Second
)

// starts detects restarts that cause the next change themselves: a run of starts each followed by a change
// within startGrace, to any file. A start that is not followed by a change ends the run, so a user who saves
// faster than that waits only briefly.
type starts struct {
	busy     bool      // a start is in progress
	at       time.Time // start of the newest start, or its end once it is over; zero before the first
	followed bool      // a change followed soon
	row      int       // consecutive earlier starts that a change followed
	change   time.Time // time of the newest change
	alone    bool      // no other change or start within startGrace before the newest change
}

// begin records the beginning of a start.
func (s *starts) begin() {
	if s.row++; !s.followed {
		s.row = 0
	}
	s.busy, s.at, s.followed = true, time.Now(), false
}

// end records the end of a start, successful or not.
func (s *starts) end() { s.busy, s.at = false, time.Now() }

// recent reports whether a change now may be caused by a start.
func (s *starts) recent() bool {
	return s.busy || !s.at.IsZero() && time.Since(s.at) <= startGrace
}

// changed records a change.
func (s *starts) changed() {
	s.alone = !s.recent() && time.Since(s.change) > startGrace
	s.change = time.Now()
	s.followed = s.followed || s.recent()
}

// pause returns how long the next start waits after the change that causes it. known reports that one of its
// paths has changed before.
func (s *starts) pause(known bool) time.Duration {
	n := s.row - maxFollowed
	if !s.followed || n < 0 {
		return 0
	}
	pause := backoff.Backoff{First: firstPause, Most: maxPause}.After(n + 1)
	if known {
		pause = min(pause, maxKnownPause)
	}
	return pause
}
