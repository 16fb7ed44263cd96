package watch

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// filter decides which changed sources a build has written itself, and counts the changes after each start.
// It is not safe for concurrent use.
type filter struct {
	sources    map[string]int  // how often a path changed, but by a build
	extensions map[string]bool // of sources
	outputs    map[string]bool // that a build writes

	buildFrom, buildTo time.Time // of the newest build; buildTo is zero while it runs
	starts             starts
}

// temporaryGrace is how long after a build the temporary files that it has removed
// are reported.
const temporaryGrace = time.Second

func newFilter() filter {
	return filter{sources: map[string]int{}, extensions: map[string]bool{}, outputs: map[string]bool{}}
}

func (f *filter) building(at time.Time) { f.buildFrom, f.buildTo = at, time.Time{} }
func (f *filter) built(at time.Time)    { f.buildTo = at }

// keep returns the paths that are changes of the source.
func (f *filter) keep(paths []string) (kept []string) {
	for _, path := range paths {
		if f.isOutput(path) {
			f.outputs[path] = true
			continue
		}
		f.sources[path]++
		if ext := filepath.Ext(path); ext != "" {
			f.extensions[ext] = true
		}
		kept = append(kept, path)
	}
	if len(kept) > 0 {
		f.starts.changed()
	}
	return kept
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
