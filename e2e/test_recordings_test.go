package e2e

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A session that is told nothing records among the files of who runs the tests. So a test that opens one says in the
// call where its recording goes: a file, a directory or "off".
func TestTests_SayWhereSessionsRecord(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, files, err := parsedFile(path)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			config := openedConfig(n)
			if config == nil {
				return true
			}
			seen++
			if !saysRecord(config) {
				t.Errorf("%s: a session.Config without Record and RecordDir: its recording goes among the files of who runs the test", files.Position(config.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Errorf("only %d calls of session.Open with a literal were found", seen)
	}
}

// openedConfig returns the literal of a call of session.Open, nil for another node.
func openedConfig(n ast.Node) *ast.CompositeLit {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	open, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || open.Sel.Name != "Open" {
		return nil
	}
	if from, ok := open.X.(*ast.Ident); !ok || from.Name != "session" {
		return nil
	}
	config, _ := call.Args[0].(*ast.CompositeLit)
	return config
}

// saysRecord reports whether a literal of session.Config has Record or RecordDir.
func saysRecord(config *ast.CompositeLit) bool {
	for _, element := range config.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && (key.Name == "Record" || key.Name == "RecordDir") {
			return true
		}
	}
	return false
}
