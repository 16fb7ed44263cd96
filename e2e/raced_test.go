package e2e_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// parsedTests calls a function with each file of tests that uses the package.
func parsedTests(t *testing.T, use func(path string, file *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || path == filepath.Join("..", "internal", "test", "raced", "raced_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "raced.") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err == nil {
			files++
			use(path, file)
		}
		return err
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// racedCall returns the function of package raced that an expression calls, or "".
func racedCall(n ast.Node) string {
	if call, ok := n.(*ast.CallExpr); ok {
		if name, ok := call.Fun.(*ast.SelectorExpr); ok {
			if of, ok := name.X.(*ast.Ident); ok && of.Name == "raced" {
				return name.Sel.Name
			}
		}
	}
	return ""
}

// leavesOut reports whether a node is a call that leaves the test out.
func leavesOut(n ast.Node) bool {
	name := racedCall(n)
	return name == "Never" || name == "ByNight"
}

// testsOf returns the tests of a file, each with its first statement if that is an expression.
func testsOf(file *ast.File) map[string]ast.Node {
	tests := map[string]ast.Node{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" && len(f.Body.List) > 0 {
			tests[f.Name.Name] = nil
			if statement, ok := f.Body.List[0].(*ast.ExprStmt); ok {
				tests[f.Name.Name] = statement.X
			}
		}
	}
	return tests
}

// A test is left out as a whole, before it has done anything: the first statement of its function says so.
func TestRaced_FirstStatement(t *testing.T) {
	parsedTests(t, func(path string, file *ast.File) {
		first := map[ast.Node]bool{}
		for _, n := range testsOf(file) {
			first[n] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil && leavesOut(n) && !first[n] {
				t.Errorf("%s: raced.%s is not the first statement of a test", path, racedCall(n))
			}
			return true
		})
	})
}

// Where a file of the user interface names tests that each change races, a test of the same subject is
// named as well, or says why it is not raced: a new one is not forgotten.
func TestRaced_SameSubject(t *testing.T) {
	subject := func(test string) string { before, _, _ := strings.Cut(test, "_"); return before }
	named := 0
	parsedTests(t, func(path string, file *ast.File) {
		if !strings.HasPrefix(filepath.ToSlash(path), "../ui/") {
			return
		}
		also, subjects := map[string]bool{}, map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || racedCall(n) != "Also" {
				return true
			}
			for _, test := range n.(*ast.CallExpr).Args {
				name := test.(*ast.Ident).Name
				also[name], subjects[subject(name)] = true, true
				named++
			}
			return false
		})
		for test, first := range testsOf(file) {
			if subjects[subject(test)] && !also[test] && (first == nil || !leavesOut(first)) {
				t.Errorf("%s: %s is not in raced.Also, as others of %s are", path, test, subject(test))
			}
		}
	})
	if named < 50 {
		t.Errorf("only %d tests are named", named)
	}
}

// A script that is not raced says why, before it does anything.
func TestRaced_ScriptsSayWhy(t *testing.T) {
	scripts, err := filepath.Glob("../cli/testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(len(scripts), err)
	}
	said := regexp.MustCompile(`^\[race(_by_day)?\] skip '[^']+ [^']+'$`)
	condition := regexp.MustCompile(`^\[!?race`)
	raced := 0
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		left, began := false, false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			switch {
			case !condition.MatchString(line):
				began = began || line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "[")
			case !said.MatchString(line) || began:
				t.Errorf("%s: %q is not a condition, skip and a reason before all commands", script, line)
			default:
				left = true
			}
		}
		if !left {
			raced++
		}
	}
	if raced == 0 {
		t.Error("no script is raced")
	}
}
