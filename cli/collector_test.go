package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// After the first collection the collector works as in any program.
func TestDeferCollector_ForTheStartOnly(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Cleanup(func() { debug.SetGCPercent(100) })
	deferCollector()
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
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("the collector is set to %d %%", percent)
	}
}
