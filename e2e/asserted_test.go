package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unassertedFlags are flags that no test of a command line uses, with the reason.
var unassertedFlags = map[string]string{
	"ask": "auth serve: the consent page, which a browser test of the authority opens", "audience": "auth check: a claim, tested in authority", "settle": "auth check: a pause",
	"intrusive": "check: a set of probes, tested with them", "register": "tested in client/oauth", "force": "servers wrap: overwrites a file that was changed",
	"locale": "app: tested in session/apps", "width": "app: tested in session/apps", "reset": "reduce: a command between runs, tested in session/runs/reduce",
}

// A flag that no test of a command line uses could do anything: declaring it is not enough.
func TestAsserted_Flags(t *testing.T) {
	var tests strings.Builder
	readFiles(t, "../cli", func(path string) bool { return strings.HasSuffix(path, "_test.go") || filepath.Ext(path) == ".txtar" }, func(_ string, text []byte) { tests.Write(text) })
	readFiles(t, ".", func(path string) bool { return strings.HasSuffix(path, "_test.go") && path != "asserted_test.go" }, func(_ string, text []byte) { tests.Write(text) })
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`--([a-z][\w-]*)`).FindAllStringSubmatch(tests.String(), -1) {
		used[m[1]] = true
	}
	unused := maps.Clone(unassertedFlags)
	flags := 0
	readFiles(t, "../cli", isCode, func(path string, text []byte) {
		for name := range declaredFlags(t, path, text) {
			flags++
			if delete(unused, name); !used[name] && unassertedFlags[name] == "" {
				t.Errorf("no test uses --%s of %s: add a command line with it to a script or a test of cli", name, path)
			}
			if used[name] && unassertedFlags[name] != "" {
				t.Errorf("a test uses --%s: remove it from unassertedFlags", name)
			}
		}
	})
	for name := range unused {
		t.Errorf("there is no flag --%s: remove it from unassertedFlags", name)
	}
	if flags < 100 {
		t.Errorf("found only %d flags", flags)
	}
}

// declaredFlags returns the names in calls such as fs.StringVar(&f.name, "name", …).
func declaredFlags(t *testing.T, path string, text []byte) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 3 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(strings.TrimSuffix(method.Sel.Name, "P"), "Var") {
			return true
		}
		if literal, ok := call.Args[1].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name, _ := strconv.Unquote(literal.Value)
			names[name] = true
		}
		return true
	})
	return names
}

// columnTests are the number of columns that a folder declares, and the test that reads each of them at a width at which
// it is shown. A column that appears only in a wide list is in no golden of a narrow one.
var columnTests = map[string]struct {
	columns int
	test    string
}{
	"ui/pane/browse": {5, "TestList_Columns"},
}

// columnText matches the cell of a column.
var columnText = regexp.MustCompile(`\bCell: `)

// A new column of the list of tools has a test that shows it.
func TestAsserted_Columns(t *testing.T) {
	for _, folder := range slices.Sorted(maps.Keys(columnTests)) {
		want := columnTests[folder]
		columns, tested := 0, false
		readFiles(t, filepath.FromSlash("../"+folder), func(path string) bool { return filepath.Ext(path) == ".go" }, func(path string, text []byte) {
			if strings.HasSuffix(path, "_test.go") {
				tested = tested || strings.Contains(string(text), "func "+want.test+"(")
				return
			}
			columns += len(columnText.FindAll(text, -1))
		})
		switch {
		case !tested:
			t.Errorf("%s has no %s", folder, want.test)
		case columns != want.columns:
			t.Errorf("%s declares %d columns, %d are known here: let %s read the new one, and correct the number", folder, columns, want.columns, want.test)
		}
	}
}

func isCode(path string) bool {
	return filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go")
}

// readFiles reads the files of a folder and of those below it that match.
func readFiles(t *testing.T, top string, match func(path string) bool, read func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !match(path) {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			read(path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
