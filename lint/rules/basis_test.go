package rules

import (
	"slices"
	"testing"

	"mcptea/lint"
)

func TestCatalogue_Basis(t *testing.T) {
	var counts [3]int
	for _, e := range Catalogue() {
		i := slices.Index([]lint.Basis{lint.Spec, lint.Schema, lint.Heuristic}, e.Basis)
		if i < 0 {
			t.Errorf("%s has the basis %q", e.ID, e.Basis)
			continue
		}
		counts[i]++
		if e.Basis == lint.Heuristic && e.DefaultSeverity == lint.Error && !slices.Contains(guessedErrors, e.ID) {
			t.Errorf("%s is an error, but it rests on a heuristic", e.ID)
		}
	}
	t.Logf("spec %d, schema %d, heuristic %d", counts[0], counts[1], counts[2])
}

// guessedErrors are the heuristic rules that are errors: each one finds a name
// that no revision defines, and guesses which one is meant.
var guessedErrors = []string{"J006", "L006", "N001", "N023", "T001", "C005", "B009"}

// Without heuristics, the finding that a heuristic one would have replaced is
// reported.
func TestNoHeuristics_ReplacedFindingIsReported(t *testing.T) {
	for _, tr := range traces(t, "fires") {
		entry, _ := Lookup(tr.rule)
		t.Run(tr.rule, func(t *testing.T) {
			found := replay(t, tr, lint.NoHeuristics()).found
			for _, f := range found {
				if f.Rule.Basis == lint.Heuristic {
					t.Errorf("%s fires: %s", f.Rule.ID, f.Message)
				}
			}
			if entry.Basis != lint.Heuristic && !fired(found, tr.rule) {
				t.Errorf("%s does not fire without heuristics; found %v", tr.rule, ids(found))
			}
			if tr.rule == "N023" && !fired(found, "J027") {
				t.Errorf("J027 does not fire in place of N023; found %v", ids(found))
			}
		})
	}
}
