package checks_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/session/checks/modelview"
)

const marker = "<!-- generated: go test ./session/checks -run TestDocs -update -->\n"

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
	for _, h := range modelview.Hosts() {
		fmt.Fprintf(&b, "\n## %s (`%s`)\n\n| fact | effect | known | source |\n|---|---|---|---|\n", h.Name, h.ID)
		for _, f := range h.Facts {
			if f.Certainty != "heuristic" {
				fmt.Fprintf(&b, "| %s | %s | %s, %s | %s |\n", f.Says, f.Effect, f.Certainty, f.Date, f.Source)
			}
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(data) != b.String() {
		t.Error("docs/models.md is not what the table says; go test ./session/checks -run TestDocs -update writes it")
	}
}
