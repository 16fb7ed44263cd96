package probes_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/client/revision"
)

var update = flag.Bool("update", false, "write docs/probes.md")

const pageOfProbes = "../../../docs/probes.md"

func TestPage_Current(t *testing.T) {
	want := page()
	if *update {
		if err := os.WriteFile(pageOfProbes, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(pageOfProbes)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("docs/probes.md is not what the catalog says; go test ./check/probe/probes -run TestPage -update writes it")
	}
}

var escape = strings.NewReplacer("*", "\\*", "_", "\\_", "<", "&lt;", "`", "\\`")

func page() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Probes\n\n`mcptea check` runs these %d probes; [check.md](check.md) explains the verdicts. ", len(probe.Catalogue()))
	b.WriteString("The level of a probe is **MUST** or **SHOULD** if the specification says so, **ROB** for robustness that it does not require, and **SEC** for security. ")
	b.WriteString("The class says what a probe may do: 0 nothing that has an effect, 1 call code that promises to change nothing, 2 change its own session, 3 load and attacks.\n")
	shared := sharedSentences()
	b.WriteString("\nSeveral probes rest on these sentences of the specification, and name them by their numbers:\n\n")
	for i, text := range shared {
		fmt.Fprintf(&b, "- %s: %s\n", number(i), text)
	}
	for _, g := range probe.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for _, e := range probe.Catalogue() {
			if e.Group == g.Name {
				writeProbe(&b, e, shared)
			}
		}
	}
	return b.Bytes()
}

// number names a sentence that several probes rest on.
func number(i int) string { return "S" + strconv.Itoa(i+1) }

// sharedSentences are the sentences that three or more probes rest on.
func sharedSentences() (shared []string) {
	uses := map[string]int{}
	for _, e := range probe.Catalogue() {
		for _, g := range e.Grounds() {
			if text := sentence(g); uses[text] < 3 {
				if uses[text]++; uses[text] == 3 {
					shared = append(shared, text)
				}
			}
		}
	}
	return shared
}

// sentence is what a probe rests on.
func sentence(g probe.Ground) string {
	switch in := revision.Words(g.Rev); {
	case g.Effect != "":
		return "Error if " + escape.Replace(g.Effect) + "."
	case g.Schema != "":
		return "Schema, " + in + ": " + escape.Replace(g.Says)
	default:
		return escape.Replace(g.Section) + ", " + in + ": “" + escape.Replace(g.Says) + "”"
	}
}

func writeProbe(b *bytes.Buffer, e *probe.Entry, shared []string) {
	facts := []string{fmt.Sprintf("**%s**", e.Level), fmt.Sprintf("class %d", e.Class), string(e.Basis)}
	facts = append(facts, e.Transports...)
	if len(e.Revisions) > 0 {
		facts = append(facts, revision.Words(e.Revisions))
	}
	fmt.Fprintf(b, "\n### %s %s\n\n%s\n\n", e.ID, e.Slug, strings.Join(facts, ", "))
	fmt.Fprintf(b, "- Sends: %s\n- Passes: %s\n- Fails: %s\n- Fix: %s\n", escape.Replace(e.Sends), escape.Replace(e.Pass), escape.Replace(e.Fail), escape.Replace(e.Fix))
	if e.Needs != "" {
		fmt.Fprintf(b, "- Requires: %s\n", e.Needs)
	}
	if rules := append(append([]string{}, e.Rules...), e.AllRules...); len(rules) > 0 {
		fmt.Fprintf(b, "- [Rules](rules.md): %s\n", strings.Join(rules, ", "))
	}
	var own, numbers []string
	for _, g := range e.Grounds() {
		text := sentence(g)
		switch i := slices.Index(shared, text); {
		case i >= 0 && !slices.Contains(numbers, number(i)):
			numbers = append(numbers, number(i))
		case i < 0:
			own = append(own, text)
		}
	}
	// A source that a sentence names is not named before it, too.
	if !slices.ContainsFunc(own, func(text string) bool { return strings.HasPrefix(text, escape.Replace(e.Spec)+", ") }) {
		fmt.Fprintf(b, "- Source: %s\n", escape.Replace(e.Spec))
	}
	for _, text := range own {
		fmt.Fprintf(b, "- %s\n", text)
	}
	if len(numbers) > 0 {
		fmt.Fprintf(b, "- Sentences: %s\n", strings.Join(numbers, ", "))
	}
}
