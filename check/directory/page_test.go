package directory_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/check/directory"
)

var update = flag.Bool("update", false, "write the table of docs/check.md and the generated part of docs/models.md")

// The page has the table of the requirements.
func TestDirectory_Page(t *testing.T) {
	const path, begin, end = "../../docs/check.md", "<!-- requirements -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatal("docs/check.md has no place for the requirements")
	}
	var rows strings.Builder
	rows.WriteString("| id | directories | requirement | source |\n|---|---|---|---|\n")
	for _, r := range directory.Requirements() {
		requires := r.Requires
		switch {
		case r.Flag != "":
			flag, of, found := strings.Cut(r.Flag, ", ")
			requires += " (with `" + flag + "`"
			if found {
				requires += " " + of
			}
			requires += ", else by hand)"
		case r.Judge == "":
			requires += " (by hand)"
		}
		source := fmt.Sprintf("[%s](%s)", r.Date, r.Source)
		if r.Reported {
			source += ", as others report it"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", r.ID, strings.Join(r.Directories, ", "), requires, source)
	}
	want := before + begin + rows.String() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("docs/check.md is not current: go test ./check/directory -run TestDirectory -update")
	}
}
