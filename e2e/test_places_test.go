package e2e

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxUntested is the maximum number of lines of a package of the interface without a comment about its
// tests.
const maxUntested = 150

// testsLine is the line of a package comment that says which files test the package.
var testsLine = regexp.MustCompile(`(?m)^Tests: (.+)$`)

// Panes and their parts are tested in folders that they share. The comment of such a package names the files.
func TestInterface_PackageNamesItsTests(t *testing.T) {
	folders := 0
	err := filepath.WalkDir(filepath.Join(root(t), "ui"), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return filepath.SkipDir
		}
		folders++
		checkTestsLine(t, dir)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if folders < 30 {
		t.Errorf("only %d folders were found below ui", folders)
	}
}

// checkTestsLine reports what the package in dir says of its tests and is not true, or does not say and has to.
func checkTestsLine(t *testing.T, dir string) {
	t.Helper()
	place, err := filepath.Rel(root(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var comment string
	var lines int
	var tested bool
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			tested = true
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
		comment += parsed.Doc.Text()
	}
	named := testsLine.FindStringSubmatch(comment)
	if named == nil {
		if !tested && lines > maxUntested {
			t.Errorf("%s has %d lines and no tests in its folder: let its package comment end with the files that test it, as in \"Tests: ui/pane/tasks_test.go\"", filepath.ToSlash(place), lines)
		}
		return
	}
	for pattern := range strings.SplitSeq(named[1], ", ") {
		found, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 || !strings.HasSuffix(pattern, "_test.go") {
			t.Errorf("the package comment of %s names the tests %q, and no test file is called that", filepath.ToSlash(place), pattern)
		}
	}
}
