package parts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

var _ = raced.Also(
	TestChoose, TestPrompt, TestPrompt_ChoiceThatWasTypedInPart, TestPick_File, TestRoots, TestPick_Mouse,
	TestPrompt_SelectedValue, TestPrompt_CompletesPaths,
)

// empty is what is under a dialog.
type empty struct{}

func (empty) Commands() []keys.Command { return nil }
func (empty) Motion(keys.Motion) bool  { return false }
func (empty) Refresh(app.Tick) bool    { return false }
func (empty) Paint(*app.Canvas, bool)  {}

func dialogProgram(t *testing.T) *panetest.Program {
	p := panetest.New(t)
	p.Pane = empty{}
	p.W, p.H = 80, 16
	return p
}

func isOpen(p *panetest.Program) bool { return p.Pane != app.Pane(empty{}) }

func TestChoose(t *testing.T) {
	p := dialogProgram(t)
	names, chosen := []string{"a", "b", "c"}, ""
	dialog.Choose{
		Title: "Things", Verb: "use", Text: "Choose one.",
		Len: func() int { return len(names) },
		Entry: func(i int) dialog.Entry {
			return dialog.Entry{Key: names[i], Name: "name " + names[i], Summary: "\x1b[31mred", Current: names[i] == "b"}
		},
		Accept: func(i int) { chosen += names[i] },
		Stays:  func(i int) bool { return names[i] == "c" },
		Remove: func(i int) { names = append(names[:i:i], names[i+1:]...) },
	}.Open(p)
	p.Sees("Choose one.", "name a", "enter use", "alt+x delete")
	p.Pane.Motion(keys.Down)
	p.Press("alt+x")
	p.Sees("▌  name c")
	p.Press("enter")
	if chosen != "c" || !isOpen(p) {
		t.Errorf("%q was chosen; open %v", chosen, isOpen(p))
	}
	p.Pane.Motion(keys.Up)
	p.Press("enter")
	if chosen != "ca" || isOpen(p) {
		t.Errorf("%q was chosen; open %v", chosen, isOpen(p))
	}
}

func TestPrompt(t *testing.T) {
	p := dialogProgram(t)
	got := ""
	check := func(text string) error {
		if strings.Contains(text, "!") {
			return errors.New("no mark")
		}
		return nil
	}
	dialog.Prompt{
		Title: "Name", Verb: "save", Text: "A name.", Check: check,
		Hint: func(text string) string { return "length " + strings.Repeat("i", len(text)) },
		Accept: func(text string) (func(), error) {
			if text == "" {
				return nil, errors.New("type a name")
			}
			return func() { got = text }, check(text)
		},
	}.Open(p)
	p.Press("enter")
	p.Sees("Type a name.")
	p.Type("jq")
	p.Sees("› jq", "length ii")
	p.Type("!")
	p.Sees("No mark.")
	if p.Press("enter"); !isOpen(p) {
		t.Fatal("a text that is wrong was accepted")
	}
	p.Press("backspace", "enter")
	if got != "jq" || isOpen(p) {
		t.Errorf("got %q; open %v", got, isOpen(p))
	}
}

// tab completes the path at the end of a command line, and lists what it can become.
func TestPrompt_CompletesPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"server.js", "server.ts", "my tool.py", "dist/index.js"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	p := dialogProgram(t)
	dialog.Prompt{Title: "Command", Verb: "connect", Paths: true, PathsIn: dir, Accept: func(text string) (func(), error) { return func() { got = text }, nil }}.Open(p)
	tab := func(typed, want string, says ...string) {
		t.Helper()
		p.Type(typed)
		p.Press("tab")
		p.Sees(append(says, "› "+want)...)
	}
	tab("node s", "node server.", "server.js  server.ts")
	tab("js", "node server.js ")
	tab("nowhere/", "node server.js nowhere/", "No file begins like this.")
	for range len(" nowhere/") {
		p.Press("backspace")
	}
	tab(" d", "node server.js dist/")
	tab("", "node server.js dist/index.js ")
	tab("m", `node server.js dist/index.js my\ tool.py`)
	p.Press("enter")
	if got != `node server.js dist/index.js my\ tool.py` {
		t.Errorf("accepted %q", got)
	}
}

func TestPrompt_ChoiceThatWasTypedInPart(t *testing.T) {
	p := dialogProgram(t)
	got := ""
	dialog.Prompt{
		Title: "Fault", Verb: "inject", Choices: []dialog.Entry{{Name: "delay", Summary: "later"}, {Name: "drop", Summary: "never"}},
		Accept: func(text string) (func(), error) { return func() { got = text }, nil },
	}.Open(p)
	p.Type("d")
	p.Sees("delay", "↓ select")
	p.Press("down")
	p.Sees("↑ select")
	p.Type("r")
	p.Sees("drop", "never")
	if screen := p.Paint(100, 30, true); strings.Contains(screen, " select") {
		t.Errorf("an arrow is named that does nothing:\n%s", screen)
	}
	p.Press("enter")
	if got != "drop" {
		t.Errorf("got %q", got)
	}
}

func TestPick_File(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.md")
	if err := os.WriteFile(taken, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var written string
	var failure error
	open := func() *panetest.Program {
		p := dialogProgram(t)
		written = ""
		dialog.Pick{
			Title: "Report", Verb: "write", Label: "file", Empty: "Type a path.", Entries: []dialog.Entry{{Name: "Markdown"}, {Name: "JSON"}},
			File: func(i int) string { return []string{"taken.md", "check.json"}[i] },
			Accept: func(_ context.Context, _ int, path string) (func(), error) {
				return func() { written = path }, failure
			},
		}.Open(p)
		return p
	}
	p := open()
	p.Sees("› taken.md")
	p.Pane.Motion(keys.Down)
	p.Sees("› check.json")
	p.Press("ctrl+u")
	p.Press("enter")
	p.Sees("Type a path.")
	p.Type(dir)
	p.Pane.Motion(keys.Up) // a path that was typed stays
	p.Press("enter")       // a directory gets the name
	p.Press("enter")
	p.Sees("The file exists. enter again replaces it.")
	if written != "" {
		t.Fatalf("%s was written", written)
	}
	p.Press("enter")
	if written != taken || isOpen(p) {
		t.Errorf("%q was written; open %v", written, isOpen(p))
	}
	p, failure = open(), errors.New("the disk is full")
	p.Press("ctrl+u")
	p.Type(filepath.Join(dir, "new"))
	p.Press("enter")
	p.Sees("The disk is full.", "new")
	if written != "" || !isOpen(p) {
		t.Error("after an error the window is closed")
	}
	p.Press("ctrl+u")
	p.Type(os.DevNull)
	p.Press("enter")
	p.Sees("This is not a regular file")
}

func TestRoots(t *testing.T) {
	p := dialogProgram(t)
	var sent []client.Root
	connected := true
	dialog.Roots(p, nil, func(now []client.Root) bool {
		sent = now
		return connected
	})
	p.Sees("No roots.")
	dir, last := t.TempDir(), t.TempDir()
	p.Type(dir)
	p.Press("enter")
	p.Type(last)
	p.Press("enter")
	p.Sees("1  file://", "2  file://", "Added: the server gets 2 roots from now on.")
	p.Type("3")
	p.Press("enter")
	p.Sees("no root has the number 3")
	p.Press("backspace")
	p.Type("1")
	p.Press("enter")
	p.Sees("Removed: the server gets 1 root from now on.")
	connected = false
	p.Type("1")
	p.Press("enter")
	p.Sees("Removed: the next connection has 0 roots.")
	connected = true
	p.Type(last)
	p.Press("enter")
	if len(sent) != 1 || !strings.HasSuffix(sent[0].URI, filepath.Base(last)) {
		t.Errorf("%+v was sent", sent)
	}
}

func TestDialogs_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	p := dialogProgram(t)
	dialog.Prompt{Title: "T", Verb: "go", Text: "Some words that are wrapped.", Choices: []dialog.Entry{{Name: "a", Summary: "b"}}, Accept: func(string) (func(), error) { return nil, nil }}.Open(p)
	prompt := p.Pane
	dialog.Pick{Title: "P", Label: "file", Entries: []dialog.Entry{{Name: "a", Note: "3 B"}}, File: func(int) string { return "x" }}.Open(p)
	for _, d := range []app.Pane{prompt, p.Pane} {
		p.Pane = d
		for w := 4; w < 120; w += 9 {
			for h := 3; h < 30; h += 4 {
				p.Paint(w, h, true)
			}
		}
	}
}

// A click or the wheel selects an entry as the keys do, and accepts nothing.
func TestPick_Mouse(t *testing.T) {
	p := dialogProgram(t)
	dialog.Pick{
		Title: "Report", Verb: "write", Label: "file", Entries: []dialog.Entry{{Name: "Markdown"}, {Name: "JSON"}},
		File:   func(i int) string { return []string{"check.md", "check.json"}[i] },
		Accept: func(context.Context, int, string) (func(), error) { t.Error("accepted"); return func() {}, nil },
	}.Open(p)
	y := 0
	for i, row := range strings.Split(p.Paint(p.W, p.H, true), "\n") {
		if strings.Contains(row, "JSON") {
			y = i
		}
	}
	p.Screen.Click(5, y)
	p.Sees("› check.json")
	p.Screen.Click(5, y)
	p.Screen.Wheel(5, y, -3)
	p.Sees("› check.md")
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"connection refused": "Connection refused.", "dir: takes in or out": "dir: takes in or out.", "It ends.": "It ends.", "": "",
	} {
		if got := dialog.Sentence(errors.New(text)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A value that is selected is replaced by what is typed, and stays where the cursor is moved.
func TestPrompt_SelectedValue(t *testing.T) {
	for keys, want := range map[string]string{"5": "5", "backspace 7": "7", "end 0": "100", "": "10"} {
		p, got := dialogProgram(t), ""
		dialog.Prompt{
			Title: "Times", Verb: "start", Value: "10", Whole: true,
			Accept: func(text string) (func(), error) { return func() { got = text }, nil },
		}.Open(p)
		p.Sees("› 10")
		p.Press(append(strings.Fields(keys), "enter")...)
		if got != want {
			t.Errorf("%q: got %q, want %q", keys, got, want)
		}
	}
}
