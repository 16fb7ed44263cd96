package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"testing"
)

// starters are the functions that start a program or replace this one, by the path of their package.
var starters = map[string][]string{
	"os/exec":                       {"Command", "CommandContext", "Cmd"},
	"os":                            {"StartProcess"},
	"syscall":                       {"Exec", "ForkExec", "StartProcess", "CreateProcess", "CreateProcessAsUser"},
	"golang.org/x/sys/unix":         {"Exec", "ForkExec"},
	"golang.org/x/sys/windows":      {"CreateProcess", "CreateProcessAsUser", "ShellExecute"},
	"charm.land/bubbletea/v2":       {"ExecProcess"},
	"github.com/creack/pty":         {"Start", "StartWithSize"},
	"github.com/charmbracelet/xpty": {"NewPty"},
}

// startsPrograms are the functions that may start a program, "folder/file.go: function", with what is
// given to it and who has agreed to that. All others use argument.Command, whose arguments cannot be
// made of a text from outside but as the absolute path of a file.
var startsPrograms = map[string]string{
	"internal/system/argument/argument.go: Command": "takes arguments that cannot be options",
	"internal/system/argument/argument.go: Self":    "this program, with such arguments",
	"ui/terminal/editor.go: EditorCommand":          "$EDITOR of the user, with such arguments",
	"ui/terminal/editor.go: ShellCommand":           "the command of the server, which runs already, with an absolute path",
	"client/transport/stdio/stdio.go: launch":       "the command of the server, shown in full before others than the user decide it",
	"internal/system/guard_unix.go: StartGuard":     "a script of mcptea and the number of a process",
	"internal/desktop/open.go: ofUser":              "$BROWSER of the user, with the absolute path of a file",
	"internal/system/argument/line.go: Program":     "a program of the user's, with words that values cannot make options of",
	"internal/shell/run.go: start":                  "a command that the user has typed, as a line or as words, and gets text on stdin alone",
	"internal/desktop/clipboard.go: write":          "words of mcptea, with the text on stdin",
	"session/apps/chromium/chromium.go: Start":      "words of mcptea; the page is opened over a pipe",
}

// TestExec_ArgumentsAreMade refuses code that starts programs by itself: a path or a name that others
// have written would be an option there. A new place in the list needs a reason.
func TestExec_ArgumentsAreMade(t *testing.T) {
	unused := map[string]bool{}
	for place := range startsPrograms {
		unused[place] = true
	}
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		for at, within := range usesIn(f, starters) {
			place := file + ": " + within
			delete(unused, place)
			if startsPrograms[place] == "" {
				t.Errorf("%s, line %d: starts a program; use argument.Command", place, line(at))
			}
		}
	})
	for place := range unused {
		t.Errorf("%s starts no program any more: take it out of the list", place)
	}
}

// usesIn returns the places of a file that name one of some functions, which are listed by the path of
// their package, with the function around it; empty outside of functions. Types of pointers to commands,
// which start nothing, are left out.
func usesIn(f *ast.File, of map[string][]string) map[token.Pos]string {
	names := map[string][]string{} // of the functions, by the name of the package in the file
	found := map[token.Pos]string{}
	for _, i := range f.Imports {
		from, _ := strconv.Unquote(i.Path.Value)
		all := of[from]
		switch {
		case all == nil:
		case i.Name != nil && i.Name.Name == ".":
			found[i.Pos()] = "an import with a dot"
		case i.Name != nil:
			names[i.Name.Name] = all
		case path.Base(from) == "v2":
			names["bubbletea"], names["tea"] = all, all
		default:
			names[path.Base(from)] = all
		}
	}
	for _, d := range f.Decls {
		within := ""
		if function, ok := d.(*ast.FuncDecl); ok {
			within = function.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StarExpr: // a pointer to a command of another place
				x, ok := n.X.(*ast.SelectorExpr)
				return !ok || x.Sel.Name != "Cmd"
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(names[x.Name], n.Sel.Name) {
					found[n.Pos()] = within
				}
			}
			return true
		})
	}
	return found
}

func TestExec_WouldBeNoticed(t *testing.T) {
	for code, want := range map[string]int{
		`import "os/exec"; func f(p string) { exec.Command("less", p).Run() }`:      1,
		`import e "os/exec"; func f(p string) { e.CommandContext(nil, "xdg", p) }`:  1,
		`import "os/exec"; var start = exec.Command`:                                1,
		`import "os/exec"; func f(p string) { c := &exec.Cmd{Path: p}; c.Run() }`:   1,
		`import "os/exec"; func f() { c := new(exec.Cmd); _ = c }`:                  1,
		`import "os/exec"; func f() { var c exec.Cmd; _ = c }`:                      1,
		`import . "os/exec"; func f(p string) { Command(p) }`:                       1,
		`import "syscall"; func f(p string) { syscall.Exec(p, nil, nil) }`:          1,
		`import "os"; func f(p string) { os.StartProcess(p, nil, nil) }`:            1,
		`import "os/exec"; func f(p string) { c := *exec.Command(p); c.Run() }`:     1,
		`import "os/exec"; func f(c *exec.Cmd) error { return c.Run() }`:            0,
		`import "os/exec"; func f(c string) (string, error) { exec.LookPath(c) }`:   0,
		`import tea "charm.land/bubbletea/v2"; func f() { tea.ExecProcess(c, nil)}`: 1,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(usesIn(f, starters)); got != want {
			t.Errorf("%s: %d places, want %d", code, got, want)
		}
	}
}
