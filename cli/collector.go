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
	// firstCollection is the memory that the program may use before the garbage collector runs, in
	// bytes. Most commands end with less.
	firstCollection = 20 << 20
	// maxGarbage bounds the garbage between two collections, in bytes. A large frame should not
	// cause as much garbage as it uses memory. Collecting it takes no time.
	maxGarbage = 16 << 20
)

// deferCollector turns the garbage collector off until the first collection. After that, the
// garbage may grow by a percentage of the memory in use, up to [maxGarbage]. A collection while a
// command starts would cost a fifth of its processor time. Settings of the collector in the
// environment take precedence.
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

// boundGarbage sets the percentage of garbage until the next collection, and does so again after
// each collection. last is the current percentage.
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
