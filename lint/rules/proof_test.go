package rules

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mutantFiles hold the mutants of right servers and hosts. Their patterns name the rules that must find them.
var mutantFiles = []string{"../../check/probe/probes/testdata/mutants.jsonl", "testdata/host-mutants.jsonl", "../../internal/test/wiremutant/generate.go", "../../internal/test/wiremutant/values.go"}

// besideOthers holds the rules that report nothing by themselves in the traces, and why they are needed.
var besideOthers = map[string]string{
	"A010": "traces of its requests have few headers", "A017": "traces of its requests have few headers",
	"H001": "traces have few headers", "H002": "traces have few headers",
	"L022": "M010 is about the cause in the text",
}

// TestProof_EachRule requires a proof that each rule is needed: a mutant that must be named by it, or a trace in which no
// other rule finds an error or a warning at its place. A rule without one says nothing that another does not.
func TestProof_EachRule(t *testing.T) {
	ids := regexp.MustCompile(`[A-Z][0-9]{3}`)
	byMutant := map[string]bool{}
	for _, file := range mutantFiles {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, want, ok := strings.Cut(line, `"want":`); ok || strings.HasSuffix(file, ".go") {
				if !ok {
					want = line
				}
				for _, id := range ids.FindAllString(want, -1) {
					byMutant[id] = true
				}
			}
		}
	}
	alone := map[string]bool{}
	for _, tr := range traces(t, "fires") {
		for _, found := range tr.want {
			for _, id := range aloneIn(found) {
				alone[id] = true
			}
		}
	}
	counts := map[string]int{}
	for _, e := range Catalogue() {
		switch {
		case byMutant[e.ID]:
			counts["a mutant"]++
		case alone[e.ID]:
			counts["a trace"]++
		case besideOthers[e.ID] != "":
			counts["a reason"]++
		default:
			t.Errorf("%s (%s) has no mutant, and another rule speaks wherever it does: delete it, or give it a mutant", e.ID, e.Slug)
		}
		if besideOthers[e.ID] != "" && (byMutant[e.ID] || alone[e.ID]) {
			t.Errorf("%s has a proof, and need not be in besideOthers", e.ID)
		}
	}
	t.Logf("proofs of %d rules: %v", len(Catalogue()), counts)
}

// informative are rules whose infos come with most messages, or sum up other findings.
var informative = []string{"M003", "T016", "C016", "L016", "H044"}

// aloneIn returns the rules of the findings at one event whose places no other finding shares.
func aloneIn(found []string) (ids []string) {
	type place struct{ id, at string }
	var all []place
	for _, line := range found {
		fields := strings.Fields(strings.TrimPrefix(line, expected))
		if len(fields) > 1 && strings.HasPrefix(fields[1], "x") {
			fields = append(fields[:1], fields[2:]...)
		}
		if len(fields) > 1 {
			all = append(all, place{fields[0], strings.TrimSuffix(fields[1], ":")})
		}
	}
	for _, p := range all {
		if !slices.ContainsFunc(all, func(o place) bool {
			return o.id != p.id && !slices.Contains(informative, o.id) && (o.at == p.at || strings.HasPrefix(o.at, p.at+"/") || strings.HasPrefix(p.at, o.at+"/"))
		}) {
			ids = append(ids, p.id)
		}
	}
	return ids
}
