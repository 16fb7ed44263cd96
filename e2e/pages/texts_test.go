package pages

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

	"mcptea/cli"
)

// A user of the program has no folder docs: texts of the program name mcptea help TOPIC, and
// those topics exist.
func TestTexts_NamePagesByCommands(t *testing.T) {
	file, topic := regexp.MustCompile(`docs/[a-z-]+\.md`), regexp.MustCompile(`mcptea help ([a-z][a-z-]+)`)
	others := map[string]bool{"topics": true}
	for _, c := range cli.Commands().Commands() {
		others[c.Name()] = true
	}
	seen := 0
	check := func(place, text string) {
		if m := file.FindString(text); m != "" {
			t.Errorf("%s: a text names %s", place, m)
		}
		for _, m := range topic.FindAllStringSubmatch(text, -1) {
			seen++
			if _, err := os.Stat("../../docs/" + m[1] + ".md"); err != nil && !others[m[1]] {
				t.Errorf("%s: mcptea help %s does not exist", place, m[1])
			}
		}
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "test" || d.Name() == "node_modules" || d.Name() == "e2e" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && path != "../.."):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".jsonl"):
			text, err := os.ReadFile(path)
			check(path, string(text))
			return err
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				check(set.Position(lit.Pos()).String(), lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Errorf("only %d topics were found", seen)
	}
}
