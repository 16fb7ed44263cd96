package e2e

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"testing"
)

// sendBreaks are the files that send frames with line breaks over stdio on purpose, with the reasons that they give.
var sendBreaks = map[string][]string{
	"session/session/start.go":             {"Composed"}, // the composer, send --raw, raw of a script, send_frame of an agent
	"session/session/forward.go":           {"Composed"}, // what a command that uses the connection has composed
	"session/session/intercept.go":         {"Edited"},   // what a breakpoint or a fault has changed
	"check/probe/conn.go":                  {"Probed"},
	"check/probe/wait.go":                  {"Probed"},
	"session/explain/experiment/starts.go": {"Probed"},  // CR LF, which is the change that is tried
	"session/tap/relay/server.go":          {"Relayed"}, // lines of a host
}

// A frame with a line break is refused over stdio, except from the senders that are named here: the server
// takes the text after the line break for another message.
func TestFrames_WhoSendsLineBreaks(t *testing.T) {
	reasons := []string{"Composed", "Edited", "Probed", "Relayed"}
	found := map[string][]string{}
	eachFile(t, func(name string, f *ast.File, line func(token.Pos) int) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(reasons, s.Sel.Name) {
				return true
			}
			if of, ok := s.X.(*ast.Ident); !ok || of.Name != "transport" {
				return true
			}
			if !slices.Contains(sendBreaks[name], s.Sel.Name) {
				t.Errorf("%s:%d sends line breaks as %s: a frame that mcptea makes has none; see sendBreaks", name, line(s.Pos()), s.Sel.Name)
			}
			if !slices.Contains(found[name], s.Sel.Name) {
				found[name] = append(found[name], s.Sel.Name)
			}
			return true
		})
	})
	for _, name := range slices.Sorted(maps.Keys(sendBreaks)) {
		if fmt.Sprint(found[name]) != fmt.Sprint(sendBreaks[name]) {
			t.Errorf("%s gives the reasons %v, and the list has %v", name, found[name], sendBreaks[name])
		}
	}
}
