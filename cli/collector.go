package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// firstCollection is how much memory, in bytes, the program may take before the garbage
	// collector runs. Most commands end with less.
	firstCollection = 20 << 20
	// maxGarbage bounds what may gather between two collections, in bytes: a large frame is not
	// a reason to leave as much garbage beside it, and takes no time to collect.
	maxGarbage = 16 << 20
)

// deferCollector turns the garbage collector off until the first collection, after which it
// lets so much garbage gather, as a percentage of what is in use, up to [maxGarbage]. A collection
// while a command starts costs a fifth of its processor time.
// What the environment says about the collector holds.
func deferCollector(garbage *atomic.Int32) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	afterCollection(func() {
		boundGarbage(garbage, -1)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}

// boundGarbage sets how much garbage may gather until the next collection, and again then. last
// is the percentage that holds.
func boundGarbage(garbage *atomic.Int32, last int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := int(garbage.Load())
	if used := live[0].Value.Uint64(); used > 0 {
		percent = min(percent, int(100*maxGarbage/used)+1)
	}
	if percent != last {
		debug.SetGCPercent(percent)
	}
	afterCollection(func() { boundGarbage(garbage, percent) })
}

// afterCollection calls f on another goroutine when the garbage collector has run.
func afterCollection(f func()) {
	runtime.AddCleanup(new([64]byte), func(f func()) { f() }, f)
}
