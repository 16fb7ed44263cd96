package browse

import (
	"testing"
	"time"

	"mcptea/record/store"
	"mcptea/session/session"
)

// The time that is left is estimated once there is progress to estimate it from.
func TestCall_TimeLeft(t *testing.T) {
	now := time.Unix(1000, 0)
	for progress, want := range map[float64]time.Duration{0: -1, 1: -1, 2: 49 * time.Second, 50: time.Second, 100: -1} {
		c := &call{Call: &session.Call{Started: now.Add(-time.Second)}}
		c.flight = store.Flow{LastReport: now, Progress: progress, Total: 100, HasTotal: true}
		if _, left := c.progress(now); left != want {
			t.Errorf("%v%%: %v are left, want %v", progress, left, want)
		}
	}
}
