package e2e

import (
	"go/ast"
	"go/token"
	"testing"
)

// indenters are functions that indent without a bound, by the path of their package.
var indenters = map[string][]string{
	"encoding/json":          {"Indent", "MarshalIndent"},
	"encoding/json/jsontext": {"WithIndent", "WithIndentPrefix", "Multiline", "AppendFormat"},
}

// mayIndent are the functions that may indent otherwise, "folder/file.go: function", with the reason.
var mayIndent = map[string]string{
	"session/declare/make.go: asYAML": "YAML, of which deep values are in the flow style",
	"cli/settings/file.go: encoded":   "the user's own configuration",
}

// TestIndent_OneDoor refuses code that indents JSON by itself: 9,000 levels of 300 kB are gigabytes of
// spaces. jsonrpc.Indent, jsonrpc.MarshalIndented and jsonrpc.Layout have a bound.
func TestIndent_OneDoor(t *testing.T) {
	unused := map[string]bool{}
	for place := range mayIndent {
		unused[place] = true
	}
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		found := usesIn(f, indenters)
		for at, within := range methodCalls(f, "SetIndent") {
			found[at] = within
		}
		for at, within := range found {
			place := file + ": " + within
			delete(unused, place)
			if mayIndent[place] == "" {
				t.Errorf("%s, line %d: indents without a bound; use jsonrpc.Indent", place, line(at))
			}
		}
	})
	for place := range unused {
		t.Errorf("%s no longer indents: remove it from the list", place)
	}
}

// methodCalls returns the places of a file that name a method, with the function around them.
func methodCalls(f *ast.File, name string) map[token.Pos]string {
	found := map[token.Pos]string{}
	for _, d := range f.Decls {
		within := ""
		if function, ok := d.(*ast.FuncDecl); ok {
			within = function.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
				found[s.Pos()] = within
			}
			return true
		})
	}
	return found
}
