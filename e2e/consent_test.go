package e2e

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// guarded are what leads to something that starts or connects, and the places that may use it, with the reason:
// "folder/file.go: function". What is not here asks first.
var guarded = map[string]map[string]string{
	// An agreement without a question: others have written nothing of what it decides.
	"question.Typed": {
		"ui/inspector/connect.go: branchAgain":  "the target of the session that goes on",
		"ui/inspector/connect.go: askForTarget": "the user has removed what the recording names, and has typed another one",
		"ui/pane/server/token.go: askToken":     "a token for the same server",
		"ui/pane/server/remedy.go: do":          "values of mcptea, or a URL of the same origin that the page shows whole",
		"ui/pane/server/questions.go: askFor":   "the values of variables and headers, each typed",
		"ui/pane/server/questions.go: editLink": "the line was changed, or was there before, or is short enough to be seen whole",
		"ui/pane/server/remedy.go: authorize":   "the same server without a token",
		"ui/pane/server/remedy.go: forget":      "the same server without a token",
		"ui/pane/start/agree.go: agree":         "what mcptea itself lists, the user has typed, or was agreed to before",
	},
	// An agreement to a text of others: only what has shown its rows.
	"sight.Agree": {"ui/dialog/reading.go: Agree": "the one place that knows which rows were in sight"},
	"sight.Show":  {"ui/dialog/reading.go: Put": "a painted row", "ui/dialog/terminal.go: Print": "a printed row"},
	// What was agreed to before.
	"agreed.Add": {"cli/target/project.go: Remember": ""},
	"agreed.Has": {"cli/target/project.go: agreeTo": "", "cli/target/project.go: IsAgreed": ""},
	"p.Remember": {"cli/target/project.go: agreeTo": "after the question", "cli/inspector/start_recent.go: remember": "after a session with it"},
	// A target of an entry.
	"p.agreeTo":     {"cli/target/configured.go: entryTarget": "the one way from an entry to a target", "cli/target/entries.go: Entry": "before the others start", "ui/pane/server/remedy.go: do": "another function: it opens the window"},
	"p.entryTarget": {"cli/target/entries.go: Entry": "", "cli/target/pasted.go: pastedTarget": "", "cli/target/words.go: named": "", "cli/target/words.go: serverTarget": ""},
	"Expanded.Argv": {"cli/target/configured.go: entryTarget": "after the question", "session/explain/remedy/entry.go: unsavedTarget": "compares words"},
	// Lines of a terminal: a reader of its own would have answers in a buffer that were typed before the question.
	"p.readLine":  {"cli/app/question.go: Confirm": "", "cli/app/question.go: Prompt": "", "cli/app/question.go: Answers": ""},
	"In.Read":     {"cli/app/question.go: readLine": ""},
	"p.dropTyped": {"cli/app/question.go: Ask": "a function value", "cli/app/question.go: Prompt": "", "cli/app/question.go: ReadSecret": ""},
}

// TestConsent_NoWayAround refuses a new place that starts or connects without the question: each use of what
// leads there is in a table.
func TestConsent_NoWayAround(t *testing.T) {
	used := map[string]bool{}
	eachFunction(t, func(file string, function *ast.FuncDecl, line func(token.Pos) int) {
		place := file + ": " + function.Name.Name
		ast.Inspect(function, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of := ""
			switch x := s.X.(type) {
			case *ast.Ident:
				of = x.Name
			case *ast.SelectorExpr:
				of = x.Sel.Name
			}
			name := of + "." + s.Sel.Name
			allowed, ok := guarded[name]
			if !ok || strings.HasPrefix(file, "internal/") {
				return true
			}
			if _, known := allowed[place]; !known {
				t.Errorf("%s:%d: %s in %s: it has to ask first; put it into the table of this test with its reason", file, line(n.Pos()), name, function.Name.Name)
			}
			used[name+" "+place] = true
			return true
		})
	})
	for name, places := range guarded {
		for _, place := range slices.Sorted(maps.Keys(places)) {
			if !used[name+" "+place] {
				t.Errorf("%s: it does not use %s: remove it from the table", place, name)
			}
		}
	}
}

// TestConsent_OneQuestionOnTerminals refuses a second way to ask on a terminal: a text with [y/N], or a reader of
// lines of stdin, anywhere else.
func TestConsent_OneQuestionOnTerminals(t *testing.T) {
	eachFunction(t, func(file string, function *ast.FuncDecl, line func(token.Pos) int) {
		if !strings.HasPrefix(file, "cli/") && !strings.HasPrefix(file, "agent/") || file == "cli/app/question.go" {
			return
		}
		ast.Inspect(function, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BasicLit:
				if strings.Contains(strings.ToLower(x.Value), "[y/n]") {
					t.Errorf("%s:%d: a question of its own: app.Confirm asks", file, line(n.Pos()))
				}
			case *ast.CallExpr:
				s, ok := x.Fun.(*ast.SelectorExpr)
				if !ok || !slices.Contains([]string{"NewLines", "NewReader", "NewScanner", "ReadPassword"}, s.Sel.Name) {
					return true
				}
				for _, a := range x.Args {
					if in, ok := a.(*ast.SelectorExpr); ok && (in.Sel.Name == "In" || in.Sel.Name == "Stdin") {
						t.Errorf("%s:%d: %s of stdin has answers in a buffer that were typed before a question", file, line(n.Pos()), s.Sel.Name)
					}
				}
			}
			return true
		})
	})
}
