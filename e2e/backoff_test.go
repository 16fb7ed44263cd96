package e2e

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"testing"
)

// TestBackoff_OneSeries refuses pauses that grow in a loop of their own: package backoff has the bound, and the start
// again after a success.
func TestBackoff_OneSeries(t *testing.T) {
	timed := regexp.MustCompile(`(?i)(pause|wait|delay|interval|retry|time\.(Milli)?Second)`)
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		refuse := func(n ast.Expr, grows bool) {
			if grows && timed.MatchString(types.ExprString(n)) {
				t.Errorf("%s, line %d: a pause that grows; use a backoff.Series", file, line(n.Pos()))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				refuse(n, n.Op == token.SHL)
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i, to := range n.Lhs {
						refuse(to, n.Tok == token.MUL_ASSIGN || n.Tok == token.SHL_ASSIGN || growsBy(n.Rhs[i], types.ExprString(to)))
					}
				}
			}
			return true
		})
	})
}

// growsBy reports whether an expression is a bound for a multiple of a variable: min(2*x, most).
func growsBy(e ast.Expr, variable string) (grows bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || types.ExprString(call.Fun) != "min" {
		return false
	}
	ast.Inspect(call, func(n ast.Node) bool {
		if within, ok := n.(*ast.CallExpr); ok {
			return within == call // max(10*x, least) does not grow again
		}
		product, ok := n.(*ast.BinaryExpr)
		if ok && (product.Op == token.MUL || product.Op == token.ADD) {
			grows = grows || types.ExprString(product.X) == variable || types.ExprString(product.Y) == variable
		}
		return !grows
	})
	return grows
}
