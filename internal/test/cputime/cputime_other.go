//go:build !linux

// Package cputime measures processor time for tests.
package cputime

import "time"

// Of returns the elapsed time: only Linux reports the processor time of a
// thread.
func Of(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// Least returns the smallest elapsed time of n runs of f.
func Least(n int, f func()) time.Duration {
	least := Of(f)
	for range n - 1 {
		least = min(least, Of(f))
	}
	return least
}
