package probe

import (
	"slices"
	"strings"
	"testing"
)

// A row of a library names a probe: else its advice never appears.
func TestLibraries_Known(t *testing.T) {
	for _, l := range libraries() {
		if len(l.own) == 0 || len(l.Members) == 0 {
			t.Errorf("%s has no rows", l.ID)
		}
		for _, o := range l.own {
			if !slices.ContainsFunc(Catalogue(), func(e *Entry) bool { return e.ID == o.Probe }) {
				t.Errorf("%s: no probe %s", l.ID, o.Probe)
			}
			if !strings.HasSuffix(o.Does, ".") || !strings.HasSuffix(o.Try, ".") {
				t.Errorf("%s %s: not sentences: %q %q", l.ID, o.Probe, o.Does, o.Try)
			}
		}
	}
}
