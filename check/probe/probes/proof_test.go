package probes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcptea/check/probe"
)

// otherwiseProved holds the probes that no mutant and no faulty server of the tables proves, and where their proof is.
var otherwiseProved = map[string]string{
	"P-175": "cli/testdata/check.txtar, since it compares with the file of --baseline",
}

// TestProof_EachProbe requires a proof of each probe: a mutant that must be named by it, or a server that it must report,
// in testdata or in a table of servers over HTTP or of processes. A probe that consists of rules has the proofs of its
// rules.
func TestProof_EachProbe(t *testing.T) {
	proofs := map[string]string{}
	note := func(kind, pattern, text string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			if proofs[m[1]] == "" {
				proofs[m[1]] = kind
			}
		}
	}
	for line := range strings.Lines(textOf(t, "testdata/mutants.jsonl")) {
		_, want, _ := strings.Cut(line, `"want":`)
		note("a mutant", `(P-\d{3})`, want)
	}
	for block := range strings.SplitSeq(textOf(t, "testdata/*.txt"), "\n== ") {
		note("a server in testdata", `^(P-\d{3}) \S+ (?:fail|warning|info)`, block)
		if strings.Contains(block, "\n^ ") {
			note("a server in testdata", `^(P-\d{3})`, block)
		}
	}
	tests := textOf(t, "*_test.go")
	note("a server over HTTP", `probe: "(P-\d{3})".*(?:verdict: probe\.(?:Fail|Warn)|contains: ")`, tests)
	note("a process", `\{"(P-\d{3})", "[^"]*", probe\.(?:Fail|Warn|Pass), "[^"]`, tests)
	own := textOf(t, "probes.go") + textOf(t, "steps.jsonl")
	counts := map[string]int{}
	for _, e := range probe.Catalogue() {
		kind := proofs[e.ID]
		switch {
		case kind != "" && otherwiseProved[e.ID] != "":
			t.Errorf("%s has a proof, and need not be in otherwiseProved", e.ID)
		case kind != "":
		case otherwiseProved[e.ID] != "":
			kind = "another test"
		case len(e.Rules) > 0 && !strings.Contains(own, `"`+e.ID+`"`):
			kind = "its rules"
		default:
			t.Errorf("%s (%s) has no proof: give it a mutant or a server that it reports", e.ID, e.Slug)
		}
		counts[kind]++
	}
	t.Logf("proofs of %d probes: %v", len(probe.Catalogue()), counts)
}

// textOf returns the text of the files that match a pattern.
func textOf(t *testing.T, pattern string) (all string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all += "\n" + string(text)
	}
	return all
}
