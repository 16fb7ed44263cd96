package pane_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/session/runs/watch"
	"mcptea/ui/keys"
	"mcptea/ui/pane/build"
)

func TestBuild_SetState_MaxLines(t *testing.T) {
	for n, want := range map[int]int{20_000: 20_000, 20_001: 20_000} {
		var output strings.Builder
		for i := range n {
			fmt.Fprintf(&output, "line %d.\n", i+1)
		}
		program := panetest.New(t)
		p := build.New(program)
		p.SetState(watch.State{Build: &watch.Build{Err: errors.New("exit status 1"), Output: []byte(output.String())}})
		program.Pane = p
		p.Motion(keys.Bottom)
		screen := program.Paint(80, 20, true)
		if !strings.Contains(screen, fmt.Sprintf("line %d.", want)) || strings.Contains(screen, fmt.Sprintf("line %d.", want+1)) {
			t.Errorf("of %d lines these are the last ones:\n%s", n, screen)
		}
	}
}
