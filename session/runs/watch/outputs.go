package watch

import (
	"maps"
	"slices"
)

// outputs finds out which changes builds have made. A change belongs to a build if its generation is one of those
// between the start and the end of the build. Whether the build or the user has made it, more builds show:
//
//   - A file that changes outside of builds is a source. A change of it during a build ends the build.
//   - Any other file that changes during a build counts when the build has ended: there is one more build. It is an
//     output if that build writes it again, with the same content or with one that is no text, since users type texts.
//     Another text may have been saved again, and counts again.
//   - A text that maxTurns builds in succession have changed, but no user in the pause before the last of them, is an
//     output, such as a file with the time of the build. The user is told. If it has the name of a source, it stays a
//     source: there is a restart, and the next build waits as after restarts that cause each other.
//   - A text is no longer an output after a build that did not write it.
//   - Files that no build has written before, in maxTurns builds in succession and whatever their names, no longer cause
//     a build before the restart: there is a restart, and the next build waits. Else a build that names its output after
//     the time would follow itself without end, and no server would ever start.
//
// It is not safe for concurrent use.
type outputs struct {
	files map[string]*origin // origins by file; at most maxOrigins
	// started and ended are the generations at the start and the end of the newest build. ended is valid while
	// no build is running.
	started, ended uint64
	running        bool
	during         map[string]Change // changes during the newest build; at most maxOrigins
	isControlled   bool              // a pause has ended before the newest build, and no source has changed since
	hasGuessed     bool              // a file that is not known has ended a build since the newest one that was not ended
	newNames       int               // number of builds in succession that have written a new file

	content  func(path string) content
	isSource func(path string) bool // a file that is never considered an output because builds change it
}

// An origin describes a file that has changed.
type origin struct {
	saves   int  // number of changes outside of builds; 0 for a file that is not known as a source
	output  bool // only builds are known to write the file
	turns   int  // number of builds in a row in which a change of the file counted
	content content
}

const (
	// maxTurns bounds the builds in a row that change an output to another text.
	maxTurns = 4
	// maxOrigins bounds the files that are remembered. More files are considered outputs if they change
	// during builds.
	maxOrigins = 100_000
)

func newOutputs(s *Sources) outputs {
	return outputs{
		files: map[string]*origin{}, during: map[string]Change{}, content: contentOf,
		isSource: func(path string) bool { return isProgramText(path) || s.isNamed(path) },
	}
}

// start begins a build of a generation.
func (o *outputs) start(generation uint64) {
	o.started, o.running = generation, true
	clear(o.during)
}

// end ends the build at a generation.
func (o *outputs) end(generation uint64) { o.ended, o.running = generation, false }

// sourcesOf returns the paths of a burst that require another build or restart. It keeps changes of
// the build for decide.
func (o *outputs) sourcesOf(changes []Change) (sources []string) {
	for _, c := range changes {
		isOutside := c.First <= o.started || !o.running && c.Last > o.ended
		switch {
		case isOutside:
			o.saved(c.Path)
		case o.running && o.ends(c):
		default:
			o.keep(c)
			continue
		}
		o.isControlled = false
		sources = append(sources, c.Path)
	}
	return sources
}

// keep keeps a change of the build for decide.
func (o *outputs) keep(c Change) {
	if before, ok := o.during[c.Path]; ok {
		c.First, c.Created = before.First, before.Created
	} else if len(o.during) >= maxOrigins {
		return
	}
	o.during[c.Path] = c
}

// of returns the origin of a path, or nil if there is no room for it.
func (o *outputs) of(path string) *origin {
	f := o.files[path]
	if f == nil && len(o.files) < maxOrigins {
		f = &origin{}
		o.files[path] = f
	}
	return f
}

// saved records a change outside of builds.
func (o *outputs) saved(path string) {
	if f := o.of(path); f != nil {
		*f = origin{saves: f.saves + 1}
	}
}

// isKnown reports whether one of the paths has been saved before.
func (o *outputs) isKnown(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { f := o.files[path]; return f != nil && f.saves > 1 })
}

// ends reports whether a change during a build ends the build: it is a change of a source, or of a file with the
// name of one. If builds in succession were ended by it, the build may have made it, and only another change ends
// the next one.
func (o *outputs) ends(c Change) bool {
	f := o.files[c.Path]
	isSource := f != nil && f.saves > 0
	if !isSource && (!o.isSource(c.Path) || f == nil && (o.hasGuessed || o.newNames >= maxTurns) || f != nil && f.output) {
		return false
	}
	if f = o.of(c.Path); f == nil {
		return false
	}
	now := o.content(c.Path)
	_, isFurther := o.during[c.Path]
	switch {
	case f.turns > 0 && f.content == now: // written again with the same content
		return false
	case f.turns >= maxTurns-1 && !isFurther:
		return false
	}
	o.hasGuessed = o.hasGuessed || !isSource
	f.turns++
	f.content = now
	return true
}

// A verdict is the action after a build.
type verdict struct {
	more  []string // changed, so another build must follow before a restart
	later []string // changed, but a restart precedes the next build after this number of builds
	// outputs lists texts that count as outputs although their contents differed. The user must be told.
	outputs []string
	pause   bool // before the next build, in which only a user changes files
}

// decide decides the changes of a build that has ended, and was not ended early.
func (o *outputs) decide() (v verdict) {
	o.hasGuessed = false
	for path, f := range o.files {
		if _, ok := o.during[path]; !ok && f.content.isText() {
			f.output, f.turns = false, 0
		}
	}
	var unseen []string
	for _, path := range slices.Sorted(maps.Keys(o.during)) {
		now := o.content(path)
		if o.files[path] == nil && o.during[path].Created && now.isGone() {
			continue // a temporary file
		}
		f := o.of(path)
		if f == nil || f.output {
			continue
		}
		isSource, isSame := f.saves > 0, f.turns > 0 && f.content == now
		f.turns++
		f.content = now
		switch {
		case isSame:
			f.output = !isSource
		case f.turns >= maxTurns && (isSource || o.isSource(path)):
			v.later = append(v.later, path)
		case f.turns > 1 && !isSource && !now.isText():
			f.output = true
		case f.turns >= maxTurns && o.isControlled:
			f.output = true
			v.outputs = append(v.outputs, path)
		default:
			if f.turns == 1 {
				unseen = append(unseen, path)
				continue
			}
			f.turns = min(f.turns, maxTurns-1)
			v.more = append(v.more, path)
			v.pause = v.pause || f.turns == maxTurns-1
		}
	}
	if o.newNames++; len(unseen) == 0 {
		o.newNames = 0
	}
	if o.newNames < maxTurns {
		v.more = append(v.more, unseen...)
	} else {
		v.later = append(v.later, unseen...)
	}
	clear(o.during)
	o.isControlled = false
	return v
}
