package facts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/session/explain/facts"
)

// write makes a file with its directories.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPackagesIn(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "node_modules/@tea/server/package.json"), `{"name":"@tea/server","version":"1.2.3"}`)
	write(t, filepath.Join(dir, "node_modules/zod/package.json"), `{"version":"4.1.0"}`)
	write(t, filepath.Join(dir, "lib/python3.12/site-packages/mcp-2.1.0.dist-info/METADATA"), "")
	for _, tt := range []struct{ name, lines, named, crashed, runtime string }{
		{"a stack of Node.js", "DIR/node_modules/@tea/server/dist/a.mjs:3\nTypeError: Cannot read properties of undefined (reading 'prototype')\n    at 1045 (file://DIR/node_modules/@tea/server/dist/a.mjs:3:57406)\n    at h (file://DIR/app/a.mjs:3:8)\n\nNode.js v26.8.2", "", "@tea/server 1.2.3", "Node.js 26.8.2"},
		{"frames of Node.js itself", "Error: no tea\n    at open (node:fs:12:3)\n    at DIR/app/index.js:1:1\n    at DIR/node_modules/zod/index.js:1:1", "", "", ""},
		{"packages of an error", "Error [ERR_X]: 'DIR/node_modules/zod/v3' imported from DIR/node_modules/gone/index.js", "zod 4.1.0, gone", "", ""},
		{"pnpm", "Error: DIR/node_modules/.pnpm/zod@3/node_modules/zod/v3 is missing", "zod", "", ""},
		{"a traceback", "Traceback (most recent call last):\n  File \"DIR/app/a.py\", line 3, in <module>\n  File \"DIR/lib/python3.12/site-packages/mcp/server/x.py\", line 9, in f\nAttributeError: no tea", "", "mcp 2.1.0", ""},
		{"a traceback of the server", "  File \"DIR/lib/python3.12/site-packages/mcp/server/x.py\", line 9, in f\n  File \"DIR/app/a.py\", line 3, in <module>\nKeyError: 'tea'", "", "", ""},
		{"a module of Go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\ngithub.com/tea/mcp/server.(*S).Add(0x0)\n\tDIR/go/pkg/mod/github.com/tea/mcp@v0.20.0/server/s.go:312 +0x1d\nmain.main()\n\t/srv/main.go:14", "", "github.com/tea/mcp 0.20.0", ""},
		{"a gem", "DIR/gems/3.3.0/gems/mcp-0.3.0/lib/mcp/server.rb:41:in `initialize': unknown keyword: :x (ArgumentError)\n\tfrom /srv/server.rb:7:in `new'", "", "mcp 0.3.0", ""},
		{"no package", "Error: no tea", "", "", ""},
	} {
		p := facts.PackagesIn(strings.Split(strings.ReplaceAll(tt.lines, "DIR", filepath.ToSlash(dir)), "\n"), true)
		var named []string
		for _, n := range p.Named {
			named = append(named, n.String())
		}
		if got := strings.Join(named, ", "); got != tt.named || p.Crashed.String() != tt.crashed || p.Runtime != tt.runtime {
			t.Errorf("%s: %q %q %q, want %q %q %q", tt.name, got, p.Crashed, p.Runtime, tt.named, tt.crashed, tt.runtime)
		}
	}
}

// A path that a recording names is not read: it is a path of another machine.
func TestPackagesIn_OfRecording(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "node_modules/zod/package.json"), `{"version":"4.1.0"}`)
	p := facts.PackagesIn([]string{"Error: " + filepath.ToSlash(dir) + "/node_modules/zod/v3 is missing"}, false)
	if len(p.Named) != 1 || p.Named[0].String() != "zod" {
		t.Errorf("%v", p.Named)
	}
}
