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

// The files of mcptea are not sources below a directory of others. Its own directories are watched for the
// sockets of taps.
func TestWatcher_DirectoryOfMcptea(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "state", "mcptea")
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("LOCALAPPDATA", filepath.Join(home, "state"))
	for root, files := range map[string]map[string]bool{
		home:                       {filepath.Join(state, "recent.jsonl"): true, state: true, filepath.Join(home, "state", "server.py"): false, filepath.Join(home, "state", "mcptea-x.py"): false},
		filepath.Join(state, "on"): {filepath.Join(state, "on", "1.sock"): false},
	} {
		w := &Watcher{ignore: ignore{}, roots: map[string]bool{root: true}}
		for path, want := range files {
			if got := w.leavesOut(path, path == state); got != want {
				t.Errorf("watching %s, %s is left out: %t", root, path, got)
			}
		}
	}
}
