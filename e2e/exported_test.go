package e2e

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unusedExports are the exported names of client and session that no other package
// uses, with the reason; of all names of a package, its folder. client and
// client/jsonrpc are documented API.
var unusedExports = map[string]string{
	"client/oauth.ErrStateMismatch":   "documented error of Authorizer.PasteCallback",
	"cli/tokens.ErrNoSecret":          "returned by implementations of Keyring",
	"record/store.Connection":         "the connections of an opened recording",
	"session/export":                  "the inspector exports what it shows",
	"session/explain/failure.Hints":   "values of Candidate.Strength",
	"session/explain/failure.Reports": "values of Candidate.Strength",
	"session/explain/failure.Proves":  "values of Candidate.Strength",
}

// librariesBelow are the folders whose exported names need a user.
var librariesBelow = []string{"client", "record", "offer", "lint", "check", "session"}

// TestExported_HasUser looks for exported constants, variables, functions and types
// of client and session without a user in another package.
func TestExported_HasUser(t *testing.T) {
	folders := parseFolders(t)
	used := map[string]bool{} // folder.Name, and folder
	for folder, files := range folders {
		for _, f := range files {
			noteUses(folder, f, used)
		}
	}
	for folder, files := range folders {
		if !used[folder] || unusedExports[folder] != "" { // a new package may not have its users yet
			continue
		}
		if folder == "client/jsonrpc" || !slices.ContainsFunc(librariesBelow, func(top string) bool { return folder != "client" && under(folder, top) }) {
			continue
		}
		mentioned := mentions(files)
		for _, f := range files {
			if f.test {
				continue
			}
			for _, group := range exportedNames(f.syntax) {
				for _, name := range group.names {
					isUsed := used[folder+"."+name] || group.isType && mentioned[name] ||
						// One value of an enumeration in use is a reason for all.
						group.isConst && slices.ContainsFunc(group.names, func(n string) bool { return used[folder+"."+n] })
					if !isUsed && unusedExports[folder+"."+name] == "" {
						t.Errorf("%s exports %s, which no other package uses", folder, name)
					}
				}
			}
		}
	}
}

type sourceFile struct {
	name   string
	syntax *ast.File
	test   bool
}

// parseFolders parses the module for all operating systems, by folder.
func parseFolders(t *testing.T) map[string][]sourceFile {
	t.Helper()
	folders := map[string][]sourceFile{}
	dir := root(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != dir):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		f, _, err := parsedFile(path)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(dir, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		folders[folder] = append(folders[folder], sourceFile{d.Name(), f, strings.HasSuffix(path, "_test.go")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// noteUses adds what a file of a folder selects of the packages that it imports. The external test of a
// package, in its folder or in a folder above it, is not a user of it.
func noteUses(in string, f sourceFile, used map[string]bool) {
	imported := map[string]string{}
	for _, i := range f.syntax.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		folder, own := strings.CutPrefix(path, "mcptea/")
		if err != nil || !own {
			continue
		}
		name := folder[strings.LastIndexByte(folder, '/')+1:]
		testsIt := f.syntax.Name.Name == name+"_test" || in != folder && under(folder, in) && strings.HasPrefix(f.name, name+"_")
		if f.test && testsIt {
			continue
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		imported[name] = folder
		used[folder] = true
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" {
				used[imported[x.Name]+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}

// exportedGroup are the exported names of one declaration.
type exportedGroup struct {
	names           []string
	isType, isConst bool
}

func exportedNames(f *ast.File) (groups []exportedGroup) {
	for _, d := range f.Decls {
		var g exportedGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				g.names = append(g.names, d.Name.Name)
			}
		case *ast.GenDecl:
			g.isType, g.isConst = d.Tok == token.TYPE, d.Tok == token.CONST
			for _, spec := range d.Specs {
				g.names = append(g.names, specNames(spec)...)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func specNames(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			names = append(names, spec.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			if n.IsExported() {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// mentions are the names in other exported declarations of a package.
func mentions(files []sourceFile) map[string]bool {
	mentioned := map[string]bool{}
	note := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				mentioned[id.Name] = true
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && !f.test {
					note(d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if !f.test && spec.Name.IsExported() {
							note(spec.Type)
						}
					case *ast.ValueSpec:
						if !f.test && spec.Type != nil && len(specNames(spec)) > 0 {
							note(spec.Type)
						}
					}
				}
			}
		}
	}
	return mentioned
}
