package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcptea/session/record/stderr"
)

func TestSource(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"server.js", "node_modules/sdk/index.js"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name  string
		lines []string
		file  string
		line  int
	}{
		{"a syntax error", []string{filepath.Join(dir, "server.js") + ":17", "const = 1;", "SyntaxError: Unexpected token"}, filepath.Join(dir, "server.js"), 17},
		{"a relative path", []string{"    at f (server.js:3:1)"}, filepath.Join(dir, "server.js"), 3},
		{"a library", []string{"    at g (" + filepath.Join(dir, "node_modules", "sdk", "index.js") + ":1:1)", "    at f (server.js:4:1)"}, filepath.Join(dir, "server.js"), 4},
		{"a file that does not exist", []string{"    at f (gone.js:3:1)"}, "", 0},
		{"no place", []string{"listening"}, "", 0},
	} {
		if file, line := stderr.Source(tc.lines, dir); file != tc.file || line != tc.line {
			t.Errorf("%s: %s:%d, want %s:%d", tc.name, file, line, tc.file, tc.line)
		}
	}
}
