package e2e

import (
	"go/ast"
	"go/token"
	"testing"
)

// mayDecode are the functions that may decode JSON into any, "folder/file.go: function", with the reason.
var mayDecode = map[string]string{
	"client/hosts/addline.go: entryOf":         "syntax.Parse bounds depth and values before",
	"client/hosts/syntax/toml.go: parseTOML":   "TOML, after its depth was checked",
	"client/secret/body.go: Body":              "the body of an authorization server, read up to a bound",
	"demo/primitives/primitives.go: constant":  "the server of mcptea demo",
	"internal/jsontree/jsontree.go: Decode":    "a value of at most 4 MiB and 1,000 levels, to be changed by place",
	"internal/schema/check/survey.go: decode":  "a schema of a frame, for the validator; the memory of the tree is bounded",
	"internal/schema/encode.go: Encode":        "what the user has typed, checked only",
	"internal/schema/tree_edit.go: ToggleJSON": "what the user has typed, checked only",
	"internal/schema/tree_values.go: asJSON":   "what the user has typed, checked only",
	"internal/server/peer/ask.go: purpose":     "the server of mcptea demo and of agents",
	"lint/json.go: DecodeJSON":                 "a value of a frame, for the meaning of numbers",
	"check/probe/proof.go: wordsOf":            "a result of a frame, sorted by names",
	"record/webhook/signature.go: otherBodies": "valid JSON of at most 256 kB, sorted by names",
	"offer/jq/worker.go: decode":               "in a process of its own with a bound of memory",
}

// TestDecode_IntoAny refuses code that decodes JSON into a tree of Go values: the tree takes many times the
// memory of the bytes, and a walk of it has no limit of depth but the 10,000 of encoding/json.
// jsonrpc.Members and jsonrpc.Elements read the bytes, and end at jsonrpc.MaxDepth, as frames do.
func TestDecode_IntoAny(t *testing.T) {
	unused := map[string]bool{}
	for place := range mayDecode {
		unused[place] = true
	}
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		for at, within := range decodedIntoAny(f) {
			place := file + ": " + within
			delete(unused, place)
			if mayDecode[place] == "" {
				t.Errorf("%s, line %d, %s: decodes JSON into any; read it with jsonrpc.Members and jsonrpc.Elements", file, line(at), within)
			}
		}
	})
	for place := range unused {
		t.Errorf("%s no longer decodes JSON into any: remove it from the list", place)
	}
}

// decodedIntoAny returns the places of a file that decode JSON into any or a map or a slice of any, with the
// function around them.
func decodedIntoAny(f *ast.File) map[token.Pos]string {
	found := map[token.Pos]string{}
	for _, d := range f.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		loose := looseNames(function)
		ast.Inspect(function.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (s.Sel.Name == "Unmarshal" || s.Sel.Name == "Decode") && isLoose(call.Args[len(call.Args)-1], loose) {
				found[call.Pos()] = function.Name.Name
			}
			return true
		})
	}
	return found
}

// looseNames returns the variables of a function that are any, or a map or a slice of any.
func looseNames(function *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = names[name.Name] || isAnyType(n.Type)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names[name.Name] = names[name.Name] || n.Type != nil && isAnyType(n.Type)
			}
		case *ast.AssignStmt: // value := any(nil), map[string]any{}
			for i, left := range n.Lhs {
				name, ok := left.(*ast.Ident)
				if !ok || i >= len(n.Rhs) {
					continue
				}
				switch right := n.Rhs[i].(type) {
				case *ast.CallExpr:
					names[name.Name] = names[name.Name] || isAnyType(right.Fun)
				case *ast.CompositeLit:
					names[name.Name] = names[name.Name] || right.Type != nil && isAnyType(right.Type)
				}
			}
		}
		return true
	})
	return names
}

// isLoose reports whether an argument is new(any) or the address of one of the variables.
func isLoose(e ast.Expr, loose map[string]bool) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		name, ok := e.X.(*ast.Ident)
		return ok && e.Op == token.AND && loose[name.Name]
	case *ast.CallExpr:
		name, ok := e.Fun.(*ast.Ident)
		return ok && name.Name == "new" && isAnyType(e.Args[0])
	}
	return false
}

// isAnyType reports any, a slice of it, or a map to it.
func isAnyType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "any"
	case *ast.InterfaceType:
		return len(e.Methods.List) == 0
	case *ast.ArrayType:
		return isAnyType(e.Elt)
	case *ast.MapType:
		return isAnyType(e.Value)
	}
	return false
}
