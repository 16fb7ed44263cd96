package build

import (
	"errors"
	"strings"
	"testing"

	"mcptea/session/runs/watch"
)

func TestSetState_MaxLines(t *testing.T) {
	for n, want := range map[int]int{20_000: 20_000, 20_001: 20_000} {
		p := New(nil)
		p.SetState(watch.State{Build: &watch.Build{Err: errors.New("exit status 1"), Output: []byte(strings.Repeat("x\n", n))}})
		if len(p.lines) != want {
			t.Errorf("of %d lines %d are shown", n, len(p.lines))
		}
	}
}
