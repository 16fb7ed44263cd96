package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// deferred defers the collector, which is to let 70 % of garbage gather, until the test ends.
func deferred(t *testing.T) {
	t.Helper()
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	t.Cleanup(func() { debug.SetGCPercent(100) })
	var garbage atomic.Int32
	garbage.Store(70)
	deferCollector(&garbage)
}

// After the first collection the collector works as the command wants it.
func TestDeferCollector_ForTheStartOnly(t *testing.T) {
	deferred(t)
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

// A large frame in memory does not let as much garbage gather as it takes itself.
func TestDeferCollector_LargeFrame(t *testing.T) {
	deferred(t)
	frame := make([]byte, 8*maxGarbage)
	late := time.After(time.Minute)
	for percent := 0; percent != 12 && percent != 13; { // an eighth, less what else is in use
		select {
		case <-late:
			t.Fatalf("the collector is set to %d %%", percent)
		default:
			runtime.GC()
		}
		goal := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(goal)
		percent = int(goal[0].Value.Uint64())
	}
	runtime.KeepAlive(frame)
}
