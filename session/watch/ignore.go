package watch

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

const ignoreFile = ".gitignore"

// never are the names of directories that no server is edited in.
var never = map[string]bool{"node_modules": true, "__pycache__": true}

// ignore decides which paths do not count.
type ignore struct {
	rules   map[string][]gitignore.Pattern // by the directory of their file
	matcher map[string]gitignore.Matcher   // by directory: of its file and those above
}

func newIgnore() *ignore {
	return &ignore{rules: make(map[string][]gitignore.Pattern), matcher: make(map[string]gitignore.Matcher)}
}

// addAncestors reads the files of the directories above one, up to the root of its Git
// repository; without a repository there are none.
func (g *ignore) addAncestors(dir string) {
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

// read reads the .gitignore of a directory, again when it has changed.
func (g *ignore) read(dir string) {
	delete(g.rules, dir)
	g.readFile(dir, dir, filepath.Join(dir, ignoreFile))
}

// readFile adds the patterns of a file, which are about the paths below dir, to those
// of a directory.
func (g *ignore) readFile(of, dir, name string) {
	clear(g.matcher)
	f, err := os.Open(name)
	if err != nil {
		return // most directories have none
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			g.rules[of] = append(g.rules[of], gitignore.ParsePattern(line, split(dir)))
		}
	}
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

// match reports whether a path does not count. That its directory counts is known.
func (g *ignore) match(path string, isDir bool) bool {
	name := filepath.Base(path)
	switch {
	case strings.HasPrefix(name, "."), isDir && never[name]:
		return true
	case strings.HasSuffix(name, "~"), strings.HasSuffix(name, ".swp"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true // of Emacs and Vim
	case name == "4913": // Vim writes and removes it to learn whether the directory is writable
		return true
	}
	return g.of(filepath.Dir(path)).Match(split(path), isDir)
}

// of is the matcher for the entries of a directory.
func (g *ignore) of(dir string) gitignore.Matcher {
	if m := g.matcher[dir]; m != nil {
		return m
	}
	var chain []string
	for at := dir; ; at = filepath.Dir(at) {
		chain = append(chain, at)
		if at == filepath.Dir(at) {
			break
		}
	}
	var patterns []gitignore.Pattern // those of the nearest directory last: they win
	for i := len(chain) - 1; i >= 0; i-- {
		patterns = append(patterns, g.rules[chain[i]]...)
	}
	m := gitignore.NewMatcher(patterns)
	g.matcher[dir] = m
	return m
}
