package rules

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"mcptea/internal/test/spelling"
)

// wholeMatrix is set in .ci/run matrices. Without it, each trace is written in one of the usual spellings by
// turns, and each value is replaced by some of the odd ones.
var wholeMatrix = flag.Bool("all", false, "write the messages of traces in each spelling, also of one side alone, and replace values by each odd one")

// aboutSpelling are the rules whose findings are about the bytes themselves, with the reason.
var aboutSpelling = map[string]string{}

// How a message is written does not change what is found in it, nor where.
func TestTrace_Spellings(t *testing.T) {
	sides := []string{""}
	if *wholeMatrix {
		sides = []string{"C>", "S>", ""}
	}
	all := slices.Concat(traces(t, "fires"), traces(t, "silent"))
	wants := make([][]string, len(all))
	for i, tr := range all {
		wants[i] = places(replay(t, tr))
	}
	var spellings []*spelling.Spelling
	for i := range spelling.All {
		if s := &spelling.All[i]; s.Usual || *wholeMatrix {
			spellings = append(spellings, s)
		}
	}
	for n, s := range spellings {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			for i, tr := range all {
				if !*wholeMatrix && i%len(spellings) != n {
					continue
				}
				for _, side := range sides {
					if got := places(respelled(t, tr, s, side)); !slices.Equal(got, wants[i]) {
						t.Errorf("%s %s (%s), side %q: + %v - %v", tr.file, tr.rule, tr.context, side, without(got, wants[i]), without(wants[i], got))
					}
				}
			}
		})
	}
}

func without(a, b []string) (left []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			left = append(left, x)
		}
	}
	return left
}

// places are the rules that have fired, and where.
func places(p *player) []string {
	var all []string
	for _, f := range p.found {
		if aboutSpelling[f.Rule.ID] == "" {
			all = append(all, fmt.Sprintf("%s @%d %s", f.Rule.ID, f.Row, f.Path))
		}
	}
	slices.Sort(all)
	return all
}
