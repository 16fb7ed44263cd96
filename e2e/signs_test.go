package e2e

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// writesSigns are the places of the screens that write a sign of their own, with the reason. The signs
// of palettes and of the markdown parser are no functions.
var writesSigns = map[string]string{
	"ui/result/picture.go: row":               "a picture has no other form in cells",
	"ui/dialog/reading.go: Signs":             "names the signs of the text that is agreed to",
	"ui/textfield/buffer.go: Clean":           "stands for a byte in a text that is edited",
	"ui/dialog/terminal.go: TerminalQuestion": "marks what a text hides; not a screen",
}

// TestSigns_HaveAnASCIIForm refuses a sign in a text of a screen that --ascii would not exchange: it
// is one of the palette, or in phrase.Signs.
func TestSigns_HaveAnASCIIForm(t *testing.T) {
	unused := map[string]bool{}
	for place := range writesSigns {
		unused[place] = true
	}
	eachFunction(t, func(file string, function *ast.FuncDecl, line func(token.Pos) int) {
		if !strings.HasPrefix(file, "ui/") {
			return
		}
		place := file + ": " + function.Name.Name
		ast.Inspect(function, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				return !(ok && called.Sel.Name == "Signs")
			case *ast.BasicLit:
				text, _ := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || strings.IndexFunc(text, func(r rune) bool { return r > '~' }) < 0 {
					return true
				}
				delete(unused, place)
				if writesSigns[place] == "" {
					t.Errorf("%s, line %d: the sign in %s has no ASCII form: take one of the palette, or phrase.Signs", place, line(n.Pos()), n.Value)
				}
			}
			return true
		})
	})
	for place := range unused {
		t.Errorf("%s writes no signs any more: take it out of the list", place)
	}
}
