package intercept_test

import (
	"slices"
	"testing"

	"mcptea/session/intercept"
)

func TestIntercept_Set_Bound(t *testing.T) {
	const maxRules = 1000
	g := intercept.New(intercept.Options{})
	breakpoints := slices.Repeat([]intercept.Breakpoint{{Filter: "ping"}}, maxRules+1)
	faults := slices.Repeat([]intercept.Fault{{Name: "drop"}}, maxRules+1)
	if err := g.SetBreakpoints(breakpoints[:maxRules]); err != nil {
		t.Error(err)
	}
	if err := g.SetFaults(faults[:maxRules]); err != nil {
		t.Error(err)
	}
	if g.SetBreakpoints(breakpoints) == nil || g.SetFaults(faults) == nil {
		t.Error("a list is not refused")
	}
	if st := g.State(); len(st.Breakpoints) != maxRules || len(st.Faults) != maxRules {
		t.Errorf("%d breakpoints, %d faults", len(st.Breakpoints), len(st.Faults))
	}
}
