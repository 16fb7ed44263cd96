package e2e

import (
	"go/ast"
	"go/token"
	"testing"
)

const jsonrpcPath = "mcptea/client/jsonrpc"

// TestLookup_NotForEachMember refuses loops over the members of an object that look each name up in another one by a
// walk over its members: jsonrpc.MemberIndex finds all of them in one walk. Both sizes are chosen by others.
func TestLookup_NotForEachMember(t *testing.T) {
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		walks, loops := usesIn(f, map[string][]string{jsonrpcPath: {"Member", "Get"}}), usesIn(f, map[string][]string{jsonrpcPath: {"Members", "Begun"}})
		ast.Inspect(f, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || loop.Key == nil || !anyWithin(loop.X, loops) {
				return true
			}
			name, _ := loop.Key.(*ast.Ident)
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 && anyWithin(call.Fun, walks) && name != nil && hasName(call.Args[1], name.Name) {
					t.Errorf("%s, line %d: looks each member up by a walk over all of another object; use jsonrpc.MemberIndex", file, line(call.Pos()))
				}
				return true
			})
			return true
		})
	})
}

// anyWithin reports whether a place is within a part of a file.
func anyWithin(n ast.Node, places map[token.Pos]string) bool {
	for at := range places {
		if n.Pos() <= at && at < n.End() {
			return true
		}
	}
	return false
}

// hasName reports whether an expression has a name.
func hasName(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == name {
			found = true
		}
		return !found
	})
	return found
}
