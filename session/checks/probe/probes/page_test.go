package probes_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/session/checks/probe"
)

var update = flag.Bool("update", false, "write docs/probes.md")

const pageOfProbes = "../../../../docs/probes.md"

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
		t.Error("docs/probes.md is not what the catalog says; go test ./session/checks/probe/probes -run TestPage -update writes it")
	}
}

func page() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Probes\n\n`mcptea check` runs these %d probes; [check.md](check.md) explains the verdicts. ", len(probe.Catalogue()))
	b.WriteString("A **MUST** and a **SHOULD** are those of the specification, **ROB** is robustness that the specification does not require, **SEC** is security. ")
	b.WriteString("The class says what a probe may do: 0 nothing that has an effect, 1 call code that promises to change nothing, 2 change its own session, 3 load and attacks.\n")
	escape := strings.NewReplacer("*", "\\*", "_", "\\_", "<", "&lt;", "`", "\\`")
	for _, g := range probe.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", g.Title)
		for _, e := range probe.Catalogue() {
			if e.Group != g.Name {
				continue
			}
			fmt.Fprintf(&b, "\n### %s %s\n\n**%s** · class %d · %s", e.ID, e.Slug, e.Level, e.Class, e.Basis)
			if len(e.Transports) > 0 {
				fmt.Fprintf(&b, " · %s", strings.Join(e.Transports, ", "))
			}
			if len(e.Revisions) > 0 {
				var names []string
				for _, r := range e.Revisions {
					names = append(names, string(r))
				}
				fmt.Fprintf(&b, " · %s", strings.Join(names, ", "))
			}
			fmt.Fprintf(&b, "\n\n- Sends: %s\n- Passes: %s\n- Fails: %s\n- Fix: %s\n", escape.Replace(e.Sends), escape.Replace(e.Pass), escape.Replace(e.Fail), escape.Replace(e.Fix))
			if e.Needs != "" {
				fmt.Fprintf(&b, "- Requires: %s\n", e.Needs)
			}
			if rules := append(append([]string{}, e.Rules...), e.AllRules...); len(rules) > 0 {
				fmt.Fprintf(&b, "- [Rules](rules.md): %s\n", strings.Join(rules, ", "))
			}
			fmt.Fprintf(&b, "- Source: %s\n", escape.Replace(e.Spec))
			for _, g := range e.Grounds() {
				if g.Effect != "" {
					fmt.Fprintf(&b, "- Error if %s.\n", escape.Replace(g.Effect))
					continue
				}
				var names []string
				for _, r := range g.Rev {
					names = append(names, string(r))
				}
				if g.Schema != "" {
					fmt.Fprintf(&b, "- Schema of %s: %s\n", strings.Join(names, ", "), escape.Replace(g.Says))
					continue
				}
				fmt.Fprintf(&b, "- %s of %s: “%s”\n", escape.Replace(g.Section), strings.Join(names, ", "), escape.Replace(g.Says))
			}
		}
	}
	return b.Bytes()
}
