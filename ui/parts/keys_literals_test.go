package parts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var keyName = regexp.MustCompile(`^((ctrl|alt|shift)\+.+|enter|esc|tab|up|down|left|right|home|end|pgup|pgdown|space|backspace|delete|f[0-9]+)$`)

// Keys are bound by the commands, or by the widgets that edit text;
// a pane that compares a key with a name would not know the user's key map.
func TestKeys_AreBoundByCommands(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place := filepath.ToSlash(path)
		if d.IsDir() {
			if place == "../keys" || place == "../textfield" || place == "../form" || place == "../widget" || place == "../internal" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(place, ".go") || strings.HasSuffix(place, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		check := func(e ast.Expr) {
			lit, ok := e.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return
			}
			if text, _ := strconv.Unquote(lit.Value); keyName.MatchString(text) {
				t.Errorf("%s: the key %q: look the command up", files.Position(lit.Pos()), text)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, e := range n.List {
					check(e)
				}
			case *ast.BinaryExpr:
				check(n.X)
				check(n.Y)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
