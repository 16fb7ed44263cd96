package timeline

import "time"

// maxBuckets is the maximum number of parts of the overview: a power of two.
const maxBuckets = 1024

// overview counts rows by their time, in buckets whose width doubles when the session is
// longer than all of them.
type overview struct {
	begin  int64 // Unix nanoseconds, or 0 before the first row
	width  int64 // width of a bucket in nanoseconds
	counts [maxBuckets]int32
	used   int
}

func (o *overview) add(at int64) {
	if o.begin == 0 {
		o.begin, o.width = at, int64(time.Millisecond)
	}
	n := max(0, at-o.begin) / o.width
	for ; n >= maxBuckets; n /= 2 {
		for i := range maxBuckets / 2 {
			o.counts[i] = o.counts[2*i] + o.counts[2*i+1]
		}
		clear(o.counts[maxBuckets/2:])
		o.width, o.used = o.width*2, (o.used+1)/2
	}
	o.counts[n]++
	o.used = max(o.used, int(n)+1)
}

// Overview counts the rows of the session in a number of spans of equal length, from its start to its end.
func (t *Timeline) Overview(spans int) []int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	counts := make([]int, max(spans, 0))
	o := &t.overview
	if o.begin == 0 || spans <= 0 {
		return counts
	}
	length := max(t.newest-o.begin, 1)
	for i, n := range o.counts[:o.used] {
		if n > 0 {
			at := (int64(i)*o.width + o.width/2) * int64(spans) / length
			counts[min(max(at, 0), int64(spans)-1)] += int(n)
		}
	}
	return counts
}
