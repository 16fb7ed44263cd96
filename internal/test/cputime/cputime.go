// Package cputime measures processor time for tests. Unlike elapsed time, it
// does not grow when other programs keep the processors busy.
package cputime

import (
	"runtime"
	"time"
)

// Of returns the processor time, user and system, that f takes on the calling
// goroutine. What f has other goroutines do is not counted. Elsewhere than on
// Linux it is the elapsed time.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := clock()
	f()
	return clock() - before
}

// Least returns the smallest processor time of n runs of f.
func Least(n int, f func()) time.Duration {
	least := Of(f)
	for range n - 1 {
		least = min(least, Of(f))
	}
	return least
}
