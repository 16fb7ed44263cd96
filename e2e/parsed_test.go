package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sync"
)

// syntax has the files that were parsed, by path: each test over the tree reads most of it.
var syntax struct {
	sync.Mutex
	set   *token.FileSet
	files map[string]*ast.File
}

// parsedFile parses a Go file of the tree once for all tests, which must not change it. The set has the
// places of all of them. Identifiers are not resolved.
func parsedFile(path string) (*ast.File, *token.FileSet, error) {
	syntax.Lock()
	defer syntax.Unlock()
	if syntax.set == nil {
		syntax.set, syntax.files = token.NewFileSet(), map[string]*ast.File{}
	}
	if f := syntax.files[path]; f != nil {
		return f, syntax.set, nil
	}
	f, err := parser.ParseFile(syntax.set, path, nil, parser.SkipObjectResolution)
	if err == nil {
		syntax.files[path] = f
	}
	return f, syntax.set, err
}
