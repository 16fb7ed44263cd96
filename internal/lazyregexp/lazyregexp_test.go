package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	if !digits().MatchString("42") || digits().MatchString("4x") || digits() != digits() {
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
