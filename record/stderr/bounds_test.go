package stderr_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/record/stderr"
)

// Only the newest lines are read, and the begin of each.
func TestDecisive_Bounds(t *testing.T) {
	other := slices.Repeat([]string{"listening"}, 199)
	if got := stderr.Decisive(append([]string{"Error: no port"}, other...)); got != "Error: no port" {
		t.Errorf("of 200 lines the decisive one is %q", got)
	}
	if got := stderr.Decisive(append([]string{"Error: no port", "starting"}, other...)); got != "listening" {
		t.Errorf("of 201 lines the decisive one is %q", got)
	}
	if got := stderr.Decisive([]string{"Error: " + strings.Repeat("x", 5000)}); len(got) != 4096 {
		t.Errorf("%d bytes of a line are read", len(got))
	}
}
