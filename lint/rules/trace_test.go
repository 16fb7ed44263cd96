package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/lint"
)

// trace is a block of fires.txt or silent.txt.
type trace struct {
	rule, context string
	lines         []string
	want          map[int][]string // the expected findings of a line, by its index in lines
	file          string
}

// expected begins a line with an expected finding, which stands below the line
// that causes it: "^ RULE PLACE: MESSAGE". The place is a JSON pointer, "byte N",
// or "-" for the whole frame. "RULE xN" stands for N findings at one place, of
// which the first is written out.
const expected = "^ "

// traces reads the blocks of all files of a folder: "== RULE CONTEXT", and then
// a line each.
func traces(t *testing.T, folder string) []trace {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("*", folder+".txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces in %s: %v", folder, err)
	}
	var all []trace
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			head, ok := strings.CutPrefix(line, "== ")
			switch {
			case ok:
				rule, context, _ := strings.Cut(head, " ")
				all = append(all, trace{rule: rule, context: context, file: file, want: map[int][]string{}})
			case strings.HasPrefix(line, expected) && len(all) > 0:
				last := &all[len(all)-1]
				i := len(last.lines) - 1
				last.want[i] = append(last.want[i], line)
			case line != "" && len(all) > 0:
				last := &all[len(all)-1]
				last.lines = append(last.lines, line)
			}
		}
	}
	return all
}

// found reports whether a rule is among the findings.
func fired(found []lint.Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Rule.ID == rule })
}

func ids(found []lint.Finding) []string {
	var list []string
	for _, f := range found {
		list = append(list, f.Rule.ID)
	}
	return list
}
