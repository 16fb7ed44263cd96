package sourcefile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/system"

	"github.com/pelletier/go-toml/v2"
)

// manifests are the files that describe a project.
var manifests = []string{"package.json", "pyproject.toml", "go.mod", "Cargo.toml"}

// maxManifest is the size of the largest manifest that is read, in bytes.
const maxManifest = 1 << 20

// project returns the command that runs the project in a directory.
func (f Finder) project(dir string) (Command, bool) {
	dir = operand(dir)
	for _, m := range []struct {
		name, what string
		run        func(f Finder, dir string) (argv []string, lacks string)
	}{
		{"package.json", "a Node.js project", Finder.node},
		{"pyproject.toml", "a Python project", Finder.pyproject},
		{"go.mod", "a Go module", Finder.module},
		{"Cargo.toml", "a Rust project", Finder.cargo},
	} {
		if !exists(filepath.Join(dir, m.name)) {
			continue
		}
		if _, _, err := system.ReadRegular(filepath.Join(dir, m.name), maxManifest); err != nil {
			return Command{What: m.what, Lacks: "Its " + m.name + " cannot be read: " + reason(err) + "."}, true
		}
		argv, lacks := m.run(f, dir)
		return Command{Argv: argv, What: m.what, Lacks: lacks}, true
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.csproj")); len(found) == 1 {
		return Command{Argv: dotnet(dir), What: "a .NET project"}, true
	}
	if holdsMain(dir) {
		return Command{Argv: f.goDir(dir), What: "a directory with a Go program"}, true
	}
	for _, name := range usual {
		path := filepath.Join(dir, name)
		if run, known := endings[filepath.Ext(name)]; known && isFile(path) {
			return Command{Argv: run.argv(f, operand(path)), What: "a directory with " + name}, true
		}
	}
	return Command{What: "a directory", Lacks: "It has no package.json, pyproject.toml, go.mod, Cargo.toml or .csproj file, and no file such as server.py or index.js."}, true
}

// usual are the names of the file that starts the server of a directory without a manifest.
var usual = []string{
	"server.py", "main.py", "app.py", "mcp_server.py", "server.js", "index.js", "server.mjs", "index.mjs", "server.ts", "index.ts", "server.rb", "server.php",
	"src/server.py", "src/main.py", "src/index.js", "src/index.ts",
}

func dotnet(dir string) []string { return []string{"dotnet", "run", "--project", dir} }

// reason returns the text of an error without the path, which the message already contains.
func reason(err error) string {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// read decodes a manifest. If it cannot be read, into stays empty.
func read(path string, decode func([]byte, any) error, into any) {
	if text, _, err := system.ReadRegular(path, maxManifest); err == nil {
		_ = decode(text, into)
	}
}

// A packageJSON holds the members of a package.json about its programs.
type packageJSON struct {
	Name, Main string
	Bin        json.RawMessage
	Scripts    map[string]string
}

// unbuilt reports that the first of some programs does not exist, and how to build it, or returns "".
func (p *packageJSON) unbuilt(dir string, programs []string) string {
	if len(programs) == 0 || within(dir, programs[0]) == "" {
		return ""
	}
	text := "package.json names " + within(dir, programs[0]) + ", which does not exist yet"
	if _, builds := p.Scripts["build"]; builds {
		text += "; npm run build makes it"
	}
	return text + "."
}

// BuiltBy returns the command that builds a missing file with the script of the project above it, or "".
func BuiltBy(file string) string {
	root := above(filepath.Dir(file), "package.json")
	if root == "" || isFile(file) {
		return ""
	}
	var pkg packageJSON
	read(filepath.Join(root, "package.json"), json.Unmarshal, &pkg)
	if _, builds := pkg.Scripts["build"]; !builds {
		return ""
	}
	return "npm run build"
}

// node returns the command for the program that a package.json names: bin, main, or the source of
// the built file.
func (f Finder) node(dir string) (argv []string, lacks string) {
	var pkg packageJSON
	read(filepath.Join(dir, "package.json"), json.Unmarshal, &pkg)
	var programs []string
	var one string
	var named map[string]string
	if json.Unmarshal(pkg.Bin, &one) == nil && one != "" {
		programs = append(programs, one)
	} else if json.Unmarshal(pkg.Bin, &named) == nil {
		if named := named[pkg.Name[strings.LastIndexByte(pkg.Name, '/')+1:]]; named != "" {
			programs = append(programs, named)
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			programs = append(programs, named[name])
		}
	}
	if pkg.Main != "" {
		programs = append(programs, pkg.Main)
	}
	for _, name := range append(slices.Clone(programs), "index.js", "server.js") {
		if path := within(dir, name); path != "" && isFile(path) {
			return f.script(path), ""
		}
	}
	for _, name := range []string{"src/index.ts", "src/server.ts", "src/main.ts", "index.ts", "server.ts", "src/index.js", "src/server.js"} {
		if path := within(dir, name); isFile(path) {
			return f.script(path), pkg.unbuilt(dir, programs)
		}
	}
	_, starts := pkg.Scripts["start"]
	_, builds := pkg.Scripts["build"]
	if lacks = pkg.unbuilt(dir, programs); lacks != "" && (builds || !starts) {
		return append(f.scripts(dir, "node"), within(dir, programs[0])), lacks
	}
	if starts {
		if dir == "." {
			return []string{"npm", "run", "--silent", "start"}, ""
		}
		return []string{"npm", "--prefix", dir, "run", "--silent", "start"}, ""
	}
	return nil, "Its package.json names no program: it has no bin, no main and no script start."
}

// script returns the command that runs a file of a Node.js project. A file without an extension is JavaScript.
func (f Finder) script(path string) []string {
	if run, known := endings[strings.ToLower(filepath.Ext(path))]; known {
		return run.argv(f, path)
	}
	return append(f.scripts(filepath.Dir(path), "node"), path)
}

// maxWord bounds a path, name or word from a file, in bytes.
const maxWord = 80

// isPlain reports whether a path or name from a manifest is simple enough to be proposed: users must understand
// a proposal at a glance.
func isPlain(text string) bool {
	return text != "" && len(text) <= maxWord && !strings.HasPrefix(text, "-") && isMadeOf(text, "_@./+-")
}

// isMadeOf reports whether a text has only letters and digits of ASCII, and some other characters.
func isMadeOf(text, others string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	})
}

// within returns a path of a project relative to the working directory; empty for one that leads
// out of the project, and for one that is not plain.
func within(dir, path string) string {
	if !isPlain(path) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return ""
	}
	return operand(filepath.Join(dir, filepath.FromSlash(path)))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// pyproject runs the script that a pyproject.toml names, or a file with a usual name.
func (f Finder) pyproject(dir string) (argv []string, lacks string) {
	var project struct {
		Project struct {
			Name    string
			Scripts map[string]string
		}
	}
	read(filepath.Join(dir, "pyproject.toml"), toml.Unmarshal, &project)
	scripts := slices.Sorted(maps.Keys(project.Project.Scripts))
	if slices.Contains(scripts, project.Project.Name) {
		scripts = []string{project.Project.Name}
	}
	scripts = slices.DeleteFunc(scripts, func(name string) bool { return !isPlain(name) })
	uv := []string{"uv", "run"}
	if dir != "." {
		uv = []string{"uv", "run", "--directory", dir}
	}
	if len(scripts) > 0 {
		if f.has("uv") {
			return append(uv, scripts[0]), ""
		}
		bin := filepath.Dir(f.interpreter(dir))
		if installed := filepath.Join(bin, scripts[0]); bin != "." && isFile(installed) {
			return []string{installed}, ""
		}
		return nil, "Its script " + scripts[0] + " is not installed: install the project in a virtual environment, or uv, which runs it."
	}
	for _, name := range []string{"server.py", "main.py", "app.py", "src/server.py", "src/main.py"} {
		path := within(dir, name)
		switch {
		case !isFile(path):
		case f.has("uv"):
			return append(uv, name), ""
		default:
			return []string{f.interpreter(dir), path}, ""
		}
	}
	return nil, "Its pyproject.toml names no script, and it has no server.py or main.py."
}

// goFile runs a file of Go, with the others of its package if that is in a module.
func (f Finder) goFile(file string) []string {
	if dir := filepath.Dir(file); above(dir, "go.mod") != "" {
		return f.goDir(dir)
	}
	return []string{"go", "run", file}
}

// goDir runs the program in a directory of a module. The go command reads the module of its working directory.
func (f Finder) goDir(dir string) []string {
	root := above(dir, "go.mod")
	rel, err := filepath.Rel(".", dir)
	switch {
	case root == above(".", "go.mod") && dir == ".":
		return []string{"go", "run", "."}
	case root == above(".", "go.mod") && err == nil && filepath.IsLocal(rel):
		return []string{"go", "run", "./" + filepath.ToSlash(rel)}
	}
	return []string{"go", "-C", dir, "run", "."}
}

// module returns the command of the program of a Go module: in its directory, or in one below cmd.
func (f Finder) module(dir string) (argv []string, lacks string) {
	if holdsMain(dir) {
		return f.goDir(dir), ""
	}
	found, _ := filepath.Glob(filepath.Join(dir, "cmd", "*"))
	found = slices.DeleteFunc(found, func(path string) bool { return !holdsMain(path) })
	if len(found) == 0 {
		return nil, "It has no package main in its directory and in cmd."
	}
	best := max(slices.IndexFunc(found, func(path string) bool {
		name := filepath.Base(path)
		return strings.Contains(name, "mcp") || strings.Contains(name, "server")
	}), 0)
	return f.goDir(found[best]), ""
}

// holdsMain reports whether a directory has the package main.
func holdsMain(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.ContainsFunc(files, func(path string) bool {
		return !strings.HasSuffix(path, "_test.go") && slices.ContainsFunc(strings.Split(head(path), "\n"), func(line string) bool {
			words := strings.Fields(line)
			return len(words) > 1 && words[0] == "package" && words[1] == "main"
		})
	})
}

func (f Finder) cargo(dir string) (argv []string, lacks string) {
	if dir == "." {
		return []string{"cargo", "run", "--quiet"}, ""
	}
	return []string{"cargo", "run", "--quiet", "--manifest-path", filepath.Join(dir, "Cargo.toml")}, ""
}
