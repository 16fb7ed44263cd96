package watch

import (
	"os"
	"path/filepath"
	"time"
)

// filter decides which changed paths are changes of the source. It is not safe for
// concurrent use.
type filter struct {
	sources    map[string]bool // that changed while nothing was built
	extensions map[string]bool // of sources
	outputs    map[string]bool // that a build writes
	tiresome   map[string]bool // that change after each start, and are left out
	afterStart map[string]int  // how often a path changed soon after a start

	buildFrom, buildTo time.Time       // of the newest build; buildTo is zero while it runs
	start              time.Time       // of the server
	counted            map[string]bool // paths that count for afterStart since start
}

const (
	// startGrace is how long after its start a server may write files of its own.
	startGrace = 3 * time.Second
	// temporaryGrace is how long after a build the temporary files that it has removed
	// are reported.
	temporaryGrace = time.Second
	// maxAfterStart is how often in succession a file may change then.
	maxAfterStart = 3
)

func newFilter() filter {
	return filter{
		sources: map[string]bool{}, extensions: map[string]bool{}, outputs: map[string]bool{}, tiresome: map[string]bool{},
		afterStart: map[string]int{}, counted: map[string]bool{},
	}
}

func (f *filter) building(at time.Time) { f.buildFrom, f.buildTo = at, time.Time{} }
func (f *filter) built(at time.Time)    { f.buildTo = at }

func (f *filter) starting(at time.Time) {
	for path := range f.afterStart { // the succession is broken
		if !f.counted[path] {
			delete(f.afterStart, path)
		}
	}
	clear(f.counted)
	f.start = at
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
			f.sources[path] = true
			if ext := filepath.Ext(path); ext != "" {
				f.extensions[ext] = true
			}
			kept = append(kept, path)
		}
	}
	return kept, tiresome
}

// isOutput reports whether a build has written a path: its time is that of the build,
// and nothing like it was saved by the user before.
func (f *filter) isOutput(path string) bool {
	if f.buildFrom.IsZero() || f.sources[path] {
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

// isTiresome counts how often a path changed soon after a start.
func (f *filter) isTiresome(path string) bool {
	if f.start.IsZero() || time.Since(f.start) > startGrace || f.counted[path] {
		return false
	}
	f.counted[path] = true
	f.afterStart[path]++
	return f.afterStart[path] > maxAfterStart
}
