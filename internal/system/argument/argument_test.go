package argument_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/system/argument"
)

// Whatever a path is, the word is not an option, and names the same file.
func TestArgument_FileIsNoOption(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"a.js", "-c.js", "--cmd=!x", "+!touch x.js", "+3", "-", "+", " -c", "a b", "é.py", "./-c", "sub/../-c", "|x", "$(x)"} {
		a, err := argument.File(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		word := argument.Words(a)[0]
		if !filepath.IsAbs(word) || strings.ContainsAny(word[:1], "+-") || word != filepath.Join(dir, name) {
			t.Errorf("%q is given as %q", name, word)
		}
	}
	for _, name := range []string{"", "a\x00b"} {
		if a, err := argument.File(name); err == nil {
			t.Errorf("%q is given as %q", name, argument.Words(a)[0])
		}
	}
	inRoot := string(filepath.Separator)
	if a, err := argument.File(inRoot); err != nil || !filepath.IsAbs(argument.Words(a)[0]) {
		t.Errorf("%v, %v", a, err)
	}
}

// A colon in a path would make another path of it, and another line.
func TestArgument_FileAt(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"a.js": "a.js:3", "-c": "-c:3", "a:7": "a:7", "a.js:7:1": "a.js:7:1"} {
		a, err := argument.FileAt(filepath.Join(dir, name), 3)
		if err != nil || argument.Words(a)[0] != filepath.Join(dir, want) {
			t.Errorf("%q is given as %q, %v", name, argument.Words(a)[0], err)
		}
	}
	if a, err := argument.FileAt("", 3); err == nil {
		t.Errorf("an empty path is given as %q", argument.Words(a)[0])
	}
}

func TestArgument_Command(t *testing.T) {
	name := filepath.Join(t.TempDir(), "-o")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := argument.File(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := argument.Command(t.Context(), "editor", argument.Own("--wait"), argument.Numbered("+", 7), argument.Numbered("+", -7), file)
	if got := strings.Join(cmd.Args, "|"); got != "editor|--wait|+7|+0|"+name {
		t.Errorf("%s", got)
	}
}
