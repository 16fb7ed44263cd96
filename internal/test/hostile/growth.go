package hostile

import (
	"runtime"
	"testing"
)

// Size is the size of the smaller value that a test compares with one of twice the size, in bytes.
const Size = 64 << 10

// moreAllocated is what a run may allocate beyond its share, in bytes: buffers grow in steps.
const moreAllocated = 8 << 20

// Grows fails the test unless twice the bytes lead to about twice the memory: run gets a peer without a
// value, one with a value of the shape of [Size] bytes, and one of twice that size.
//
// Memory is what was allocated in all, which is the same in each run: garbage counts too, since work that
// makes it takes time.
func Grows(t *testing.T, s Shape, run func(p Peer)) {
	t.Helper()
	none, once, twice := allocated(run, "0"), allocated(run, s.Of(Size)), allocated(run, s.Of(2*Size))
	one, two := max(0, once-none), max(0, twice-none)
	if two > one*5/2+moreAllocated {
		t.Errorf("%s: %d kB allocate %d kB, and twice as many %d kB", s.Name, Size>>10, one>>10, two>>10)
	}
}

// allocated returns how many bytes a run with a value allocates.
func allocated(run func(p Peer), value string) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(Peer{value})
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
