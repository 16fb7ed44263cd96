package lint

import (
	"strings"
	"testing"
)

// Rules look at so many elements of an array, whatever its length.
func TestIndexed_Bound(t *testing.T) {
	for _, n := range []int{0, 1, 100_000, 100_001, 1_000_000} {
		array, seen, last := []byte("["+strings.TrimSuffix(strings.Repeat("{},", n), ",")+"]"), 0, -1
		for i := range Indexed(array) {
			seen, last = seen+1, i
		}
		if want := min(n, 100_000); seen != want || last != want-1 {
			t.Errorf("of %d elements %d are looked at, the last is %d", n, seen, last)
		}
	}
}
