package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// growingFile has a row for each field that TestGrowing_FieldsHaveBounds finds:
//
//	folder Type.field = maxName    the constant that bounds it, in the same folder
//	folder Type.field: reason      why a peer cannot make it grow
const growingFile = "testdata/growing.txt"

// boundedFolders are the parts that keep what peers send: servers, hosts, commands that attach, and files.
var boundedFolders = []string{"client", "record", "offer", "lint", "check", "session", "internal/server", "agent"}

// TestGrowing_FieldsHaveBounds looks for maps and lists that live as long as a connection or longer,
// and may grow as long. A struct lives that long if
//
//   - it has a lock, a WaitGroup, an atomic or a channel as a field: goroutines share it, or
//   - such a struct has it as a field: by value or pointer, or in a slice or map. Of these, exported
//     fields do not count: they are values that were made before.
//
// Buffers ([]byte) do not count. Types that are maps or slices by name do.
func TestGrowing_FieldsHaveBounds(t *testing.T) {
	m := readModule(t)
	rows := readGrowing(t)
	for _, folder := range slices.Sorted(maps.Keys(m.folders)) {
		if !slices.ContainsFunc(boundedFolders, func(top string) bool { return folder == top || strings.HasPrefix(folder, top+"/") }) {
			continue
		}
		for _, field := range m.growing(folder) {
			row, ok := rows[folder+" "+field]
			delete(rows, folder+" "+field)
			switch {
			case !ok:
				t.Errorf("%s %s may grow as long as a connection lives. Give it a bound: a constant with a comment that says why this number, and what happens at it. "+
					"Then add a row to e2e/%s with the constant, or with the reason why a peer cannot make it grow.", folder, field, growingFile)
			case row.constant != "" && !m.folders[folder].uses(row.constant):
				t.Errorf("e2e/%s: the bound of %s %s is %s, which is not a constant of %s, or is not used there", growingFile, folder, field, row.constant, folder)
			}
		}
	}
	for name := range rows {
		t.Errorf("e2e/%s has a row for %s, which is not such a field any more: remove the row", growingFile, name)
	}
}

// TestGrowing_FindsFields has the forms in which a map or a slice can be in a struct.
func TestGrowing_FindsFields(t *testing.T) {
	m := newModule()
	for folder, text := range map[string]string{
		"client": `package client
			import "mcptea/client/other"
			const maxA, maxUnused = 1, 2
			type list []int
			type table = map[string]list
			type Locked struct {
				mu sync.Mutex
				buffer []byte
				array [4]int
				Plain map[string]int
				named list
				alias table
				synced sync.Map
				value held
				pointers map[int]*element
				generic of[int]
				apart *other.Held
			}
			func (l *Locked) use() int { return maxA }
			type Channel struct { c chan<- int; queue []*int }
			type Counted struct { n atomic.Int32; all []func() }
			type held struct { Exported []int; own, more []int }
			type element struct { inner struct{}; list }
			type of[T any] struct { many []T }
			type short struct { many []int }`,
		"client/other": `package other
			type Held struct { own map[int]int }
			type Short struct { own map[int]int }`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		m.add(folder, []sourceFile{{syntax: file}})
	}
	m.holdShared()
	want := strings.Fields("Channel.queue Counted.all Locked.Plain Locked.alias Locked.named Locked.pointers Locked.synced element.list held.more held.own of.many")
	if got := m.growing("client"); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := m.growing("client/other"); !slices.Equal(got, []string{"Held.own"}) {
		t.Errorf("got %q", got)
	}
	if f := m.folders["client"]; !f.uses("maxA") || f.uses("maxUnused") || f.uses("list") {
		t.Error("maxA is the only constant that is used")
	}
}

type bound struct{ constant, reason string }

// readGrowing reads the table. Lines that begin with # are comments.
func readGrowing(t *testing.T) map[string]bound {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(growingFile))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bound{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, constant, isConstant := strings.Cut(line, " = ")
		name, reason, isReason := strings.Cut(name, ": ")
		if isConstant == isReason || constant == "" && reason == "" || strings.Count(name, " ") != 1 {
			t.Errorf("e2e/%s: %q has neither the form \"folder Type.field = constant\" nor \"folder Type.field: reason\"", growingFile, line)
		}
		if _, twice := rows[name]; twice {
			t.Errorf("e2e/%s has two rows for %s", growingFile, name)
		}
		rows[name] = bound{constant, reason}
	}
	return rows
}

// typesOf are the declarations of a folder, test files left out.
type typesOf struct {
	types     map[string]ast.Expr
	imports   map[string]string // folder of a package of the module, by its name
	constants map[string]bool
	mentioned map[string]int // how often an identifier is in the files
}

// uses reports whether a name is that of a constant with a use beside its declaration.
func (f *typesOf) uses(constant string) bool {
	return f.constants[constant] && f.mentioned[constant] > 1
}

// module is the declarations of a module.
type module struct {
	folders map[string]*typesOf
	// Names of structs by folder: shared by goroutines, and living long.
	shared, long map[string]map[string]bool
}

func newModule() *module {
	return &module{map[string]*typesOf{}, map[string]map[string]bool{}, map[string]map[string]bool{}}
}

func readModule(t *testing.T) *module {
	t.Helper()
	m := newModule()
	for folder, files := range parseFolders(t) {
		m.add(folder, files)
	}
	m.holdShared()
	return m
}

func (m *module) add(folder string, files []sourceFile) {
	f := &typesOf{map[string]ast.Expr{}, map[string]string{}, map[string]bool{}, map[string]int{}}
	m.folders[folder] = f
	for _, file := range files {
		if !file.test {
			f.read(file.syntax)
		}
	}
}

// holdShared finds the structs that live long.
func (m *module) holdShared() {
	for folder, f := range m.folders {
		for name, e := range f.types {
			if s, ok := e.(*ast.StructType); ok && slices.ContainsFunc(s.Fields.List, func(field *ast.Field) bool { return isShared(field.Type) }) {
				note(m.shared, folder, name)
				m.hold(folder, name)
			}
		}
	}
}

func (f *typesOf) read(file *ast.File) {
	for _, i := range file.Imports {
		if folder, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "mcptea/"); own {
			name := folder[strings.LastIndexByte(folder, '/')+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			f.imports[name] = folder
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			f.types[n.Name.Name] = n.Type
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok && n.Tok == token.CONST {
					for _, name := range value.Names {
						f.constants[name.Name] = true
					}
				}
			}
		case *ast.Ident:
			f.mentioned[n.Name]++
		}
		return true
	})
}

// growing are the fields of long-lived structs of a folder that are maps and slices: Type.field,
// sorted. An embedded one has the name of its type.
func (m *module) growing(folder string) (found []string) {
	for name := range m.long[folder] {
		for _, field := range m.folders[folder].types[name].(*ast.StructType).Fields.List {
			if !m.grows(folder, field.Type) {
				continue
			}
			names := field.Names
			if id, ok := element(field.Type).(*ast.Ident); ok && len(names) == 0 {
				names = []*ast.Ident{id}
			}
			for _, n := range names {
				if m.shared[folder][name] || !n.IsExported() {
					found = append(found, name+"."+n.Name)
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

// hold notes that a struct lives long, and those that it has.
func (m *module) hold(folder, name string) {
	f := m.folders[folder]
	s, ok := f.types[name].(*ast.StructType)
	if !ok || m.long[folder][name] {
		return
	}
	note(m.long, folder, name)
	for _, field := range s.Fields.List {
		switch e := element(field.Type).(type) {
		case *ast.Ident:
			m.hold(folder, e.Name)
		case *ast.SelectorExpr:
			if x, ok := e.X.(*ast.Ident); ok && m.folders[f.imports[x.Name]] != nil {
				m.hold(f.imports[x.Name], e.Sel.Name)
			}
		}
	}
}

func note(in map[string]map[string]bool, folder, name string) {
	if in[folder] == nil {
		in[folder] = map[string]bool{}
	}
	in[folder][name] = true
}

// element is the type that pointers, slices, maps and type arguments lead to.
func element(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ArrayType:
			e = x.Elt
		case *ast.MapType:
			e = x.Value
		case *ast.IndexExpr:
			e = x.X
		default:
			return e
		}
	}
}

// isShared reports a type of a field that only a struct has that goroutines share.
func isShared(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ChanType:
		return true
	case *ast.StarExpr:
		return isShared(e.X)
	case *ast.IndexExpr:
		return isShared(e.X)
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && (x.Name == "atomic" || x.Name == "sync")
	}
	return false
}

// grows reports a map or a slice that is not one of bytes, also by a name of the module.
func (m *module) grows(folder string, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.MapType:
		return true
	case *ast.ArrayType:
		id, ok := e.Elt.(*ast.Ident)
		return e.Len == nil && !(ok && id.Name == "byte")
	case *ast.IndexExpr:
		return m.grows(folder, e.X)
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok {
			return false
		}
		other := m.folders[folder].imports[x.Name]
		return x.Name == "sync" && e.Sel.Name == "Map" || m.folders[other] != nil && m.grows(other, e.Sel)
	case *ast.Ident:
		named, ok := m.folders[folder].types[e.Name]
		_, isStruct := named.(*ast.StructType)
		return ok && !isStruct && m.grows(folder, named)
	}
	return false
}
