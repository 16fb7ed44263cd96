package bridge

import (
	"testing"

	"mcptea/session"
	"mcptea/session/shell"
)

// result is a receiver.
type result struct{ name string }

func (*result) PushCommand(string, <-chan shell.Outcome, func()) {}
func (*result) PushCall(*session.Call)                           {}

func TestReceivers_Bound(t *testing.T) {
	var a App
	first := &result{"first"}
	ref := a.ref(first)
	if a.ref(first) != ref || a.receiver(ref) != first {
		t.Error("a receiver has two references")
	}
	for range maxReceivers - 1 {
		a.ref(&result{})
	}
	if a.receiver(ref) != first {
		t.Error("it is gone at the bound")
	}
	last := &result{"last"}
	if newest := a.ref(last); a.receiver(newest) != last || a.receiver(ref) != nil || len(a.receivers) != maxReceivers {
		t.Errorf("%d are kept; the oldest is %v", len(a.receivers), a.receiver(ref))
	}
	for _, ref := range []string{"", "bridge", "bridge x", "bridge -1", "bridge 9999", "tasks 1"} {
		if a.receiver(ref) != nil {
			t.Errorf("%q is of a receiver", ref)
		}
	}
}
