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
	"time"

	"mcptea/internal/system"

	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/session/record"
)

const (
	// callGrace is how long after the outcome of a call its changes of files may be reported.
	callGrace = 300 * time.Millisecond
	// callNow is how far the time that LastCall gives of a call that runs may lie behind.
	callNow = time.Millisecond
	// maxData bounds the files that are remembered as data of the server. A further one is judged by the time
	// of each of its changes.
	maxData = 1000
	// maxTold is how many sentences name files that were taken for data.
	maxTold = 10
)

// Sources decides which of the files that change are sources of the server, so that the server is restarted
// for them. In this order:
//
//   - A file that the user has named is a source, and the program of the server.
//   - Files that programs write and users do not edit are none: logs, databases, locks, temporary files, and
//     what mcptea itself writes. See isWritten.
//   - A file of a programming language is a source, whenever it changes. See languages.
//   - Any other file that changes only during calls the server has most likely written: it is data of the server,
//     for as long as the Sources are used. The user is told once. A change may be reported up to callGrace after
//     the call; it is one of the call if the file says that it was written before the end of that.
//   - All the others are sources.
//
// Its methods may be called from any goroutine.
type Sources struct {
	// LastCall is when a call ran last: now while one runs, and zero before the first; nil for never.
	LastCall func() time.Time
	// Note tells the user what is left out; nil if the user is not told.
	Note func(text string)
	// Program is the absolute path of the program of the server, which is a source; empty without one.
	Program string
	// Before is what precedes --watch=PATH, so that the other files are watched too; empty if they are.
	Before string

	modified func(path string) time.Time // when a file was written; zero without it; nil asks the system

	mu    sync.Mutex
	named map[string]bool // absolute paths
	data  map[string]bool // at most maxData
	told  int
	last  string // the newest sentence
	// building is that a build runs, and built when the newest one has ended: what it writes is not of the server.
	building bool
	built    time.Time
}

// nature is what a file is, by the time of one change.
type nature uint8

const (
	source    nature = iota
	written          // by a program, and no source
	suspected        // to be written by the server, if nothing else changes it in the same burst
)

// languages are the extensions of programming languages and of their projects. Data has none of them, and
// so JSON, YAML and text are not among them.
var languages = func() map[string]bool {
	all := map[string]bool{}
	const list = "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte go rs java kt kts scala groovy clj cljs rb php cs fs fsx vb swift m mm " +
		"c cc cpp cxx h hh hpp hxx zig nim d dart ex exs erl hs ml mli lua pl pm r jl cr v sh bash zsh fish ps1 wasm proto toml mod sum gradle csproj fsproj"
	for ext := range strings.FieldsSeq(list) {
		all["."+ext] = true
	}
	return all
}()

// suffixes are the ends of the names of files that programs write.
var suffixes = []string{
	".log", ".db", ".db3", ".sqlite", ".sqlite3", "-wal", "-shm", "-journal",
	".tmp", ".temp", ".lock", ".lck", ".pid", ".sock", ".pyc", ".pyo",
}

// isTemporary reports the name of a temporary file of an editor, or of a file that mcptea writes for the user:
// pins and recordings.
func isTemporary(name string) bool {
	switch {
	case strings.HasSuffix(name, "~"), strings.HasSuffix(name, ".swp"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true // of Emacs and Vim
	case name == "4913": // Vim writes and removes it to learn whether the directory is writable
		return true
	}
	return name == "mcptea.txtar" || strings.HasSuffix(name, ".mcptea.txtar") || strings.HasSuffix(name, ".mcptea.jsonl")
}

// isWritten reports the name of a file that a program writes, and no user edits.
func isWritten(name string) bool {
	if isTemporary(name) || strings.Contains(name, ".log.") { // of a log that is rotated
		return true
	}
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// isRecording reports whether a file is a recording of mcptea under another name than it gives.
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

// Open starts to watch files and directories as [Open] does. What is not a source is not reported.
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

// at says what a file is that changes now.
func (s *Sources) at(path string) nature {
	if s == nil {
		return source
	}
	name := strings.ToLower(filepath.Base(path))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.named[path], path == s.Program:
		return source
	case s.data[path], isWritten(name):
		return written
	case languages[filepath.Ext(name)], s.LastCall == nil, s.building, time.Since(s.built) < temporaryGrace:
		return source
	}
	if !s.isOfCall(path) {
		return source
	}
	return suspected
}

// isOfCall reports whether a change that comes now was made during a call.
func (s *Sources) isOfCall(path string) bool {
	last := s.LastCall()
	switch since := time.Since(last); {
	case last.IsZero(), since >= callGrace:
		return false
	case since < callNow:
		return true
	}
	modified := s.modified
	if modified == nil {
		modified = modificationTime
	}
	at := modified(path)
	return !at.IsZero() && !at.After(last)
}

// modificationTime is when a file was written; zero without it.
func modificationTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// end is the end of a burst: it returns the sources among the paths that changed, in their order. The suspected
// ones are data of the server from now on, but for those that are among the paths too: another change made
// these.
func (s *Sources) end(changed []string, suspects map[string]bool) []string {
	if s == nil {
		return changed
	}
	changed, said := s.judged(changed, suspects)
	if said != "" && s.Note != nil {
		s.Note(said)
	}
	return changed
}

// judged is end, and returns what the user has to know.
func (s *Sources) judged(changed []string, suspects map[string]bool) (sources []string, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = slices.DeleteFunc(changed, func(path string) bool {
		if s.named[path] || !isRecording(path) {
			delete(suspects, path)
			return false
		}
		s.leaveOut(path)
		return true
	})
	var found []string
	for _, path := range slices.Sorted(maps.Keys(suspects)) {
		if s.leaveOut(path) && !isRecording(path) {
			found = append(found, path)
		}
	}
	return changed, s.tell(found)
}

// leaveOut takes a file for data, and reports whether it was not taken for that before. The caller holds the lock.
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

// tell says which files are taken for data; empty if there are none, or enough was said. The caller holds the lock.
func (s *Sources) tell(paths []string) string {
	if len(paths) == 0 || s.told == maxTold {
		return ""
	}
	s.told++
	what, flag, one := filepath.Base(paths[0]), "--watch="+flagPath(paths[0]), "it"
	if len(paths) > 1 {
		what, flag, one = phrase.Count(len(paths), "file")+", such as "+what+",", "--watch=FILE", "one of them"
	}
	s.last = what + " changed during a call: taken for data of the server, not restarted. Add " + s.Before + flag + " to restart for " + one + "."
	if s.told == maxTold {
		s.last += " Further files are not named."
	}
	return s.last
}

// build says that a build begins or has ended.
func (s *Sources) build(runs bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.building = runs; !runs {
		s.built = time.Now()
	}
}

// Said is the newest sentence about a file that is left out; empty before the first.
func (s *Sources) Said() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// flagPath is a path as the value of a flag: from the working directory if it is below that.
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
