package probe

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/transport"
)

// A connection may be opened again at any time: who reads its link twice may lock one and unlock
// another, or count in one what came on the other.
func TestLink_IsReadOnce(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	set, reads := token.NewFileSet(), 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "link" && len(call.Args) == 0 {
					of := written(s.X)
					if seen[of] {
						t.Errorf("%s: %s.link() is read a second time in %s", set.Position(call.Pos()), of, f.Name.Name)
					}
					seen[of] = true
					reads++
				}
				return true
			})
		}
	}
	if reads < 10 {
		t.Errorf("%d reads of a link were found", reads)
	}
}

// written is an expression of names.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return written(e.X) + "." + e.Sel.Name
	}
	return fmt.Sprintf("%T", e)
}

// What was taken of a connection is not counted of the one that was opened in its place.
func TestTake_AfterOpenedAgain(t *testing.T) {
	c := &Conn{r: &Runner{}}
	send := func(texts ...string) *link {
		l := &link{}
		for _, text := range texts {
			l.extra = append(l.extra, Frame{Dir: transport.In, Bytes: []byte(text)})
		}
		return l
	}
	c.over(send("a", "b"))
	if got := c.Take(); len(got) != 2 {
		t.Errorf("taken %d messages, want 2", len(got))
	}
	c.over(send("c"))
	if got := c.Take(); len(got) != 1 || string(got[0].Bytes) != "c" {
		t.Errorf("of the new connection: %v, want c", got)
	}
	if got := c.Take(); len(got) != 0 {
		t.Errorf("a second time: %v", got)
	}
}
