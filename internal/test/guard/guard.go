//go:build unix

package guard

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"
)

// Region holds bytes in pages of their own.
type Region struct {
	tb     testing.TB
	memory []byte
	Bytes  []byte
}

// New copies bytes into a region that lasts until the end of the test.
func New(tb testing.TB, b []byte) *Region {
	tb.Helper()
	page := os.Getpagesize()
	size := (len(b)/page + 1) * page
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = unix.Munmap(memory) })
	return &Region{tb, memory, memory[:copy(memory, b)]}
}

// Forbid runs a function that may not read the bytes from start to end. The test
// fails when it does. Of the pages at both ends, which hold other bytes too,
// reading is allowed.
func (r *Region) Forbid(start, end int, what string, run func()) {
	r.tb.Helper()
	page := os.Getpagesize()
	from, to := (start+page-1)/page*page, end/page*page
	if from >= to {
		r.tb.Fatalf("%d to %d is less than a page", start, end)
	}
	protect := func(how int) {
		if err := unix.Mprotect(r.memory[from:to], how); err != nil {
			r.tb.Fatal(err)
		}
	}
	protect(unix.PROT_NONE)
	before := debug.SetPanicOnFault(true)
	defer func() {
		fault := recover()
		debug.SetPanicOnFault(before)
		protect(unix.PROT_READ | unix.PROT_WRITE)
		if fault != nil {
			r.tb.Errorf("%s reads bytes that it has no need of: %v\n%s", what, fault, fmt.Sprintf("%.3000s", debug.Stack()))
		}
	}()
	run()
}
