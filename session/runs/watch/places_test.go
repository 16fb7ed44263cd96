package watch

import (
	"strings"
	"testing"
)

func TestPlaces_Bounds(t *testing.T) {
	for n, want := range map[int]int{1000: 1000, 1001: 1000} {
		if got := len(placesIn([]byte(strings.Repeat("./main.go:12:3: undefined: x\n", n)))); got != want {
			t.Errorf("of %d places %d are found", n, got)
		}
	}
	for over, want := range []int{4096, 4096} {
		line := "./main.go:12:3: "
		got := placesIn([]byte(line + strings.Repeat("x", 4096-len(line)+over) + "\n"))
		if len(got) != 1 || len(line)+len(got[0].Text) != want {
			t.Errorf("%d bytes beyond the bound: %+v", over, got)
		}
	}
	if maxOutput != 1<<20 {
		t.Errorf("%d bytes of the output of a build are kept", maxOutput)
	}
}
