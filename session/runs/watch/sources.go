package watch

import (
	"bufio"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

const (
	// maxData is the maximum number of files and patterns that are remembered as data of the server. Changes of
	// more files restart it.
	maxData = 1000
	// maxTold bounds the number of messages about data files.
	maxTold = 10
)

// Sources decides which of the files that change are sources of the server, so that the server is restarted
// for them. In this order:
//
//   - A file that the user has named is a source, and the program of the server.
//   - Files that programs write and users do not edit are none: logs, databases, locks, temporary files, and
//     what mcptea itself writes. See isWritten.
//   - A file of a programming language is a source, whenever it changes. See languages.
//   - Any other file that changes during calls of two servers in succession, and not otherwise in between, is data
//     that the server writes, for as long as the Sources are used. The user is told once. So the first of these
//     changes restarts the server, since a user may have made it.
//   - All the others are sources.
//
// Its methods may be called from any goroutine.
type Sources struct {
	// Calls returns how many calls run, and how many have ended; nil for a session without calls.
	Calls func() (running int, ended uint64)
	// Settled has an element after calls have ended; nil for a session without calls.
	Settled <-chan struct{}
	// Note reports to the user which files are left out. It may be nil.
	Note func(text string)
	// Program is the absolute path of the program of the server, which is a source, or empty.
	Program string
	// Before returns the words that must precede --watch=FILE on the command line to keep the other paths
	// watched, or "".
	Before string

	mu    sync.Mutex
	named map[string]bool // absolute paths
	data  map[string]bool // paths, and patterns for new files; at most maxData
	// called holds the files and patterns that have changed during calls of one server only; at most maxData.
	called map[string]evidence
	notes  int
	last   string // newest message
	server int    // number of restarts that have begun
	// building and restarting report what else may write files now.
	building, restarting bool
}

// evidence records that a file has changed during a call.
type evidence struct {
	server int    // server that made the call
	path   string // path of the file
}

// nature is the set of circumstances in which a file has changed.
type nature uint8

const (
	written nature = 0         // kind of a file that a program writes: not a source
	source  nature = 1 << iota // only the user is known to write the file
	called                     // a call ran, which may have written it
	unclear                    // a build or restart ran, and no call
)

// languages holds the file extensions of programming languages and their project files. Extensions that data
// files use too, such as .json and .yaml, are left out.
var languages = func() map[string]bool {
	all := map[string]bool{}
	const list = "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte go rs java kt kts scala groovy clj cljs rb php cs fs fsx vb swift m mm " +
		"c cc cpp cxx h hh hpp hxx zig nim d dart ex exs erl hs ml mli lua pl pm r jl cr v sh bash zsh fish ps1 wasm proto toml mod sum gradle csproj fsproj"
	for ext := range strings.FieldsSeq(list) {
		all["."+ext] = true
	}
	return all
}()

// isProgramText reports whether a path has the name of a source.
func isProgramText(path string) bool { return languages[strings.ToLower(filepath.Ext(path))] }

// suffixes holds the endings of files that programs write.
var suffixes = []string{
	".log", ".db", ".db3", ".sqlite", ".sqlite3", "-wal", "-shm", "-journal",
	".tmp", ".temp", ".lock", ".lck", ".pid", ".sock", ".pyc", ".pyo",
}

// isTemporary reports whether name is a temporary file of an editor, or a file that mcptea writes: pins or a
// recording.
func isTemporary(name string) bool {
	switch {
	case strings.HasSuffix(name, "~"), strings.HasSuffix(name, ".swp"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true // Emacs, Vim
	case name == "4913": // Vim creates and removes 4913 to test whether the directory is writable
		return true
	}
	return name == "mcptea.txtar" || strings.HasSuffix(name, ".mcptea.txtar") || strings.HasSuffix(name, ".mcptea.jsonl")
}

// isWritten reports whether programs rather than users write files of this name.
func isWritten(name string) bool {
	if isTemporary(name) || strings.Contains(name, ".log.") { // rotated log
		return true
	}
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// isRecording reports whether the file is an mcptea recording with a nonstandard name.
func isRecording(path string) bool {
	if filepath.Ext(path) != ".jsonl" {
		return false
	}
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReader(io.LimitReader(f, record.MaxHeader)).ReadBytes('\n')
	if err != nil {
		return false
	}
	_, err = record.ParseHeader(line)
	return err == nil
}

// Open is like the function [Open], but the Watcher reports only sources.
func (s *Sources) Open(paths ...string) (*Watcher, error) {
	named := map[string]bool{}
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			named[abs] = true
		}
	}
	s.mu.Lock()
	s.named = named
	s.mu.Unlock()
	return open(maxDirectories, s, paths...)
}

// at returns the nature of a change reported now, and the server that it may belong to. over is the number of
// calls whose changes have all been reported.
func (s *Sources) at(path string, over uint64) (n nature, server int) {
	if s == nil {
		return source, 0
	}
	name := strings.ToLower(filepath.Base(path))
	calls := s.runs(over)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.named[path], path == s.Program:
		return source, s.server
	case s.data[path], isWritten(name):
		return written, s.server
	case isProgramText(name):
		return source, s.server
	case s.building:
		return unclear, s.server
	case calls:
		return called, s.server
	case s.restarting:
		return unclear, s.server
	}
	return source, s.server
}

// isNamed reports whether the user has named a file.
func (s *Sources) isNamed(path string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.named[path]
}

// runs reports whether a call runs, or has ended whose changes may not be reported yet.
func (s *Sources) runs(over uint64) bool {
	if s.Calls == nil {
		return false
	}
	running, ended := s.Calls()
	return running > 0 || ended > over
}

// callsEnded returns how many calls that have ended.
func (s *Sources) callsEnded() uint64 {
	if s == nil || s.Calls == nil {
		return 0
	}
	_, ended := s.Calls()
	return ended
}

// end ends a burst: it removes changes that are not sources, and returns the others.
func (s *Sources) end(changes map[string]*change) []Change {
	if s != nil {
		if message := s.judge(changes); message != "" && s.Note != nil {
			s.Note(message)
		}
	}
	var kept []Change
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		kept = append(kept, changes[path].Change)
	}
	return kept
}

// judge removes the changes that are not sources, and returns a message for the user, or "".
func (s *Sources) judge(changes map[string]*change) (message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		c := changes[path]
		switch {
		case !s.named[path] && isRecording(path):
			s.leaveOut(path)
			delete(changes, path)
		case c.natures&source != 0:
			delete(s.called, path)
		case c.natures&called != 0 && c.Created && s.data[siblings(path)]:
			s.leaveOut(path)
			delete(changes, path)
		case c.natures&called != 0 && s.isData(c):
			if s.leaveOut(path) {
				found = append(found, path)
			}
			delete(changes, path)
		}
	}
	return s.tell(found)
}

// isData reports whether a change during a call is the second one, of a different server than the first: to the
// same file, or to a new file with the same extension in the same directory. The caller holds s.mu.
func (s *Sources) isData(c *change) bool {
	beside := siblings(c.Path)
	if before, ok := s.called[c.Path]; ok && before.server < c.server {
		delete(s.called, c.Path)
		return true
	}
	if before, ok := s.called[beside]; ok && c.Created && before.server < c.server && before.path != c.Path {
		delete(s.called, beside)
		s.leaveOut(beside)
		return true
	}
	s.suspect(c.Path, c)
	if c.Created {
		s.suspect(beside, c)
	}
	return false
}

// suspect remembers that a file has changed during a call. The caller holds the lock.
func (s *Sources) suspect(key string, c *change) {
	if _, ok := s.called[key]; ok || len(s.called) >= maxData {
		return
	}
	if s.called == nil {
		s.called = map[string]evidence{}
	}
	s.called[key] = evidence{server: c.server, path: c.Path}
}

// siblings returns a pattern of the files in the directory of a path that have its extension.
func siblings(path string) string {
	return filepath.Join(filepath.Dir(path), "*"+filepath.Ext(path))
}

// leaveOut marks the file as data and reports whether that is new. The caller holds s.mu.
func (s *Sources) leaveOut(path string) (isNew bool) {
	if s.data[path] || len(s.data) >= maxData {
		return false
	}
	if s.data == nil {
		s.data = map[string]bool{}
	}
	s.data[path] = true
	return true
}

// tell returns a message naming the data files, or "" if there are none or enough messages were sent. The
// caller holds s.mu.
func (s *Sources) tell(paths []string) string {
	if len(paths) == 0 || s.notes == maxTold {
		return ""
	}
	s.notes++
	what, flag, one := filepath.Base(paths[0]), "--watch="+flagPath(paths[0]), "it"
	if len(paths) > 1 {
		what, flag, one = phrase.Count(len(paths), "file")+", such as "+what+",", "--watch=FILE", "one of them"
	}
	s.last = what + " changed during calls of two servers: taken for data of the server, not restarted. Add " + s.Before + flag + " to restart for " + one + "."
	if beside := siblings(paths[0]); s.data[beside] {
		s.last += " New files " + filepath.Base(beside) + " there are data too if they appear during a call."
	}
	if s.notes == maxTold {
		s.last += " Later files are not named."
	}
	return s.last
}

// build records that a build begins or has ended.
func (s *Sources) build(runs bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.building = runs
}

// restart records that a restart begins or has ended.
func (s *Sources) restart(runs bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.restarting = runs; runs {
		s.server++
	}
}

// Said returns the newest sentence about a file that is left out, or empty before the first.
func (s *Sources) Said() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// flagPath returns a path as the value of a flag: from the working directory if it is below that.
func flagPath(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if below, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(below) {
			path = below
		}
	}
	quoted, err := shell.Bash.Join(shell.Literals(path))
	if err != nil {
		return "FILE"
	}
	return quoted
}
