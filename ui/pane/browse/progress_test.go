package browse

import (
	"testing"
	"time"

	"mcptea/record/store"
	"mcptea/session/session"
)

// How long a call may take yet is said when more than a hundredth is done: a rest that is computed
// from the first step is a guess that would frighten.
func TestProgress_RestFromTheFirstHundredth(t *testing.T) {
	started := time.Unix(1_800_000_000, 0)
	for _, tt := range []struct {
		progress float64
		left     time.Duration
	}{{0, -1}, {1, -1}, {2, 490 * time.Second}, {50, 10 * time.Second}, {100, -1}} {
		c := &call{Call: &session.Call{Started: started}}
		c.flight = store.Flow{HasTotal: true, Total: 100, Progress: tt.progress, LastReport: started.Add(10 * time.Second)}
		if _, left := c.progress(started.Add(10 * time.Second)); left != tt.left {
			t.Errorf("at %g%%: %s left, want %s", tt.progress, left, tt.left)
		}
	}
}
