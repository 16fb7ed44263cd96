package growth

import (
	"runtime"
	"testing"
	"time"

	"mcptea/internal/test/cputime"
)

// Size is the size of the smaller value that a test compares with one of twice the size, in bytes.
const Size = 32 << 10

// What a run may take beyond its share: buffers grow in steps, and other tests and the collector of garbage
// take time too.
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

// Minus returns what a run takes beyond another one.
func (c Cost) Minus(d Cost) Cost {
	return Cost{max(0, c.Allocated-d.Allocated), max(0, c.Time-d.Time)}
}

// Sizes are a peer without a value, one with a value of a shape of [Size] bytes, and one of twice that size.
func Sizes(s Shape) [3]Peer { return [3]Peer{{"0"}, {s.Of(Size)}, {s.Of(2 * Size)}} }

// Check fails the test unless twice the bytes lead to about twice the memory and twice the time. measure
// returns the costs with a peer, by what is measured. Time that is too long is measured again: only the
// shortest one counts.
func Check(t *testing.T, s Shape, measure func(p Peer) map[string]Cost) {
	t.Helper()
	costs := map[string][3]Cost{}
	for attempt := range 3 {
		for i, p := range Sizes(s) {
			for name, c := range measure(p) {
				all := costs[name]
				if attempt > 0 {
					c.Time = min(c.Time, all[i].Time)
				}
				all[i] = c
				costs[name] = all
			}
		}
		if !anySlow(costs) {
			break
		}
	}
	for name, all := range costs {
		one, two := all[1].Minus(all[0]), all[2].Minus(all[0])
		if two.Allocated > one.Allocated*12/5+moreAllocated {
			t.Errorf("%s: %d kB of %q at each place allocate %d kB, and twice as many %d kB", name, Size>>10, s.Name, one.Allocated>>10, two.Allocated>>10)
		}
		if isSlow(all) {
			t.Errorf("%s: %d kB of %q at each place take %s, and twice as many %s", name, Size>>10, s.Name, one.Time, two.Time)
		}
	}
}

// isSlow reports whether twice the bytes take more than about twice the time. Squared, they take four times.
func isSlow(all [3]Cost) bool {
	one, two := all[1].Minus(all[0]), all[2].Minus(all[0])
	return two.Time > one.Time*5/2+moreTime
}

func anySlow(costs map[string][3]Cost) bool {
	for _, all := range costs {
		if isSlow(all) {
			return true
		}
	}
	return false
}
