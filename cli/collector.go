package cli

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// firstCollection is how much memory, in bytes, the program may take before the garbage
// collector runs. Most commands end with less.
const firstCollection = 20 << 20

// deferCollector turns the garbage collector off until the first collection, after which it
// lets so much garbage gather. A collection while a command starts costs a fifth of its processor time.
// What the environment says about the collector holds.
func deferCollector(garbage *atomic.Int32) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		debug.SetGCPercent(int(garbage.Load()))
		debug.SetMemoryLimit(math.MaxInt64)
	}, struct{}{})
}
