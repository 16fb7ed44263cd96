package e2e

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// comparesBytes are the places that compare bytes of JSON on purpose, or no JSON at all:
// "folder/file.go: function", or * for all functions of a file, with the reason.
var comparesBytes = map[string]string{
	"client/secret/session.go: Same":               "texts of mcptea",
	"client/jsonrpc/scan.go: setMember":            "the usual spelling first, then the meaning",
	"client/receive.go: containsVersion":           "a guess about bytes that are not JSON",
	"lint/lintfile/direction.go: looksLike":        "a guess about lines that may not be JSON",
	"lint/http.go: hasOtherErrorBody":              "a guess about a body that is not JSON; JSON is read before",
	"session/tap/relay/concern.go: endsConcern":    "a prefilter for lines without escapes",
	"session/tap/flow.go: isMessage":               "a guess about a body that is not JSON; JSON is read before",
	"lint/rules/apps/apps.go: toolsOf":             "a prefilter for frames without escapes",
	"lint/rules/apps/resource.go: appEntries":      "a prefilter for frames without escapes",
	"ui/pane/browse/apps.go: MarkOf":               "a prefilter for entries without escapes",
	"check/probe/probes/stdio.go: partialWrite":    "a frame of mcptea",
	"record/store/marks.go: MarksOf":               "a file of mcptea",
	"record/read.go: payload":                      "a file of mcptea",
	"record/read.go: DecodeFrame":                  "a file of mcptea",
	"client/oauth/resource.go: *":                  "URLs",
	"record/recordings/summary.go: *":              "an enumeration",
	"record/codec.go: *":                           "enumerations",
	"cli/auth_steps.go: *":                         "an enumeration",
	"client/jsonrpc/value.go: *":                   "hashes of what tokens mean",
	"lint/rules/apps/page.go: documentOf":          "an HTML document",
	"lint/rules/httptransport/stream.go: eventSum": "an id of server-sent events, which is text",
	"session/runs/provenance/words.go: hashOf":     "words of texts",
	"record/flow/find.go: *":                       "hashes of what ids mean",
	"record/flow/outcomes.go: key":                 "hashes what an id means",
}

// jsonLiteral is a text that is JSON with quotes: a string, or an object or array with one.
var jsonLiteral = regexp.MustCompile(`^("[^"]*"?|[{\[].*".*)$`)

// memberName is a text that has the begin of a member or string of JSON.
var memberName = regexp.MustCompile(`"[A-Za-z_]`)

// TestValues_AreComparedByMeaning refuses comparisons of raw JSON: "a\/b" and "a/b" are one value.
// [jsonrpc.IsText], [jsonrpc.Equal] and the keys of ids compare what JSON means. That ids and
// tokens are compared by == does not compile.
func TestValues_AreComparedByMeaning(t *testing.T) {
	unused := map[string]bool{}
	for place := range comparesBytes {
		unused[place] = true
	}
	eachFunction(t, func(file string, function *ast.FuncDecl, line func(token.Pos) int) {
		place, whole := file+": "+function.Name.Name, file+": *"
		for _, at := range rawComparisons(function) {
			delete(unused, place)
			delete(unused, whole)
			if comparesBytes[place] == "" && comparesBytes[whole] == "" {
				t.Errorf("%s, line %d: compares the bytes of JSON; compare what it means", place, line(at))
			}
		}
	})
	for place := range unused {
		t.Errorf("%s compares no bytes of JSON any more: take it out of the list", place)
	}
}

// eachFunction calls do with each function of the program, the file of it from the root with /, and
// what gives the line of a place.
func eachFunction(t *testing.T, do func(file string, function *ast.FuncDecl, line func(token.Pos) int)) {
	t.Helper()
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		for _, d := range f.Decls {
			if function, ok := d.(*ast.FuncDecl); ok {
				do(file, function, line)
			}
		}
	})
}

// eachFile calls do with each file of the program, as eachFunction does.
func eachFile(t *testing.T, do func(name string, f *ast.File, line func(token.Pos) int)) {
	t.Helper()
	dir := root(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "test" || strings.HasPrefix(d.Name(), ".") && path != dir):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, files, err := parsedFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		do(filepath.ToSlash(name), f, func(at token.Pos) int { return files.Position(at).Line })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rawComparisons are the places in a function that compare bytes with JSON: by an operator, in a
// case of a switch, by a search in bytes, or by a hash of bytes.
func rawComparisons(function *ast.FuncDecl) (found []token.Pos) {
	compared := func(e ast.Expr) {
		if text, ok := literal(e); ok && jsonLiteral.MatchString(text) {
			found = append(found, e.Pos())
		}
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				for _, e := range []ast.Expr{n.X, n.Y} {
					compared(e)
					if call, ok := e.(*ast.CallExpr); ok && isShown(call) {
						found = append(found, e.Pos())
					}
				}
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				compared(e)
			}
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "maphash" && s.Sel.Name != "MakeSeed" || s.Sel.Name == "SetSeed" {
				found = append(found, n.Pos()) // values have [jsonrpc.Hash]
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "bytes" {
				for _, arg := range n.Args {
					if text, ok := literal(arg); ok && memberName.MatchString(text) {
						found = append(found, arg.Pos())
					}
				}
			}
		}
		return true
	})
	return found
}

// isShown reports a call of a method that returns the bytes of an id or a token, or the name of
// something else: x.String(), x.Shown().
func isShown(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && len(call.Args) == 0 && (s.Sel.Name == "String" || s.Sel.Name == "Shown")
}

// literal is the text of a string literal, also of one that is converted to bytes.
func literal(e ast.Expr) (text string, ok bool) {
	if call, isCall := e.(*ast.CallExpr); isCall && len(call.Args) == 1 {
		e = call.Args[0]
	}
	lit, isLit := e.(*ast.BasicLit)
	if !isLit || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
