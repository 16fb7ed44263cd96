package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	first := digits()
	if !first.MatchString("42") || first.MatchString("4x") || digits() != first {
		t.Error("New did not return one working expression")
	}
}

func TestNew_MalformedPatternPanicsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a malformed pattern was accepted")
		}
	}()
	New(`(`)
}
