package probe

import "testing"

// The run ends when the last missing response was waited for: those probes come first in their
// phase, and the phases keep their order.
func TestOrdered_LateResponsesFirst(t *testing.T) {
	all := new(Runner).ordered()
	late := 0
	for i, e := range all {
		if e.Late {
			late++
		}
		if i == 0 {
			continue
		}
		switch before := all[i-1]; {
		case before.Phase > e.Phase:
			t.Errorf("%s of phase %d comes after %s of phase %d", e.ID, e.Phase, before.ID, before.Phase)
		case before.Phase == e.Phase && e.Late && !before.Late:
			t.Errorf("%s, which may wait for a late response, comes after %s", e.ID, before.ID)
		}
	}
	if late == 0 {
		t.Error("no probe is marked")
	}
}
