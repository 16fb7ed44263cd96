package failure

import (
	"fmt"
	"slices"
	"testing"
)

// The server pane asks for ever fewer lines until they fit, at each paint: what is decisive is looked for
// once, and the lines are those of choiceOf.
func TestChooser_LooksOnce(t *testing.T) {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("line %d of what the server has written", i))
	}
	lines[20] = "Error: Cannot find module 'express'"
	lines[50] = "}"
	choose := Chooser(lines)
	for _, n := range []int{199, 150, 60, 22, 20, 3, 1} {
		if got, want := choose(n), choiceOf(lines, n); !slices.Equal(got, want) {
			t.Fatalf("%d lines: %q, not %q", n, got, want)
		}
	}
	one := testing.AllocsPerRun(1, func() { choiceOf(lines, 100) })
	all := testing.AllocsPerRun(1, func() {
		choose := Chooser(lines)
		for n := 199; n >= 1; n-- {
			choose(n)
		}
	})
	if all > 10*one {
		t.Errorf("199 choices make %.0f allocations, one makes %.0f", all, one)
	}
}
