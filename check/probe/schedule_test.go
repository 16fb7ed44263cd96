package probe

import (
	"cmp"
	"slices"
	"testing"
)

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

// Each probe is in one queue, which comes after those that would disturb it.
func TestPlan_QueuesAndTheirOrder(t *testing.T) {
	for _, tt := range []struct {
		name      string
		e         Entry
		isProcess bool
		want      int
	}{
		{"on the shared connection", Entry{Phase: phaseRead}, true, queueShared},
		{"waits for calls", Entry{Phase: phaseRead, Alone: true, Waits: true}, true, queueCalls},
		{"waits", Entry{Phase: phaseEnd, Alone: true, Waits: true}, true, queueWaiting},
		{"changes its session", Entry{Phase: phaseUndone}, true, queueBeside},
		{"starts processes", Entry{Phase: phaseEnd, Alone: true}, true, queueBeside},
		{"affects others", Entry{Phase: phaseIsolation, Alone: true}, true, queueIsolated},
		{"several connections", Entry{Phase: phaseIsolation}, true, queueSeveral},
		{"measures", Entry{Phase: phaseLoad}, true, queueLast},
		{"over HTTP one after the other", Entry{Phase: phaseUndone, Alone: true, Waits: true}, false, queueShared},
		{"over HTTP, several connections", Entry{Phase: phaseIsolation, Alone: true}, false, queueSeveral},
	} {
		if got := queueOf(&tt.e, tt.isProcess); got != tt.want {
			t.Errorf("%s: queue %d, want %d", tt.name, got, tt.want)
		}
	}
	r := new(Runner)
	plan := r.plan(r.ordered())
	n := 0
	for i, s := range plan {
		n += len(s.probes)
		for _, other := range s.after {
			if slices.Contains(plan[other].after, i) {
				t.Errorf("queues %d and %d wait for each other", i, other)
			}
		}
		if s.lanes == 1 && !slices.IsSortedFunc(s.probes, func(a, b *Entry) int { return cmp.Compare(a.Phase, b.Phase) }) {
			t.Errorf("queue %d is not in the order of the phases", i)
		}
	}
	if n != len(Catalogue()) {
		t.Errorf("%d probes, want %d", n, len(Catalogue()))
	}
	var starts []int
	for _, e := range plan[queueBeside].probes {
		starts = append(starts, -e.Starts)
	}
	if !slices.IsSorted(starts) {
		t.Errorf("those that start most processes are not first: %v", starts)
	}
}
