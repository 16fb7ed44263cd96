package growth

import (
	"runtime"
	"testing"
)

// Size is the size of the smaller value that a test compares with one of twice the size, in bytes.
const Size = 32 << 10

// moreAllocated is what a run may allocate beyond its share, in bytes: buffers grow in steps.
const moreAllocated = 4 << 20

// Sizes are a peer without a value, one with a value of a shape of [Size] bytes, and one of twice that size.
func Sizes(s Shape) [3]Peer { return [3]Peer{{"0"}, {s.Of(Size)}, {s.Of(2 * Size)}} }

// Check fails the test unless twice the bytes lead to about twice the memory.
//
// Memory is what was allocated in all, which is nearly the same in each run: garbage counts too, since work
// that makes it takes time.
func Check(t *testing.T, s Shape, run func(p Peer)) {
	t.Helper()
	var bytes [3]int64
	for i, p := range Sizes(s) {
		bytes[i] = Allocated(func() { run(p) })
	}
	CheckAllocated(t, s.Name, bytes)
}

// CheckAllocated is [Check] for what was allocated with the peers of [Sizes]. name says what was measured.
func CheckAllocated(t *testing.T, name string, bytes [3]int64) {
	t.Helper()
	one, two := max(0, bytes[1]-bytes[0]), max(0, bytes[2]-bytes[0])
	if two > one*5/2+moreAllocated {
		t.Errorf("%s: %d kB at each place allocate %d kB, and twice as many %d kB", name, Size>>10, one>>10, two>>10)
	}
}

// Allocated returns how many bytes the program allocates during a run.
func Allocated(run func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}
