package filter

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestProperties_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/filter.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !strings.Contains(string(page), "`"+name+":") {
			t.Errorf("docs/filter.md does not mention %s:", name)
		}
	}
	for _, property := range []string{"kind", "status"} {
		for _, value := range properties[property].values() {
			if !strings.Contains(string(page), "`"+value+"`") && !strings.Contains(string(page), "`"+property+":"+value+"`") {
				t.Errorf("docs/filter.md does not mention %s:%s", property, value)
			}
		}
	}
}

func TestExamples_OfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/filter.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), "```\n")
	if len(parts) != 3 {
		t.Fatalf("docs/filter.md has %d blocks, want 1", len(parts)/2)
	}
	for line := range strings.Lines(parts[1]) {
		example, _, ok := strings.Cut(line, "  ")
		if _, err := Parse(example); err != nil || !ok {
			t.Errorf("%q: %v", example, err)
		}
	}
}
