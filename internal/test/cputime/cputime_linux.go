// Package cputime measures processor time for tests. Unlike elapsed time, it
// does not grow when other programs keep the processors busy.
package cputime

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Of returns the processor time, user and system, that f takes on the calling
// goroutine. What f has other goroutines do is not counted.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := thread()
	f()
	return thread() - before
}

func thread() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // EFAULT and EINVAL cannot happen
	}
	return time.Duration(t.Nano())
}

// Least returns the smallest processor time of n runs of f.
func Least(n int, f func()) time.Duration {
	least := Of(f)
	for range n - 1 {
		least = min(least, Of(f))
	}
	return least
}
