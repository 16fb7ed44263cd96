package e2e

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestQuantile_OneDefinition refuses a percentile that is not computed by record.Quantile or record.HistogramQuantile:
// two definitions are two values for one fact, such as a median of 5 ms and of 800 ms.
func TestQuantile_OneDefinition(t *testing.T) {
	const door = "record/quantile.go"
	others := map[string]bool{
		"check/probe/probes/stateless.go": true, // alters the byte in the middle of a text
	}
	found := 0
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		for at := range quantilesIn(f) {
			switch {
			case file == door:
				found++
			case others[file]:
			default:
				t.Errorf("%s, line %d: computes a percentile; use record.Quantile", file, line(at))
			}
		}
	})
	if found == 0 {
		t.Errorf("%s computes no percentile", door)
	}
}

// quantilesIn returns the places that read a percentile of a histogram, or an element at a part of a length.
func quantilesIn(f *ast.File) map[token.Pos]string {
	places := map[token.Pos]string{}
	for _, name := range []string{"ValueAtQuantile", "ValueAtPercentile", "ValueAtPercentiles"} {
		for at, within := range methodCalls(f, name) {
			places[at] = within
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if index, ok := n.(*ast.IndexExpr); ok && isPartOfLength(index.Index) {
			places[n.Pos()] = ""
		}
		return true
	})
	return places
}

// isPartOfLength reports whether an index is half of a length, or is computed with percents.
func isPartOfLength(index ast.Expr) (is bool) {
	ast.Inspect(index, func(n ast.Node) bool {
		division, ok := n.(*ast.BinaryExpr)
		if !ok || division.Op != token.QUO {
			return true
		}
		by, _ := division.Y.(*ast.BasicLit)
		is = is || by != nil && (by.Value == "2" || by.Value == "100" || by.Value == "1000")
		return true
	})
	return is
}
