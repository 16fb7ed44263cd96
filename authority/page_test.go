package authority_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/authority"
)

var update = flag.Bool("update", false, "write the generated part of docs/authority.md")

const marker = "<!-- generated: go test ./authority -run TestPage -update -->\n"

// tables returns the tokens and the answers as docs/authority.md has them.
func tables() string {
	var b strings.Builder
	b.WriteString("\n## The tokens\n\nA 401 has `WWW-Authenticate`, a 403 also `error=\"insufficient_scope\"` and `scope`.\n\n| token | what it is | right server | otherwise | section |\n|---|---|---|---|---|\n")
	for _, t := range authority.Tokens() {
		right := "accepts it"
		switch t.Expect {
		case "never":
			right = "never does it"
		case "either":
			right = fmt.Sprintf("%d, or accepts it", t.Status)
		case "refuse":
			right = fmt.Sprint(t.Status)
			if t.AnyStatus {
				right += " or another error"
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", t.Name, t.Summary, right, t.Level, t.Spec)
	}
	b.WriteString("\n## The wrong responses\n\n| response | what is wrong | a right client | section |\n|---|---|---|---|\n")
	for _, w := range authority.Answers() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", w.Name, w.Summary, w.Right, w.Spec)
	}
	return b.String()
}

func TestPage_Tables(t *testing.T) {
	file := filepath.Join("..", "docs", "authority.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, generated, ok := strings.Cut(string(data), marker)
	if !ok {
		t.Fatalf("%s has no line %s", file, marker)
	}
	if *update {
		if err := os.WriteFile(file, []byte(text+marker+tables()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != tables() {
		t.Error("the tables of docs/authority.md are not current: run go test ./authority -run TestPage -update")
	}
}
