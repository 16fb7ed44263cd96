package watch

import (
	"context"
	"path/filepath"
	"strconv"
	"time"
)

// slowDown waits before a restart if earlier restarts have changed files themselves. Changes in the meantime
// are added to the trigger. The user ends the wait with a key, or by saving a file after a quiet time. A
// waiting request ends it, too, see [Loop.Want]; each request causes at most one restart.
func (l *Loop) slowDown(ctx context.Context, t *trigger) {
	begun := time.Now()
	for {
		if l.wanted.Load() > l.reached {
			return
		}
		pause := l.starts.pause(l.outputs.isKnown(t.paths))
		if pause == 0 {
			l.warned = false
			return
		}
		name := filepath.Base(t.paths[0])
		if !l.warned && pause > firstPause { // a user who saves quickly may cause the first pause
			l.warned = true
			l.cfg.Note(name + " changed soon after a restart, as files did after each of the " + strconv.Itoa(l.starts.row) +
				" before: restarts may cause each other, so they now wait up to a minute; name the sources with --watch=PATH, or list the file in .gitignore")
		}
		until := begun.Add(pause)
		l.set(func(s *State) { s.Phase, s.Deadline, s.Repeated = Slowed, until, name })
		again := l.during(ctx, l.now, func(ctx context.Context) {
			timer := time.NewTimer(time.Until(until))
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-l.asked:
			case <-ctx.Done():
			}
		})
		switch {
		case again == nil && ctx.Err() == nil && time.Now().Before(until):
			continue // a request waits
		case again == nil:
			return
		case again.user:
			t.user = true
			return
		}
		t.paths = union(t.paths, again.paths)
		if l.starts.alone {
			return
		}
	}
}
