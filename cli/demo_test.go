package cli

import (
	"strings"
	"testing"
)

// With a fault the line above the last row says what it does, and not the steps.
func TestDemo_FaultIsInSight(t *testing.T) {
	l := lesson("bad-json")
	if len(l.Steps) != 1 || !strings.HasPrefix(l.Steps[0].Text, "fault bad-json: the server answers tool calls") || l.Over {
		t.Errorf("%+v", l)
	}
	if steps := lesson("").Steps; len(steps) < 2 {
		t.Errorf("%d steps", len(steps))
	}
}
