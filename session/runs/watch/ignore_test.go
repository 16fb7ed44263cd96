package watch

import (
	"path/filepath"
	"testing"
)

func TestIgnore_Patterns(t *testing.T) {
	for _, c := range []struct {
		line, path string
		isDir      bool
		want       bool
	}{
		{"*.log", "/r/a.log", false, true},
		{"*.log", "/r/sub/a.log", false, true},
		{"/a.log", "/r/sub/a.log", false, false},
		{"dist/", "/r/sub/dist", true, true},
		{"dist/", "/r/sub/dist", false, false},
		{"dist/", "/r/dist/deep/x.js", false, true},
		{"doc/*.txt", "/r/doc/a.txt", false, true},
		{"doc/*.txt", "/r/sub/doc/a.txt", false, false},
		{"doc/*.txt", "/r/doc/sub/a.txt", false, false},
		{"a/**/b", "/r/a/b", false, true},
		{"a/**/b", "/r/a/x/y/b", false, true},
		{"**/b/c", "/r/x/b/c", false, true},
		{"a?.[ch]", "/r/ab.c", false, true},
		{"a?.[ch]", "/r/ab.d", false, false},
		{`\#x`, "/r/#x", false, true},
		{`\!x`, "/r/!x", false, true},
		{"x  ", "/r/x", false, true},
		{`x\ `, "/r/x ", false, true},
		{"{a,b}", "/r/a", false, false},
		{"{a,b}", "/r/{a,b}", false, true},
		{"[", "/r/[", false, false}, // invalid
	} {
		if got := parsePattern(filepath.FromSlash("/r"), c.line).matches(filepath.FromSlash(c.path), c.isDir); got != c.want {
			t.Errorf("%q matches %s: %t", c.line, c.path, got)
		}
	}
}

// What mcptea writes itself is no source, wherever it keeps it.
func TestIgnore_FilesOfMcptea(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "state", "mcptea")
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("LOCALAPPDATA", filepath.Join(home, "state"))
	for path, want := range map[string]bool{
		filepath.Join(state, "recent.jsonl"):        true,
		state:                                       true,
		filepath.Join(home, "run.mcptea.jsonl"):     true,
		filepath.Join(home, "state", "server.py"):   false,
		filepath.Join(home, "state", "mcptea-x.py"): false,
		filepath.Join(home, "data.jsonl"):           false,
	} {
		if got := (ignore{}).match(path, path == state); got != want {
			t.Errorf("%s is ignored: %t", path, got)
		}
	}
}
