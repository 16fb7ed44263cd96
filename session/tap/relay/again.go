package relay

import (
	"fmt"
	"time"

	"mcptea/internal/backoff"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
)

// again counts the restarts of a server that ended by itself.
type again struct {
	row int // starts in succession; under the lock of the relay
}

const (
	// steadyAfter is the running time after which the end of a server starts a new count.
	steadyAfter = time.Minute
)

// betweenStarts are the pauses from the second start in succession: a server that ends immediately is not started all the
// time.
var betweenStarts = backoff.Backoff{First: time.Second, Most: 30 * time.Second}

// startsAgain reports whether a server that has ended by itself is started again, and counts the start.
func (r *Relay) startsAgain(s *server) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.t == nil || r.Again == 0 {
		return false
	}
	if time.Since(s.since) >= steadyAfter {
		r.again.row = 0
	}
	if r.again.row >= r.Again {
		return false
	}
	r.again.row++
	return true
}

// run starts the next server instead of one that has ended, after a pause, until one is ready or the
// number is reached.
func (a *again) run(r *Relay, s *server, why string) {
	for {
		r.mu.Lock()
		row, over := a.row, r.servers != s.number
		r.mu.Unlock()
		if over {
			return // another restart has started
		}
		r.tell(fmt.Sprintf("the server has ended: %s; start %d of %d", why, row, r.Again))
		if row > 1 {
			select {
			case <-time.After(betweenStarts.After(row - 1)):
			case <-r.starts.Done():
				return
			}
		}
		err := r.startOver(s)
		if err == nil || r.starts.Err() != nil {
			return
		}
		r.mu.Lock()
		more := a.row < r.Again
		if more {
			a.row++
			r.setPhase(starting, "")
			s = &server{number: r.servers}
		}
		r.mu.Unlock()
		if !more {
			return // the server is down, which was reported
		}
		why = phrase.Clip(err.Error(), maxWhy)
	}
}

// startOver replaces a server that has ended, unless a new one has started since.
func (r *Relay) startOver(s *server) error {
	select {
	case r.restarting <- struct{}{}:
	case <-r.starts.Done():
		return r.starts.Err()
	}
	defer func() { <-r.restarting }()
	r.mu.Lock()
	over := r.servers != s.number
	r.mu.Unlock()
	if over {
		return nil
	}
	return r.replace(r.starts, session.Cause{Text: "the server had ended"})
}
