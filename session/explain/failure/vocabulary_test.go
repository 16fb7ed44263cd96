package failure

import (
	"slices"
	"testing"

	"mcptea/session/explain/facts"
)

// A typed fact is in each situation under its name, so no place may use the name for something else.
func TestVocabulary_NamesAreUnique(t *testing.T) {
	for _, f := range facts.All {
		if slices.Contains(everywhere, f.Name) {
			t.Errorf("%q is a typed fact, too", f.Name)
		}
		for place, names := range ofPlace {
			if slices.Contains(names, f.Name) {
				t.Errorf("%q of %q is a typed fact, too", f.Name, place)
			}
		}
	}
}

func TestVocabulary_UnknownFactPanics(t *testing.T) {
	for _, r := range []row{
		{ID: "a", Where: "status", When: map[string]string{"acept_sent": "*"}},
		{ID: "b", Where: "network", Unless: map[string]string{"idle": "*"}}, // that of another place
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the row %s was loaded", r.ID)
				}
			}()
			r.checkNames()
		}()
	}
}
