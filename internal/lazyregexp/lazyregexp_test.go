package lazyregexp_test

import (
	"testing"

	"mcptea/internal/lazyregexp"
)

func TestLazyregexp_New(t *testing.T) {
	digits := lazyregexp.New(`^\d+$`)
	first := digits()
	if !first.MatchString("42") || first.MatchString("4x") || digits() != first {
		t.Error("New did not return one working expression")
	}
}

func TestLazyregexp_New_MalformedPatternPanicsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a malformed pattern was accepted")
		}
	}()
	lazyregexp.New(`(`)
}
