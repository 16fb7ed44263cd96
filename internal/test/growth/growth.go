package growth

import (
	"runtime"
	"testing"
	"time"

	"mcptea/internal/test/cputime"
)

// Size is the size of the smaller value that a test compares with one of twice the size, in bytes.
const Size = 32 << 10

// Allowances of a run beyond its share: buffers grow in steps, and other tests and the garbage collector take
// time, too.
const (
	moreAllocated = 4 << 20 // bytes
	moreTime      = time.Second
)

// A Cost is the cost of a run: the allocated memory, in bytes and including garbage, and the processor time of the
// process.
type Cost struct {
	Allocated int64
	Time      time.Duration
}

// Of returns the cost of a run.
func Of(run func()) Cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cputime.Process()
	run()
	took := cputime.Process() - start
	runtime.ReadMemStats(&after)
	return Cost{int64(after.TotalAlloc - before.TotalAlloc), took}
}

// Minus returns the cost of a run minus the cost of another one.
func (c Cost) Minus(d Cost) Cost {
	return Cost{max(0, c.Allocated-d.Allocated), max(0, c.Time-d.Time)}
}

// Check fails the test unless twice the bytes cost about twice the memory and twice the time. measure returns
// the costs with a peer, by aspect. The values have [Size] bytes. The cost of the smallest value of the shape
// is subtracted: a session without the shape may behave differently.
func Check(t *testing.T, s Shape, measure func(p Peer) map[string]Cost) {
	t.Helper()
	CheckFrom(t, s, Size, measure)
}

// CheckFrom is like [Check], but with another size of the smaller value: for cheap code, only a large value
// shows that its time is quadratic. A cost that is too high is measured again, and the lowest one counts: the
// garbage collector empties pools, which then allocate again.
func CheckFrom(t *testing.T, s Shape, size int, measure func(p Peer) map[string]Cost) {
	t.Helper()
	peers := [3]Peer{PeerOf(s, 0), PeerOf(s, size), PeerOf(s, 2*size)}
	check(t, s.Name, size, func(i int) map[string]Cost { return measure(peers[i]) })
}

// check fails the test unless the third of three inputs costs about twice of what the second costs, each without the
// costs of the first. what names the form of the inputs, and size is that of the second one in bytes.
func check(t *testing.T, what string, size int, measure func(input int) map[string]Cost) {
	t.Helper()
	costs := map[string][3]Cost{}
	for attempt := range 3 {
		for i := range 3 {
			for name, c := range measure(i) {
				all := costs[name]
				if attempt > 0 {
					c = Cost{min(c.Allocated, all[i].Allocated), min(c.Time, all[i].Time)}
				}
				all[i] = c
				costs[name] = all
			}
		}
		if !anyGrows(costs) {
			break
		}
	}
	for name, all := range costs {
		one, two := all[1].Minus(all[0]), all[2].Minus(all[0])
		if isLarge(all) {
			t.Errorf("%s: %d kB of %q allocate %d kB, and twice as many %d kB", name, size>>10, what, one.Allocated>>10, two.Allocated>>10)
		}
		if isSlow(all) {
			t.Errorf("%s: %d kB of %q take %s, and twice as many %s", name, size>>10, what, one.Time, two.Time)
		}
	}
}

// isSlow reports whether twice the bytes take more than about twice the time. Squared, they take four times.
func isSlow(all [3]Cost) bool {
	one, two := all[1].Minus(all[0]), all[2].Minus(all[0])
	return two.Time > one.Time*5/2+moreTime
}

// isLarge reports whether twice the bytes allocate more than about twice the memory.
func isLarge(all [3]Cost) bool {
	one, two := all[1].Minus(all[0]), all[2].Minus(all[0])
	return two.Allocated > one.Allocated*12/5+moreAllocated
}

func anyGrows(costs map[string][3]Cost) bool {
	for _, all := range costs {
		if isSlow(all) || isLarge(all) {
			return true
		}
	}
	return false
}
