package inspector

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files of the inspector and of the program are layers: a file that uses names of another one is not used by
// that one, directly or through others. Who reads a file need not know those that use it.
func TestFiles_UseEachOtherInOneDirection(t *testing.T) {
	for _, p := range []struct {
		folder, file, uses string // a file that uses another one
		least              int    // files that use others
	}{
		{".", "panes.go", "model.go", 15},
		{"../program", "palette.go", "lookup.go", 8},
	} {
		uses := usesOfFiles(t, p.folder)
		if len(uses) < p.least {
			t.Errorf("%s: only %d files use another one", p.folder, len(uses))
		}
		if uses[p.file][p.uses] == "" {
			t.Errorf("%s: %s was not seen to use %s", p.folder, p.file, p.uses)
		}
		requireOneDirection(t, uses)
	}
}

// requireOneDirection fails if files use each other.
func requireOneDirection(t *testing.T, uses map[string]map[string]string) {
	t.Helper()
	done := map[string]bool{}
	var path []string
	var visit func(file string)
	visit = func(file string) {
		if i := slices.Index(path, file); i >= 0 {
			cycle := append(slices.Clone(path[i:]), file)
			for i := range cycle[1:] {
				t.Errorf("%s uses %s of %s", cycle[i], uses[cycle[i]][cycle[i+1]], cycle[i+1])
			}
			return
		}
		if done[file] || t.Failed() {
			return
		}
		path = append(path, file)
		for other := range uses[file] {
			visit(other)
		}
		path = path[:len(path)-1]
		done[file] = true
	}
	for file := range uses {
		visit(file)
	}
}

// usesOfFiles returns for each file of a folder the files whose names it uses, with one such name:
// functions, methods, types, variables and constants of the package.
func usesOfFiles(t *testing.T, folder string) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: noPackages{}, Error: func(error) {}} // names of other packages stay unknown
	pkg, _ := check.Check(folder, set, files, &info)
	uses := map[string]map[string]string{}
	for id, of := range info.Uses {
		_, method := of.(*types.Func)
		if of.Pkg() != pkg || !method && of.Parent() != pkg.Scope() {
			continue
		}
		from, to := filepath.Base(set.Position(id.Pos()).Filename), filepath.Base(set.Position(of.Pos()).Filename)
		if from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]string{}
		}
		uses[from][to] = of.Name()
	}
	return uses
}

// noPackages imports nothing.
type noPackages struct{}

func (noPackages) Import(path string) (*types.Package, error) {
	return nil, errors.New("not needed: " + path)
}
