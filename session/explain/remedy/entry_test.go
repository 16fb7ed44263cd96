package remedy_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcptea/client"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

func TestUnsaved_NamesWhatTheFileHas(t *testing.T) {
	const key = "sk-0123456789abcdef"
	t.Setenv("PORT", "3000")
	stdio := client.Target{Argv: []string{"pyhton3", "server.py", "--token", key}, Env: []string{"PATH=/bin"}}
	web := client.Target{URL: "http://localhost:3000/mcp"}
	for _, tt := range []struct {
		name, pointer, entry string
		given                client.Target
		flag, value          string // changed in the run, or empty if line is
		line, want           string
	}{
		{name: "a word of the command", entry: `{"command": "pyhton3", "args": ["server.py", "--token", "` + key + `"]}`, given: stdio, line: "python3 server.py --token " + key, want: `mcp.json:2 still has "pyhton3"`},
		{name: "it was mended in the file", entry: `{"command": "python3", "args": ["server.py", "--token", "` + key + `"]}`, given: stdio, line: "python3 server.py --token " + key},
		{name: "an argument that is missing", entry: `{"command": "pyhton3", "args": ["server.py", "--token", "` + key + `"]}`, given: stdio, line: "pyhton3 -u server.py --token " + key, want: `mcp.json:2 does not have "-u"`},
		{name: "a secret", entry: `{"command": "pyhton3", "args": ["server.py", "--token", "` + key + `"]}`, given: stdio, line: "pyhton3 server.py --token sk-new-0123456789", want: `mcp.json:2 still has "••••"`},
		{name: "a reference", entry: `{"url": "http://localhost:${PORT}/mcp"}`, given: web, line: "http://localhost:3001/mcp", want: `mcp.json:2 still leads to "http://localhost:3000/mcp"`},
		{name: "a URL", entry: `{"url": "http://localhost:3000/mcp"}`, given: web, line: "http://localhost:3000/sse", want: `mcp.json:2 still has "http://localhost:3000/mcp"`},
		{name: "a variable", entry: `{"command": "pyhton3"}`, given: client.Target{Argv: []string{"pyhton3"}}, flag: "env", value: "API_KEY=" + key, want: "mcp.json:2 does not set API_KEY"},
		{name: "another value", entry: `{"command": "pyhton3", "env": {"API_KEY": "old"}}`, given: client.Target{Argv: []string{"pyhton3"}}, flag: "env", value: "API_KEY=" + key, want: "mcp.json:2 still has another value of API_KEY"},
		{name: "the same value", entry: `{"command": "pyhton3", "env": {"API_KEY": "` + key + `"}}`, given: client.Target{Argv: []string{"pyhton3"}}, flag: "env", value: "API_KEY=" + key},
		{name: "a header", entry: `{"url": "http://localhost:3000/mcp"}`, given: web, flag: "header", value: "x-key: " + key, want: "mcp.json:2 does not set X-Key"},
		{name: "another entry", pointer: "/mcpServers/other", entry: `{"command": "pyhton3"}`, given: stdio, line: "python3 server.py"},
		{name: "a timeout", entry: `{"command": "pyhton3"}`, given: stdio, flag: "timeout", value: "5s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "mcp.json")
			if err := os.WriteFile(file, []byte("{\"mcpServers\": {\n\"notes\": "+tt.entry+"}}"), 0o600); err != nil {
				t.Fatal(err)
			}
			pointer := "/mcpServers/notes"
			if tt.pointer != "" {
				pointer = tt.pointer
			}
			given := session.Link{Target: tt.given}
			given.Target.Entry = &client.Entry{File: file, Line: 2, Pointer: pointer}
			run := remedy.NewRun(given, nil)
			var err error
			if tt.flag != "" {
				run, err = run.With(tt.flag, tt.value)
			} else {
				run, err = run.Parse(tt.line)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want != "" {
				want = "~/" + want
			}
			if got := run.Unsaved(given, dir); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestUnsaved_FileIsGone(t *testing.T) {
	given := session.Link{Target: client.Target{Argv: []string{"pyhton3"}, Entry: &client.Entry{File: filepath.Join(t.TempDir(), "mcp.json"), Pointer: "/mcpServers/notes"}}}
	run, err := remedy.NewRun(given, nil).Parse("python3")
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Unsaved(given, ""); got != "" {
		t.Errorf("got %q", got)
	}
}
