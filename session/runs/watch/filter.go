package watch

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// filter decides which changed paths are changes of the source. It is not safe for
// concurrent use.
type filter struct {
	sources    map[string]int  // how often a path changed, but by a build
	extensions map[string]bool // of sources
	outputs    map[string]bool // that a build writes
	tiresome   map[string]bool // data that changes after each start, and is left out
	afterStart map[string]int  // how often data changed soon after a start

	buildFrom, buildTo time.Time // of the newest build; buildTo is zero while it runs
	starts             starts
	counted            map[string]bool // paths that count for afterStart since the newest start
}

const (
	// temporaryGrace is how long after a build the temporary files that it has removed
	// are reported.
	temporaryGrace = time.Second
	// maxAfterStart is how often in succession data may change soon after a start.
	maxAfterStart = 3
)

func newFilter() filter {
	return filter{
		sources: map[string]int{}, extensions: map[string]bool{}, outputs: map[string]bool{}, tiresome: map[string]bool{},
		afterStart: map[string]int{}, counted: map[string]bool{},
	}
}

func (f *filter) building(at time.Time) { f.buildFrom, f.buildTo = at, time.Time{} }
func (f *filter) built(at time.Time)    { f.buildTo = at }

func (f *filter) starting() {
	for path := range f.afterStart { // the succession is broken
		if !f.counted[path] {
			delete(f.afterStart, path)
		}
	}
	clear(f.counted)
	f.starts.begin()
}

// data are the extensions of files that are written by programs and not edited. No other file is ever
// left out: it may be source.
var data = map[string]bool{
	".log": true, ".pid": true, ".lock": true, ".tmp": true, ".sock": true, ".pyc": true,
	".db": true, ".db-wal": true, ".db-shm": true, ".db-journal": true, ".sqlite": true, ".sqlite3": true,
	".sqlite-wal": true, ".sqlite-shm": true, ".sqlite-journal": true, ".sqlite3-wal": true, ".sqlite3-shm": true, ".sqlite3-journal": true,
}

// keep returns the paths that are changes of the source. tiresome are those that are
// left out from now on.
func (f *filter) keep(paths []string) (kept, tiresome []string) {
	for _, path := range paths {
		switch {
		case f.tiresome[path]:
		case f.isOutput(path):
			f.outputs[path] = true
		case f.isTiresome(path):
			f.tiresome[path] = true
			tiresome = append(tiresome, path)
		default:
			f.sources[path]++
			if ext := filepath.Ext(path); ext != "" {
				f.extensions[ext] = true
			}
			kept = append(kept, path)
		}
	}
	if len(kept) > 0 {
		f.starts.changed()
	}
	return kept, tiresome
}

// isKnown reports whether one of the paths has changed before.
func (f *filter) isKnown(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return f.sources[path] > 1 })
}

// isOutput reports whether a build has written a path: its time is that of the build,
// and nothing like it was saved by the user before.
func (f *filter) isOutput(path string) bool {
	if f.buildFrom.IsZero() || f.sources[path] > 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil { // it does not exist any more
		return f.outputs[path] || f.buildTo.IsZero() || time.Since(f.buildTo) < temporaryGrace
	}
	// The time of a file may be that of the last tick of the clock of the system.
	at := info.ModTime()
	during := at.After(f.buildFrom.Add(-20*time.Millisecond)) && (f.buildTo.IsZero() || !at.After(f.buildTo))
	return during && (f.outputs[path] || !f.extensions[filepath.Ext(path)])
}

// isTiresome counts how often data changed soon after a start.
func (f *filter) isTiresome(path string) bool {
	if !data[filepath.Ext(path)] || !f.starts.recent() || f.counted[path] {
		return false
	}
	f.counted[path] = true
	f.afterStart[path]++
	return f.afterStart[path] > maxAfterStart
}
