package record

import (
	"cmp"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Quantile returns a percentile of sorted values by the nearest rank: the smallest value that is at
// least as large as this percentage of the values. There must be at least one value. mcptea
// computes all percentiles with Quantile or [HistogramQuantile].
func Quantile[T cmp.Ordered](sorted []T, percent float64) T {
	return sorted[rank(int64(len(sorted)), percent)-1]
}

// HistogramQuantile is like [Quantile], but reads a histogram. Its precision is the precision of
// the histogram.
func HistogramQuantile(h *hdrhistogram.Histogram, percent float64) int64 {
	n := h.TotalCount()
	if n == 0 {
		return 0
	}
	return h.ValueAtQuantile(100 * float64(rank(n, percent)) / float64(n))
}

// rank returns the rank of a percentile among n values, from 1.
func rank(n int64, percent float64) int64 {
	const rounding = 1e-9 // 99.9% of 1,000 are 999; floating point returns slightly more
	return min(n, max(1, int64(math.Ceil(float64(n)*percent/100-rounding))))
}

// Samples keeps a sample of many values, evenly distributed, for percentiles. The zero value is
// empty.
type Samples[T cmp.Ordered] struct {
	values []T
	every  int // keep one of this many values; 0 keeps all
	skip   int // values to leave out before the next one is kept
}

// maxSamples bounds the values of [Samples]. Each time there are more, every second value is
// dropped.
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
