package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that SECURITY.md names exist, and each promise names one.
func TestPromises_HaveTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises, _, _ := strings.Cut(string(text), "These are not:")
	_, promises, ok := strings.Cut(promises, "Each of these is a vulnerability")
	if !ok {
		t.Fatal("SECURITY.md does not say what is a vulnerability")
	}
	named := regexp.MustCompile("`(Test\\w+)`")
	for line := range strings.Lines(promises) {
		if strings.HasPrefix(line, "- ") && !named.MatchString(line) {
			t.Errorf("no test holds %s", line)
		}
	}
	functions := testsOf(t)
	for _, m := range named.FindAllStringSubmatch(promises, -1) {
		if !functions[m[1]] {
			t.Errorf("SECURITY.md names %s, which is no test", m[1])
		}
	}
}

// testsOf are the names of all tests of the project.
func testsOf(t *testing.T) map[string]bool {
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
