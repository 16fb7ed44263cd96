package record_test

import (
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcptea/record"
)

// A quantile is a value that was measured: at least so many percent are not above it, and fewer are below it.
func TestQuantile_NearestRank(t *testing.T) {
	for n := 1; n <= 300; n++ {
		sorted := make([]int64, n)
		h := hdrhistogram.New(1, 1000, 3)
		for i := range sorted {
			sorted[i] = int64(i + 1)
			_ = h.RecordValue(sorted[i])
		}
		for _, permille := range []int{1, 500, 750, 900, 950, 990, 999, 1000} {
			percent := float64(permille) / 10
			got := record.Quantile(sorted, percent)
			at, _ := slices.BinarySearch(sorted, got)
			if below, within := at*1000, (at+1)*1000; below >= n*permille || within < n*permille {
				t.Errorf("p%g of 1 to %d is %d", percent, n, got)
			}
			if of := record.HistogramQuantile(h, percent); of != got {
				t.Errorf("p%g of 1 to %d is %d in a histogram, %d of the values", percent, n, of, got)
			}
		}
	}
}

// Samples of many values are spread over all of them, so that their percentiles are those of all.
func TestSamples_AreSpread(t *testing.T) {
	var s record.Samples[int]
	for i := range 1_000_000 {
		s.Add(i)
	}
	sorted := slices.Sorted(slices.Values(s.Values()))
	for _, percent := range []float64{5, 50, 95, 99} {
		if got, want := record.Quantile(sorted, percent), int(percent*10_000); got < want-1000 || got > want+1000 {
			t.Errorf("p%g is %d, want about %d", percent, got, want)
		}
	}
	if len(sorted) > 100_000 {
		t.Errorf("%d values are kept", len(sorted))
	}
}
