package rules

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	tables "mcptea/internal/catalog"
	"mcptea/lint"
)

var update = flag.Bool("update", false, "write the findings into the traces of fires.txt")

func TestMain(m *testing.M) {
	// Heaps of a few MB are collected all the time, which is a quarter of the processor time.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// implemented are the rules that some function finds.
func implemented() map[string]bool {
	found := map[string]bool{}
	for _, family := range Families() {
		for _, r := range family.Rules {
			if r.ID != "" {
				found[r.ID] = true
			}
		}
	}
	return found
}

// Each trace causes the findings that it lists, in this order and at these lines,
// and no other.
func TestTrace_Findings(t *testing.T) {
	for _, tr := range traces(t, "fires") {
		t.Run(tr.rule, func(t *testing.T) {
			p := replay(t, tr)
			if !fired(p.found, tr.rule) {
				t.Errorf("%s does not fire on its trace (%s); found %v:\n%s", tr.rule, tr.context, ids(p.found), strings.Join(tr.lines, "\n"))
			}
			for _, f := range p.found {
				checkMessage(t, f)
			}
			got := findingsByLine(p)
			for i, line := range tr.lines {
				if !*update && !slices.Equal(got[i], tr.want[i]) {
					t.Errorf("%s: %s\n%s\ncauses\n%s\nwant\n%s", tr.file, tr.context, line, strings.Join(got[i], "\n"), strings.Join(tr.want[i], "\n"))
				}
			}
		})
	}
	if *update {
		writeExpectations(t, "fires")
	}
}

// placeholder is a name in braces, as in the texts of the catalogue.
var placeholder = regexp.MustCompile(`\{[A-Za-z_0-9]+\}`)

// checkMessage checks that the texts of a finding are complete.
func checkMessage(t *testing.T, f lint.Finding) {
	t.Helper()
	switch {
	case f.Message == "" || f.Hint == "":
		t.Errorf("%s has an empty text: %q, %q", f.Rule.ID, f.Message, f.Hint)
	case keepsPlaceholder(f.Message, f.Rule.Message), isUnfilled(f.Message, f.Rule.Message), isUnfilled(f.Hint, f.Rule.Fix):
		t.Errorf("%s has a placeholder without a value: %q, %q", f.Rule.ID, f.Message, f.Hint)
	case strings.ContainsFunc(f.Message+f.Hint, unicode.IsControl):
		t.Errorf("%s has a control character: %q, %q", f.Rule.ID, f.Message, f.Hint)
	}
}

// keepsPlaceholder reports whether a text still has a name in braces of its
// template.
func keepsPlaceholder(text, template string) bool {
	return slices.ContainsFunc(placeholder.FindAllString(template, -1), func(name string) bool { return strings.Contains(text, name) })
}

// ellipsis does not match at the end of a quoted value that was cut.
var ellipsis = regexp.MustCompile(`(^|["\s])…|…($|[^"])`)

// isUnfilled reports whether a text has more ellipses than its template: one
// stands for each value that the rule did not give.
func isUnfilled(text, template string) bool {
	return len(ellipsis.FindAllString(text, -1)) > len(ellipsis.FindAllString(template, -1))
}

// findingsByLine are the findings of a trace as its file lists them, by the line
// that caused them. Of several at one line with the same rule and place, the first
// stands for all, with their number.
func findingsByLine(p *player) map[int][]string {
	type key struct {
		line        int
		rule, place string
	}
	times := map[key]int{}
	for i, f := range p.found {
		times[key{p.causes[i], f.Rule.ID, f.Where()}]++
	}
	found := map[int][]string{}
	for i, f := range p.found {
		k := key{p.causes[i], f.Rule.ID, f.Where()}
		line := expected + f.Rule.ID
		switch n := times[k]; {
		case n == 0:
			continue // listed already
		case n > 1:
			line += fmt.Sprintf(" x%d", n)
		}
		delete(times, k)
		if k.place == "" {
			k.place = "-"
		}
		found[k.line] = append(found[k.line], line+" "+k.place+": "+f.Message)
	}
	return found
}

// writeExpectations writes the files of a folder again, with the findings that
// their traces cause now.
func writeExpectations(t *testing.T, folder string) {
	t.Helper()
	files := map[string]*bytes.Buffer{}
	for _, tr := range traces(t, folder) {
		b := files[tr.file]
		if b == nil {
			b = new(bytes.Buffer)
			files[tr.file] = b
		} else {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "== %s %s\n", tr.rule, tr.context)
		found := findingsByLine(replay(t, tr))
		for i, line := range tr.lines {
			b.WriteString(line + "\n")
			for _, finding := range found[i] {
				b.WriteString(finding + "\n")
			}
		}
	}
	for name, b := range files {
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Each rule does not fire on the traces of silent.txt, and no
// message there differs from the schema.
func TestTrace_Silent(t *testing.T) {
	there := implemented()
	near := map[string]bool{}
	for _, tr := range traces(t, "silent") {
		near[tr.rule] = true
		t.Run(tr.rule, func(t *testing.T) {
			for _, f := range play(t, tr) {
				if f.Rule.ID == tr.rule || f.Rule.Family() == "D" {
					t.Errorf("%s: %s fires at %s: %s\n%s", tr.rule, f.Rule.ID, f.Path, f.Message, strings.Join(tr.lines, "\n"))
				}
			}
		})
	}
	for id := range there {
		if !near[id] {
			t.Errorf("%s has no trace in silent.txt", id)
		}
	}
}

// Each entry of the catalog has a rule and a trace.
func TestCatalog_EachEntryHasARuleAndATrace(t *testing.T) {
	there := implemented()
	fires := map[string]bool{}
	for _, tr := range traces(t, "fires") {
		fires[tr.rule] = true
	}
	for _, entry := range Catalogue() {
		if !there[entry.ID] {
			t.Errorf("%s %s has no rule", entry.ID, entry.Slug)
		}
		if !fires[entry.ID] {
			t.Errorf("%s has no trace", entry.ID)
		}
		delete(there, entry.ID)
	}
	for id := range there {
		t.Errorf("%s has no entry", id)
	}
	for _, f := range Families() {
		for _, e := range tables.Read[lint.Entry](f.Entries) {
			if e.Family() != f.Letter {
				t.Errorf("rules.jsonl of family %s has an entry for %s", f.Letter, e.ID)
			}
		}
	}
}

// The rules that a rule replaces are in the catalog.
func TestCatalog_ReplacesKnownRules(t *testing.T) {
	for _, entry := range Catalogue() {
		for _, id := range entry.Replaces {
			if _, ok := Lookup(id); !ok || id == entry.ID {
				t.Errorf("%s replaces %s", entry.ID, id)
			}
		}
	}
}

// Each folder with a rules.jsonl is a family in the registry, and imports no other
// family.
func TestFamilies_Folders(t *testing.T) {
	folders, err := filepath.Glob("*/rules.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	registry, err := os.ReadFile("registry.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != len(Families()) {
		t.Errorf("%d folders, %d families", len(folders), len(Families()))
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		if !bytes.Contains(registry, []byte(folder+".Rules},\n")) {
			t.Errorf("%s is not in the registry", folder)
		}
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if path, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(path, "mcptea/lint/rules/") {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}

// A rule that judges by a list that may have changed reports that instead of its finding. Once the list
// was sent again, it judges.
func TestTrace_ListMayHaveChanged(t *testing.T) {
	const list = `{"tools":[{"name":"w","description":"x","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"t":{"type":"number"}}}}]}`
	call := []string{
		`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","arguments":{}}}`,
		`S> {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"t\":\"x\"}"}],"structuredContent":{"t":"x"}}}`,
	}
	changed := `S> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	listing := func(id string) []string {
		return []string{`C> {"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`, `S> {"jsonrpc":"2.0","id":` + id + `,"result":` + list + `}`}
	}
	for _, tt := range []struct {
		name     string
		lines    []string
		severity lint.Severity
		text     string
	}{
		{"listed", slices.Concat(listing("1"), call), lint.Error, "structuredContent/t: it must be a number"},
		{"announced", slices.Concat(listing("1"), []string{changed}, call), lint.Info, "Not judged: tools/list was not sent again after notifications/tools/list_changed."},
		{"listed again", slices.Concat(listing("1"), []string{changed}, listing("3"), call), lint.Error, "structuredContent/t: it must be a number"},
	} {
		var found []lint.Finding
		for _, f := range play(t, trace{rule: "S011", context: "25c", lines: tt.lines}) {
			if f.Rule.ID == "S011" {
				found = append(found, f)
			}
		}
		if len(found) != 1 || found[0].Severity != tt.severity || found[0].Unjudged != (tt.severity == lint.Info) || !strings.HasPrefix(found[0].Message, tt.text) {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
}
