package terminal

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcptea/internal/system/argument"
)

func TestEditor_CommandIsReadByTheShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is started without a shell")
	}
	dir := filepath.Join(t.TempDir(), "my editors")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "args")
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >'" + out + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "ed"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", `"`+dir+`/ed" --wait 'two words'`)
	cmd, err := EditorCommand(file(t, filepath.Join(dir, "it's.json")))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "--wait|two words|"+dir+"/it's.json|" {
		t.Errorf("the editor got %q", got)
	}
}

func TestEditor_BlankVariableIsNotACommand(t *testing.T) {
	t.Setenv("VISUAL", " ")
	t.Setenv("EDITOR", "code --wait")
	if got := editorText(); got != "code --wait" {
		t.Errorf("got %q", got)
	}
}

func file(t *testing.T, path string) argument.Argument {
	t.Helper()
	a, err := argument.File(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Each editor gets the line in its way, and no word that begins with - or + but those of mcptea.
func TestEditor_AtLine(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, tc := range []struct {
		editor, path string
		line         int
		want         string
	}{
		{"code --wait", "a.go", 7, "--goto|" + in("a.go:7")},
		{"code", "a:1.go", 7, "--goto|" + in("a:1.go")}, // the line cannot be said
		{"/usr/bin/cursor.exe", "-n", 7, "--goto|" + in("-n:7")},
		{"hx", "+c", 7, in("+c:7")},
		{"vi", "+!touch x.js", 3, "+3|" + in("+!touch x.js")},
		{"vi", "-c.js", -3, "+0|" + in("-c.js")},
		{"emacs -nw", "a:1.go", 3, "+3|" + in("a:1.go")},
		{"nano", in("a.go"), 3, "+3|" + in("a.go")},
	} {
		t.Setenv("VISUAL", tc.editor)
		words, err := AtLine(tc.path, tc.line)
		if got := strings.Join(argument.Words(words...), "|"); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.editor, got, err, tc.want)
		}
	}
	if words, err := AtLine("", 3); err == nil {
		t.Errorf("an empty path: %q", argument.Words(words...))
	}
}

// The shell that runs a command has commands of its own, and options: neither is meant.
func TestShellCommand_RunsTheProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is run without a shell")
	}
	dir := t.TempDir()
	for _, name := range []string{"eval", "-x", "exec"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"program $*\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := ShellCommand("shown", file(t, path), []string{"echo no"}, os.Environ(), dir).Output()
		if want := "$ shown\nprogram echo no\n"; !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}
