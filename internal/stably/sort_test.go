package stably

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSort_AsSlicesDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		got := make([][2]int, n)
		for i := range got {
			got[i] = [2]int{r.IntN(10), i}
		}
		want := slices.Clone(got)
		compare := func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) }
		Sort(got, compare)
		slices.SortStableFunc(want, compare)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
