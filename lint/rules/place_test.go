package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The fix of a fault of the schema belongs to that fault, and not to the usual one of its rule.
func TestPlaces_FixIsAboutTheFault(t *testing.T) {
	for params, want := range map[string]string{
		`{"ref":{"type":"prompt","name":"p"},"argument":{"name":"a","value":"x"}}`:      `ref.type is "ref/prompt" or "ref/resource".`,
		`{"ref":{"type":"ref/prompt","name":"p"}}`:                                      "Send an object as argument.",
		`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":null}}`: "Send a string as argument.value.",
	} {
		found := play(t, trace{context: "25c", lines: []string{`C> {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":` + params + `}`}})
		if len(found) != 1 || found[0].Rule.ID != "P010" || found[0].Hint != want {
			t.Errorf("%s: %+v", params, found)
		}
	}
}

// The inputSchema of a tool whose reference leads nowhere: the fix is about the reference, and
// the place of it is whole.
func TestS001_FixIsAboutTheFault(t *testing.T) {
	const long = "#/properties/body/anyOf/1/properties/from/properties/application/anyOf/0/properties/name"
	for schema, want := range map[string][2]string{
		`{"type":"object","properties":{"a":{"$ref":"` + long + `"}}}`: {`the reference "` + long + `" leads nowhere.`, "Correct the $ref, or define what it names, for example in $defs."},
		`{"type":"object","properties":{"a":{"required":true}}}`:       {"/properties/a/required must be an array, found a boolean.", `Write "required" as an array of names beside "properties", not inside a property.`},
		`{"type":"object","properties":{"a":{"type":"strnig"}}}`:       {`"object", "string".`, "Correct this part of the schema."},
	} {
		found := play(t, trace{context: "25c", lines: []string{
			`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"x","inputSchema":` + schema + `}]}}`,
		}})
		if len(found) != 1 || found[0].Rule.ID != "S001" || !strings.HasSuffix(found[0].Message, want[0]) || found[0].Hint != want[1] {
			t.Errorf("%s: %+v", schema, found)
		}
	}
}

// Each fix of the catalog is that of a finding of a trace, and each part that the code names
// has one.
func TestFixes_EachIsOfAFault(t *testing.T) {
	hints := map[string][]string{} // by rule
	for _, tr := range traces(t, "fires") {
		for _, f := range play(t, tr) {
			hints[f.Rule.ID] = append(hints[f.Rule.ID], f.Hint)
		}
	}
	parts := map[string]bool{} // such as "S reference"
	for _, e := range catalog().Entries() {
		var fixes []string
		for part, fix := range e.Fixes {
			parts[e.Family()+" "+part] = true
			fixes = append(fixes, fix)
		}
		for _, p := range e.Places {
			fixes = append(fixes, p.Fix)
		}
		for _, fix := range fixes {
			begin, _, _ := strings.Cut(fix, "{key}")
			begin, _, _ = strings.Cut(begin, "{expected}")
			if fix != "" && !slices.ContainsFunc(hints[e.ID], func(hint string) bool { return hint != e.Fix && strings.HasPrefix(hint, begin) }) {
				t.Errorf("no finding of %s in a trace has the fix %q", e.ID, fix)
			}
		}
	}
	for _, f := range Families() {
		for _, part := range partsNamedIn(t, f.Folder) {
			if !parts[f.Letter+" "+part] {
				t.Errorf("no rule of the family %s has a fix for the part %q", f.Letter, part)
			}
		}
	}
}

// partsNamedIn are those that the files of a folder name.
func partsNamedIn(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(folder, err)
	}
	named := regexp.MustCompile(`\.For\("(.*?)"\)`)
	var parts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			parts = append(parts, string(m[1]))
		}
	}
	return parts
}
