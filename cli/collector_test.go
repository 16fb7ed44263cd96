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
	t.Cleanup(func() { debug.SetGCPercent(garbagePercent) })
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
	awaitBound(t, func(percent int) bool { return percent <= 70 })
}

// awaitBound waits until the collector is set by what is in use, of which the tests before leave some.
func awaitBound(t *testing.T, holds func(percent int) bool) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		read := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/live:bytes"}}
		metrics.Read(read)
		percent, used := int(read[0].Value.Uint64()), read[1].Value.Uint64()
		if percent == min(70, int(100*maxGarbage/used)+1) && holds(percent) {
			return
		}
		select {
		case <-late:
			t.Fatalf("the collector is set to %d %%, with %d bytes in use", percent, used)
		default:
			runtime.GC()
		}
	}
}

// A large frame in memory does not let as much garbage gather as it takes itself.
func TestDeferCollector_LargeFrame(t *testing.T) {
	deferred(t)
	frame := make([]byte, 8*maxGarbage)
	awaitBound(t, func(percent int) bool { return percent <= 13 }) // an eighth, less what else is in use
	runtime.KeepAlive(frame)
}
