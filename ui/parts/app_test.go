package parts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// What a pane may have is written in one file, so that who writes one finds it: no type assertion
// looks for methods that are not listed there, and none of those listed is looked for nowhere.
func TestApp_Optional_AllAreListed(t *testing.T) {
	files := token.NewFileSet()
	listed := map[string]bool{}
	file, err := parser.ParseFile(files, "../app/optional.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			listed[spec.Name.Name] = true
		}
		return true
	})
	found := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assertion, ok := n.(*ast.TypeAssertExpr)
			if !ok {
				return true
			}
			switch to := assertion.Type.(type) {
			case *ast.Ident: // within the package itself
				found[to.Name] = found[to.Name] || listed[to.Name]
			case *ast.InterfaceType:
				// The file of a terminal has a name; others are methods of the package itself.
				if name := to.Methods.List[0].Names[0].Name; name != "Name" && ast.IsExported(name) {
					t.Errorf("%s: an interface with %s is not in optional.go", files.Position(n.Pos()), name)
				}
			case *ast.SelectorExpr:
				if of, ok := to.X.(*ast.Ident); ok && of.Name == "app" {
					found[to.Sel.Name] = true
					if !listed[to.Sel.Name] {
						t.Errorf("%s: app.%s is not in optional.go", files.Position(n.Pos()), to.Sel.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("no type assertion looks for %s", name)
		}
	}
}
