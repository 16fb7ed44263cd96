// Package sourcefile finds the command that runs a file of source code, or the project in a
// directory, as a server over stdio. It reads files and starts nothing.
package sourcefile

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcptea/internal/system"
)

// Command runs a file or a project.
type Command struct {
	Argv []string // program and its arguments, or nil if unknown
	What string   // type of the file, as in "a Python file" or "a Node.js project"
	// Lacks is a sentence about what must be done before Argv can run, or why Argv is unknown, or "".
	Lacks string
}

// Finder finds commands. The zero value uses PATH and the platform of this program.
type Finder struct {
	Has  func(program string) bool // reports whether a program is on PATH; nil searches PATH
	GOOS string                    // "" for the operating system of this program
}

func (f Finder) has(program string) bool {
	if f.Has != nil {
		return f.Has(program)
	}
	_, err := exec.LookPath(program)
	return err == nil
}

// first returns the first of some programs that is on PATH, or the first of all.
func (f Finder) first(programs ...string) string {
	if i := slices.IndexFunc(programs, f.has); i >= 0 {
		return programs[i]
	}
	return programs[0]
}

// Find returns the command that runs the file or project that a word names, relative to the working directory:
// a file by its extension or its first line, a directory by its project, and the file of a project like its
// directory. It returns false if the word names neither. It does not find programs that can be started
// directly.
func (f Finder) Find(word string) (Command, bool) {
	if word == "" {
		return Command{}, false
	}
	info, err := os.Stat(word)
	switch {
	case err != nil:
		return Command{}, false
	case info.IsDir():
		return f.project(word)
	case !info.Mode().IsRegular():
		return Command{}, false
	}
	if IsManifest(word) {
		return f.project(filepath.Dir(word))
	}
	if run, known := endings[strings.ToLower(filepath.Ext(word))]; known {
		return Command{Argv: run.argv(f, operand(word)), What: run.what}, true
	}
	if argv := f.named(word); argv != nil {
		return Command{Argv: append(argv, operand(word)), What: "a script"}, true
	}
	return Command{}, false
}

// operand returns the shortest form of a path that no program mistakes for an option.
func operand(path string) string {
	path = filepath.Clean(path)
	if strings.HasPrefix(path, "-") {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// IsNamed reports whether a word has the extension of a file that Find recognizes, whether it exists or not.
func IsNamed(word string) bool {
	_, known := endings[strings.ToLower(filepath.Ext(word))]
	return known
}

// IsManifest reports whether a word names the file that describes a project.
func IsManifest(word string) bool { return slices.Contains(manifests, filepath.Base(word)) }

// A language describes how files with an extension are run.
type language struct {
	what string
	argv func(f Finder, file string) []string
}

var endings = map[string]language{
	".js": javaScript, ".mjs": javaScript, ".cjs": javaScript,
	".ts": typeScript, ".mts": typeScript, ".cts": typeScript, ".tsx": typeScript, ".jsx": typeScript,
	".py":     {"a Python file", Finder.python},
	".go":     {"a Go file", Finder.goFile},
	".rb":     {"a Ruby file", with("ruby")},
	".php":    {"a PHP file", with("php")},
	".pl":     {"a Perl file", with("perl")},
	".sh":     {"a shell script", Finder.shell},
	".bash":   {"a shell script", with("bash")},
	".ps1":    {"a PowerShell script", Finder.powerShell},
	".lua":    {"a Lua file", with("lua")},
	".exs":    {"an Elixir script", with("elixir")},
	".kts":    {"a Kotlin script", with("kotlin")},
	".jar":    {"a Java archive", with("java", "-jar")},
	".csproj": {"a .NET project", with("dotnet", "run", "--project")},
	".dll":    {"a .NET program", with("dotnet")},
	".wasm":   {"a WebAssembly module", with("wasmtime")},
}

// javaScript and typeScript are run by Bun or Deno in their projects.
var (
	javaScript = language{"a JavaScript file", func(f Finder, file string) []string { return append(f.scripts(filepath.Dir(file), "node"), file) }}
	typeScript = language{"a TypeScript file", func(f Finder, file string) []string {
		return append(f.scripts(filepath.Dir(file), "npx", "tsx"), file)
	}}
)

// with runs a file as the last argument of a program.
func with(argv ...string) func(Finder, string) []string {
	return func(_ Finder, file string) []string { return append(slices.Clone(argv), file) }
}

// scripts returns what runs the scripts of a project of JavaScript; otherwise is that without a lock file.
func (f Finder) scripts(dir string, otherwise ...string) []string {
	switch {
	case above(dir, "bun.lock", "bun.lockb") != "" && f.has("bun"):
		return []string{"bun"}
	case above(dir, "deno.json", "deno.jsonc", "deno.lock") != "" && f.has("deno"):
		return []string{"deno", "run", "-A"}
	}
	return slices.Clone(otherwise)
}

// python returns the command that runs a file: with uv if its project or its first comment requires it, with
// the environment next to it, or with the interpreter on PATH.
func (f Finder) python(file string) []string {
	dir := filepath.Dir(file)
	if f.has("uv") && (above(dir, "pyproject.toml", "uv.lock") != "" || strings.Contains("\n"+head(file), "\n# /// script")) {
		return []string{"uv", "run", file}
	}
	return []string{f.interpreter(dir), file}
}

// interpreter returns the interpreter of Python for a directory.
func (f Finder) interpreter(dir string) string {
	path := filepath.Join("bin", "python")
	if f.goos() == "windows" {
		path = filepath.Join("Scripts", "python.exe")
	}
	for _, name := range []string{".venv", "venv"} {
		if root := above(dir, filepath.Join(name, path)); root != "" {
			return local(filepath.Join(root, name, path))
		}
	}
	if f.goos() == "windows" {
		return f.first("python", "py", "python3")
	}
	return f.first("python3", "python")
}

func (f Finder) goos() string { return cmp.Or(f.GOOS, runtime.GOOS) }

func (f Finder) shell(file string) []string {
	if argv := f.named(file); argv != nil {
		return append(argv, file)
	}
	return []string{"sh", file}
}

func (f Finder) powerShell(file string) []string {
	return []string{f.first("pwsh", "powershell"), "-NoProfile", "-File", file}
}

// named returns the words of the first line of a script that names its interpreter, such as
//
// #!/usr/bin/env -S uv run --script, or nil.
func (f Finder) named(file string) []string {
	line, _, _ := strings.Cut(head(file), "\n")
	words, isScript := strings.CutPrefix(line, "#!")
	argv := strings.Fields(words)
	if !isScript || len(argv) == 0 || slices.ContainsFunc(argv, func(word string) bool { return len(word) > maxWord || !isMadeOf(word, "_@./:=+-") }) {
		return nil
	}
	if filepath.Base(argv[0]) == "env" {
		argv = argv[1:]
		if len(argv) > 0 && argv[0] == "-S" {
			argv = argv[1:]
		}
		if len(argv) == 0 || strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=") {
			return nil
		}
	}
	return argv
}

// maxHead bounds the part of a file that is read, in bytes.
const maxHead = 4 << 10

// head returns the beginning of a file; empty if it cannot be read.
func head(file string) string {
	return strings.ReplaceAll(string(system.ReadHead(file, maxHead)), "\r\n", "\n")
}

// maxAbove bounds how many directories above a file belong to its project.
const maxAbove = 6

// above returns the nearest directory that contains one of some files, starting at dir and going up, or "". It
// ends at the root of a repository.
func above(dir string, names ...string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for range maxAbove {
		for _, name := range names {
			if exists(filepath.Join(dir, name)) {
				return dir
			}
		}
		if exists(filepath.Join(dir, ".git")) || filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// local returns a path relative to the working directory if it is below that.
func local(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
