package sourcefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/system/sourcefile"
)

// tree writes files, given as NAME: TEXT, in a directory that becomes the working directory.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestSourceFile_Command(t *testing.T) {
	for _, c := range []struct {
		name, word string
		files      map[string]string
		programs   string // on PATH
		goos       string // empty for linux
		argv       string // joined with spaces; empty for none
		lacks      string // a part of it
	}{
		{name: "JavaScript", word: "dist/index.js", files: map[string]string{"dist/index.js": ""}, argv: "node dist/index.js"},
		{name: "with dot", word: "./index.mjs", files: map[string]string{"index.mjs": ""}, argv: "node index.mjs"},
		{name: "upper case", word: "INDEX.JS", files: map[string]string{"INDEX.JS": ""}, argv: "node INDEX.JS"},
		{name: "TypeScript", word: "server.ts", files: map[string]string{"server.ts": ""}, argv: "npx tsx server.ts"},
		{name: "bun", word: "src/server.ts", files: map[string]string{"src/server.ts": "", "bun.lock": ""}, programs: "bun", argv: "bun src/server.ts"},
		{name: "bun is not there", word: "server.ts", files: map[string]string{"server.ts": "", "bun.lock": ""}, argv: "npx tsx server.ts"},
		{name: "deno", word: "server.ts", files: map[string]string{"server.ts": "", "deno.json": ""}, programs: "deno", argv: "deno run -A server.ts"},
		{name: "Python", word: "./server.py", files: map[string]string{"server.py": ""}, programs: "uv python3", argv: "python3 server.py"},
		{name: "Python without python3", word: "server.py", files: map[string]string{"server.py": ""}, programs: "python", argv: "python server.py"},
		{name: "Python on Windows", word: "server.py", files: map[string]string{"server.py": ""}, programs: "py python3", goos: "windows", argv: "py server.py"},
		{name: "project of Python", word: "server.py", files: map[string]string{"server.py": "", "pyproject.toml": ""}, programs: "uv python3", argv: "uv run server.py"},
		{name: "project without uv", word: "server.py", files: map[string]string{"server.py": "", "pyproject.toml": ""}, programs: "python3", argv: "python3 server.py"},
		{name: "inline metadata", word: "server.py", files: map[string]string{"server.py": "# /// script\n# dependencies = [\"mcp\"]\n# ///\n"}, programs: "uv", argv: "uv run server.py"},
		{name: "virtual environment", word: "src/server.py", files: map[string]string{"src/server.py": "", ".venv/bin/python": ""}, argv: ".venv/bin/python src/server.py"},
		{name: "environment of another repository", word: "in/server.py", files: map[string]string{"in/server.py": "", "in/.git/HEAD": "", ".venv/bin/python": ""}, programs: "python3", argv: "python3 in/server.py"},
		{name: "Go file of a module", word: "main.go", files: map[string]string{"main.go": "package main\n", "go.mod": "module x\n"}, argv: "go run ."},
		{name: "Go file below", word: "cmd/server/main.go", files: map[string]string{"cmd/server/main.go": "package main\n", "go.mod": "module x\n"}, argv: "go run ./cmd/server"},
		{name: "Go file alone", word: "main.go", files: map[string]string{"main.go": "package main\n", ".git/HEAD": ""}, argv: "go run main.go"},
		{name: "Go file of another module", word: "sub/main.go", files: map[string]string{"sub/main.go": "package main\n", "sub/go.mod": "module y\n", ".git/HEAD": ""}, argv: "go -C sub run ."},
		{name: "directory without a manifest", word: "proj", files: map[string]string{"proj/server.py": ""}, programs: "python3", argv: "python3 proj/server.py"},
		{name: "this directory without a manifest", word: ".", files: map[string]string{"index.js": "", "main.py": ""}, programs: "python3", argv: "python3 main.py"},
		{name: "directory with other files", word: "proj", files: map[string]string{"proj/notes.txt": "", "proj/tool.py": ""}, lacks: "and no file such as server.py"},
		{name: "script start before a main that nothing builds", word: "proj", files: map[string]string{"proj/package.json": `{"main":"index.js","scripts":{"start":"python3 server.py"}}`}, argv: "npm --prefix proj run --silent start"},
		{name: "Ruby", word: "s.rb", files: map[string]string{"s.rb": ""}, argv: "ruby s.rb"},
		{name: "Java", word: "build/s.jar", files: map[string]string{"build/s.jar": ""}, argv: "java -jar build/s.jar"},
		{name: "shell", word: "run.sh", files: map[string]string{"run.sh": "exec node x\n"}, argv: "sh run.sh"},
		{name: "shell by its first line", word: "run.sh", files: map[string]string{"run.sh": "#!/bin/bash\n"}, argv: "/bin/bash run.sh"},
		{name: "first line", word: "bin/server", files: map[string]string{"bin/server": "#!/usr/bin/env node\n"}, argv: "node bin/server"},
		{name: "first line with options", word: "server", files: map[string]string{"server": "#!/usr/bin/env -S uv run --script\r\n"}, argv: "uv run --script server"},
		{name: "first line of a shell", word: "server", files: map[string]string{"server": "#!/bin/sh -c 'touch x'\n"}},
		{name: "first line with a variable", word: "server", files: map[string]string{"server": "#!/usr/bin/env NODE_OPTIONS=--require=x node\n"}},
		{name: "option as a name", word: "./-x.py", files: map[string]string{"-x.py": ""}, programs: "python3", argv: "python3 ./-x.py"},
		{name: "text", word: "notes.txt", files: map[string]string{"notes.txt": "hello"}},
		{name: "no file", word: "server.js"},
		{name: "bin", word: ".", files: map[string]string{"package.json": `{"bin":"./dist/cli.js","main":"dist/lib.js"}`, "dist/cli.js": "", "dist/lib.js": ""}, argv: "node dist/cli.js"},
		{name: "bin by the name of the package", word: ".", files: map[string]string{"package.json": `{"name":"@me/tea","bin":{"a":"a.js","tea":"tea.js"}}`, "a.js": "", "tea.js": ""}, argv: "node tea.js"},
		{name: "bin without an ending", word: "sub/", files: map[string]string{"sub/package.json": `{"bin":{"a":"bin/a"}}`, "sub/bin/a": "#!/usr/bin/env node\n"}, argv: "node sub/bin/a"},
		{name: "main", word: "package.json", files: map[string]string{"package.json": `{"main":"dist/index.js"}`, "dist/index.js": ""}, argv: "node dist/index.js"},
		{name: "not built", word: ".", files: map[string]string{"package.json": `{"main":"dist/index.js","scripts":{"build":"tsc"}}`}, argv: "node dist/index.js", lacks: "package.json names dist/index.js, which does not exist yet; npm run build makes it."},
		{name: "not built, with its source", word: ".", files: map[string]string{"package.json": `{"main":"dist/index.js"}`, "src/index.ts": ""}, argv: "npx tsx src/index.ts", lacks: "package.json names dist/index.js, which does not exist yet."},
		{name: "start", word: "sub", files: map[string]string{"sub/package.json": `{"scripts":{"start":"node x"}}`}, argv: "npm --prefix sub run --silent start"},
		{name: "no program", word: ".", files: map[string]string{"package.json": `{}`}, lacks: "no bin, no main and no script start"},
		{name: "broken manifest", word: ".", files: map[string]string{"package.json": `{`}, lacks: "names no program"},
		{name: "outside of the project", word: "sub", files: map[string]string{"sub/package.json": `{"main":"../evil.js"}`, "evil.js": ""}, lacks: "names no program"},
		{name: "option in a manifest", word: ".", files: map[string]string{"package.json": `{"main":"--require=x.js"}`}, lacks: "names no program"},
		{name: "command in a manifest", word: ".", files: map[string]string{"package.json": `{"main":"a.js; touch x"}`, "a.js; touch x": ""}, lacks: "names no program"},
		{name: "script of Python", word: ".", files: map[string]string{"pyproject.toml": "[project]\nname='tea'\n[project.scripts]\na='m:a'\ntea='m:main'\n"}, programs: "uv", argv: "uv run tea"},
		{name: "script of Python below", word: "sub", files: map[string]string{"sub/pyproject.toml": "[project.scripts]\na='m:a'\n"}, programs: "uv", argv: "uv run --directory sub a"},
		{name: "script of Python without uv", word: ".", files: map[string]string{"pyproject.toml": "[project.scripts]\na='m:a'\n"}, programs: "python3", lacks: "Its script a is not installed"},
		{name: "installed script of Python", word: ".", files: map[string]string{"pyproject.toml": "[project.scripts]\na='m:a'\n", ".venv/bin/python": "", ".venv/bin/a": ""}, argv: ".venv/bin/a"},
		{name: "option as a script", word: ".", files: map[string]string{"pyproject.toml": "[project.scripts]\n'--with=x'='m:a'\n"}, programs: "uv", lacks: "names no script"},
		{name: "file of Python", word: "pyproject.toml", files: map[string]string{"pyproject.toml": "", "main.py": ""}, programs: "uv", argv: "uv run main.py"},
		{name: "Go module", word: ".", files: map[string]string{"go.mod": "module x\n", "main.go": "// x\npackage main\n"}, argv: "go run ."},
		{name: "Go module with commands", word: ".", files: map[string]string{"go.mod": "module x\n", "cmd/a/main.go": "package main\n", "cmd/x-mcp/main.go": "package main\n"}, argv: "go run ./cmd/x-mcp"},
		{name: "Go library", word: ".", files: map[string]string{"go.mod": "module x\n", "x.go": "package x\n", "x_test.go": "package main\n"}, lacks: "no package main"},
		{name: "Rust", word: ".", files: map[string]string{"Cargo.toml": ""}, argv: "cargo run --quiet"},
		{name: "Rust below", word: "sub", files: map[string]string{"sub/Cargo.toml": ""}, argv: "cargo run --quiet --manifest-path sub/Cargo.toml"},
		{name: ".NET", word: ".", files: map[string]string{"x.csproj": ""}, argv: "dotnet run --project ."},
		{name: "no project", word: "sub", files: map[string]string{"sub/x.txt": ""}, lacks: "no package.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, c.files)
			goos := c.goos
			if goos == "" {
				goos = "linux"
			}
			f := sourcefile.Finder{GOOS: goos, Has: func(program string) bool { return slices.Contains(strings.Fields(c.programs), program) }}
			got, ok := f.Find(c.word)
			if argv := filepath.ToSlash(strings.Join(got.Argv, " ")); argv != c.argv {
				t.Errorf("%q is run by %q, not %q", c.word, argv, c.argv)
			}
			if ok != (c.argv != "" || c.lacks != "") || !strings.Contains(filepath.ToSlash(got.Lacks), c.lacks) || c.lacks == "" && got.Lacks != "" {
				t.Errorf("%q: found %v, lacks %q, want %q", c.word, ok, got.Lacks, c.lacks)
			}
			if ok && got.What == "" {
				t.Error("it does not say what it is")
			}
		})
	}
}
