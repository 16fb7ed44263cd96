package watch

import (
	"time"

	"mcptea/internal/backoff"
)

const (
	// startGrace is how long after its start a server may write files of its own.
	startGrace = 3 * time.Second
	// maxFollowed is how many starts in succession may be followed by a change before the next
	// one waits.
	maxFollowed = 2
	// firstPause is how long the first of those waits; each further one waits twice as long.
	firstPause = time.Second
	// maxPause is the maximum.
	maxPause = time.Minute
	// maxKnownPause is the maximum for a file that has changed before: it may be one that the user
	// saves repeatedly.
	maxKnownPause = 10 * time.Second
)

// starts finds out whether starts make the changes that cause the next one: each of them was followed
// by a change soon, whatever its name. A start without such a change ends the succession, and so
// a user who is faster than the grace period waits a little, but not for long.
type starts struct {
	busy     bool      // a start is under way
	at       time.Time // when the newest one began or, once that is over, ended; zero before the first
	followed bool      // a change came soon after it
	row      int       // how many before it were followed by a change, without a gap
	change   time.Time // the newest change
	alone    bool      // nothing had changed for a while before that
}

// begin notes a start.
func (s *starts) begin() {
	if s.row++; !s.followed {
		s.row = 0
	}
	s.busy, s.at, s.followed = true, time.Now(), false
}

// end notes that a start is over, with success or without.
func (s *starts) end() { s.busy, s.at = false, time.Now() }

// recent reports whether what changes now may be written by a start.
func (s *starts) recent() bool {
	return s.busy || !s.at.IsZero() && time.Since(s.at) <= startGrace
}

// changed notes a change.
func (s *starts) changed() {
	s.alone = !s.recent() && time.Since(s.change) > startGrace
	s.change = time.Now()
	s.followed = s.followed || s.recent()
}

// pause returns how long the next start waits after the change that causes it. known says that a
// path of that has changed before.
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
