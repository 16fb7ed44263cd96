package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

// After the first collection the collector works as the command wants it.
func TestDeferCollector_ForTheStartOnly(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Cleanup(func() { debug.SetGCPercent(100) })
	var garbage atomic.Int32
	garbage.Store(70)
	deferCollector(&garbage)
	if limit := debug.SetMemoryLimit(-1); limit != firstCollection {
		t.Errorf("the first collection is at %d bytes", limit)
	}
	late := time.After(time.Minute)
	for debug.SetMemoryLimit(-1) != math.MaxInt64 {
		select {
		case <-late:
			t.Fatal("the collector stays deferred")
		default:
			runtime.GC()
		}
	}
	if percent := debug.SetGCPercent(100); percent != 70 {
		t.Errorf("the collector is set to %d %%", percent)
	}
}
