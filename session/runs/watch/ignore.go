package watch

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/system"

	"github.com/bmatcuk/doublestar/v4"
)

const ignoreFile = ".gitignore"

// never holds the names of directories that never contain sources.
var never = map[string]bool{"node_modules": true, "__pycache__": true}

// ignore maps a directory to the .gitignore patterns that apply to its entries.
type ignore map[string][]pattern

// A pattern is a line of a .gitignore file.
type pattern struct {
	dir     string // directory of the .gitignore file
	glob    string // slash-separated, relative to dir
	include bool   // starts with "!"
	dirOnly bool   // ends with "/"
}

// literalBraces escapes braces, which are special in globs but not in .gitignore.
var literalBraces = strings.NewReplacer("{", `\{`, "}", `\}`)

func parsePattern(dir, line string) pattern {
	p := pattern{dir: dir}
	line, p.include = strings.CutPrefix(line, "!")
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " ")
	}
	line, p.dirOnly = strings.CutSuffix(line, "/")
	if strings.Contains(line, "/") {
		line = strings.TrimPrefix(line, "/")
	} else {
		line = "**/" + line // matches at any depth
	}
	p.glob = literalBraces.Replace(line)
	return p
}

// matches reports whether the pattern matches the path or one of its parent directories.
func (p pattern) matches(path string, isDir bool) bool {
	below, err := filepath.Rel(p.dir, path)
	if err != nil {
		return false
	}
	for ; below != "."; below, isDir = filepath.Dir(below), true {
		if ok, _ := doublestar.Match(p.glob, filepath.ToSlash(below)); ok && (isDir || !p.dirOnly) {
			return true
		}
	}
	return false
}

// addAncestors reads the .gitignore files of the parent directories up to the root of the Git repository.
// Outside a repository it reads none.
func (g ignore) addAncestors(dir string) {
	top := dir
	for {
		if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(top)
		if parent == top {
			return
		}
		top = parent
	}
	for at := filepath.Dir(dir); len(at) >= len(top); at = filepath.Dir(at) {
		g.read(at)
	}
	g.readFile(filepath.Dir(top), top, filepath.Join(top, ".git", "info", "exclude"))
}

// read loads or reloads the .gitignore of a directory.
func (g ignore) read(dir string) {
	delete(g, dir)
	g.readFile(dir, dir, filepath.Join(dir, ignoreFile))
}

// maxIgnoreFile bounds a file with patterns, in bytes. A larger one is ignored.
const maxIgnoreFile = 1 << 20

// readFile parses the named file and adds its patterns, which are relative to dir, to the patterns of the
// directory of.
func (g ignore) readFile(of, dir, name string) {
	text, err := system.ReadText(name, maxIgnoreFile)
	if err != nil {
		return // most directories have no .gitignore
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			g[of] = append(g[of], parsePattern(dir, line))
		}
	}
}

// isOwn reports whether a path is in the directory of mcptea, which may be below a watched one such as the home
// directory.
func isOwn(path string) bool {
	state, err := system.StateDir()
	return err == nil && (path == state || strings.HasPrefix(path, state+string(filepath.Separator)))
}

// match reports whether the path is ignored. The caller has checked its parent directory.
func (g ignore) match(path string, isDir bool) bool {
	name := filepath.Base(path)
	switch {
	case strings.HasPrefix(name, "."), isDir && never[name]:
		return true
	case isTemporary(name):
		return true
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, p := range slices.Backward(g[dir]) {
			if p.matches(path, isDir) {
				return !p.include // the last matching pattern of the nearest directory wins
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
