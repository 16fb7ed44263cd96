package modelview_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/check/modelview"
)

const marker = "<!-- generated: go test ./check/modelview -run TestDocs -update -->\n"

func TestDocs_FactsOfHosts(t *testing.T) {
	const page = "../../docs/models.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, _, ok := strings.Cut(string(data), marker)
	if !ok {
		t.Fatalf("%s has no line %s", page, marker)
	}
	var b strings.Builder
	b.WriteString(text + marker)
	hosts := map[string][]string{} // by the rows that they have
	var several []string
	for _, h := range modelview.Hosts() {
		for _, f := range h.Facts {
			row := rowOfFact(f)
			if hosts[row] = append(hosts[row], "`"+h.ID+"`"); len(hosts[row]) == 2 {
				several = append(several, row)
			}
		}
	}
	b.WriteString("\n## Several hosts\n\n| fact | effect | known | source | hosts |\n|---|---|---|---|---|\n")
	for _, row := range several {
		in := strings.Join(hosts[row], " ")
		if len(hosts[row]) == len(modelview.Hosts()) {
			in = "all"
		}
		if row != "" {
			fmt.Fprintf(&b, "%s %s |\n", row, in)
		}
	}
	for _, h := range modelview.Hosts() {
		fmt.Fprintf(&b, "\n## %s (`%s`)\n\n| fact | effect | known | source |\n|---|---|---|---|\n", h.Name, h.ID)
		for _, f := range h.Facts {
			if row := rowOfFact(f); len(hosts[row]) == 1 {
				b.WriteString(row + "\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(data) != b.String() {
		t.Error("docs/models.md is not what the table says; go test ./check/modelview -run TestDocs -update writes it")
	}
}

// rowOfFact is a row of the table; empty for a rule of mcptea.
func rowOfFact(f modelview.Fact) string {
	if f.Certainty == "heuristic" {
		return ""
	}
	return fmt.Sprintf("| %s | %s | %s, %s | %s |", f.Says, f.Effect, f.Certainty, f.Date, f.Source)
}

var update = flag.Bool("update", false, "write the generated part of docs/models.md")
