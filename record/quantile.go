package record

import (
	"cmp"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Quantile returns a percentile of sorted values by the nearest rank: the smallest value that at least
// this percentage of them does not exceed. There must be at least one value. All percentiles of mcptea are
// computed by it, or by [HistogramQuantile].
func Quantile[T cmp.Ordered](sorted []T, percent float64) T {
	return sorted[rank(int64(len(sorted)), percent)-1]
}

// HistogramQuantile is like [Quantile], but reads a histogram and has its precision.
func HistogramQuantile(h *hdrhistogram.Histogram, percent float64) int64 {
	n := h.TotalCount()
	if n == 0 {
		return 0
	}
	return h.ValueAtQuantile(100 * float64(rank(n, percent)) / float64(n))
}

// rank returns the rank of a percentile among n values, from 1.
func rank(n int64, percent float64) int64 {
	const rounding = 1e-9 // 99.9 % of 1,000 are 999, which is a little more in floating point
	return min(n, max(1, int64(math.Ceil(float64(n)*percent/100-rounding))))
}

// Samples holds some of many values, evenly distributed over all of them, for percentiles. The zero value is empty.
type Samples[T cmp.Ordered] struct {
	values []T
	every  int // keep one of this many values; 0 keeps all
	skip   int // values that are left out before the next one
}

// maxSamples bounds the values of [Samples]. Beyond it each second one is left out, repeatedly.
const maxSamples = 100_000

// Add adds a value.
func (s *Samples[T]) Add(value T) {
	if s.skip > 0 {
		s.skip--
		return
	}
	if len(s.values) >= maxSamples {
		for i := range len(s.values) / 2 {
			s.values[i] = s.values[2*i]
		}
		s.values, s.every = s.values[:len(s.values)/2], max(1, s.every)*2
	}
	s.values, s.skip = append(s.values, value), max(1, s.every)-1
}

// Values returns the values that are kept, in the order of their arrival. The caller must not change them.
func (s *Samples[T]) Values() []T { return s.values }
