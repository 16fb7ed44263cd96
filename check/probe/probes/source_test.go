package probes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/internal/catalog"
	"mcptea/lint"
)

// A probe has no waits of its own: package probe makes them from the pace of the server.
func TestSource_NoTimes(t *testing.T) {
	units := []string{"Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}
	eachFile(t, func(_ string, file *ast.File, at func(ast.Node) token.Position) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(units, s.Sel.Name) {
				t.Errorf("%s: time.%s", at(n), s.Sel.Name)
			}
			return true
		})
	})
}

// Findings are made of a judgment, and never put into a report by hand.
func TestSource_NoFindingsByHand(t *testing.T) {
	eachFile(t, func(_ string, file *ast.File, at func(ast.Node) token.Position) {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "probe" && s.Sel.Name == "Finding" {
					t.Errorf("%s: probe.Finding", at(n))
				}
			}
			return true
		})
	})
}

func eachFile(t *testing.T, check func(path string, file *ast.File, at func(ast.Node) token.Position)) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		check(path, file, func(n ast.Node) token.Position { return set.Position(n.Pos()) })
	}
}

// A row with an error or a warning belongs to a probe with a sentence for it, or to none of
// its versions: then it would always be an info.
func TestSteps_HaveGround(t *testing.T) {
	entries := map[string]*probe.Entry{}
	for _, e := range probe.Catalogue() {
		entries[e.ID] = e
	}
	for _, w := range catalog.Read[row](table) {
		id, _, _ := strings.Cut(w.ID, " ")
		severity, text := lint.Error, w.Error
		if text == "" {
			severity, text = lint.Warn, w.Warn
		}
		if text == "" {
			continue
		}
		allowed := lint.Info
		for _, g := range entries[id].Grounds() {
			allowed = min(allowed, g.Allows())
		}
		if allowed > severity {
			t.Errorf("%s is %s, and its sentences allow %s: %s", w.ID, severity, allowed, text)
		}
	}
}

// A hole of a sentence that is filled with nothing leaves no sentence.
func TestSample_EmptyHole(t *testing.T) {
	for text, want := range map[string]string{
		"The tool {what} fails.": "The tool (no name) fails.", "error {message}": "error (no message)", "in {media} and {case}": "in (no media type) and (no case)",
	} {
		s := &sample{}
		if got := catalog.Fill(text, s.value); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
