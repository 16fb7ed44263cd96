package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcptea/internal/system"
)

const (
	// quiet is the time without changes after which changes are reported.
	quiet = 100 * time.Millisecond
	// maxDelay is how long changes that do not end are held back.
	maxDelay = 2 * time.Second
	// maxDirectories bounds what is watched: each directory takes a watch of the system.
	maxDirectories = 10_000
)

// Watcher reports changes of files.
type Watcher struct {
	w       *fsnotify.Watcher
	changes chan Burst
	stop    context.CancelFunc
	running sync.WaitGroup
	// generation is the number of changes seen, before anything decides whether they matter.
	generation atomic.Uint64
	settling   atomic.Int32 // calls of Settle

	marks   marks    // see Sync
	sources *Sources // that are reported; nil for all files

	// These are of the goroutine of run.
	files  map[string]bool // the only ones that count in their directory, unless that is in dirs
	dirs   map[string]bool // that are watched with all in them
	roots  map[string]bool // the directories that were asked for; they are in dirs while they exist
	ignore ignore
	// missing are the files and roots whose directory was removed, with the nearest
	// directory above them that exists, which is watched until they are there again.
	missing map[string]string

	maxDirectories int

	lookUp func(path string) (fs.FileInfo, error) // os.Lstat; tests replace it
}

// A Burst is a set of changes after which all was quiet, or which [Watcher.Settle] has requested.
type Burst struct {
	// Changes are sorted by their paths; empty if no source has changed.
	Changes []Change
	// Generation counts these changes and all changes before them.
	Generation uint64
}

// Change is what happened to one path in a burst.
type Change struct {
	Path string // absolute
	// First and Last are the generations of its first and its last change.
	First, Last uint64
	// Created reports whether the first change created the path.
	Created bool
}

// Open starts to watch files and directories.
func Open(paths ...string) (*Watcher, error) { return open(maxDirectories, nil, paths...) }

func open(maxDirectories int, sources *Sources, paths ...string) (*Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, limitError("the file system", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &Watcher{
		w: w, changes: make(chan Burst), stop: stop,
		files: make(map[string]bool), dirs: make(map[string]bool), ignore: ignore{},
		roots: make(map[string]bool), missing: make(map[string]string),
		maxDirectories: maxDirectories, sources: sources, lookUp: os.Lstat,
	}
	o.marks.init()
	for _, p := range paths {
		if err := o.addPath(p); err != nil {
			stop()
			return nil, errors.Join(err, w.Close())
		}
	}
	o.running.Go(func() { o.run(ctx, w.Events, w.Errors) })
	if sources != nil && sources.Settled != nil {
		o.running.Go(func() { o.markCalls(ctx, sources.Settled) })
	}
	return o, nil
}

// Changes sends what changed, once for each burst. A path may not exist any more; temporary files, which were
// created and removed in the burst, are left out. The channel is closed by Close.
func (o *Watcher) Changes() <-chan Burst { return o.changes }

// Generation returns the number of changes seen. A server that is started now has all of them.
// See [Watcher.Now] for changes that are not reported yet.
func (o *Watcher) Generation() uint64 { return o.generation.Load() }

// Close ends the watch.
func (o *Watcher) Close() {
	o.stop()
	o.running.Wait()
	_ = o.w.Close() // it only releases what belongs to the process
	o.marks.remove()
}

func (o *Watcher) addPath(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("cannot watch %w", err)
	case info.IsDir():
		o.ignore.addAncestors(path)
		o.roots[path] = true
		return o.addTree(path, nil)
	}
	o.files[path] = true
	return o.add(filepath.Dir(path))
}

// addTree watches a directory and those below it. found gets the files in them; it may
// be nil.
func (o *Watcher) addTree(root string, found func(string)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // it was removed, or cannot be read
			if path == root && found == nil {
				return fmt.Errorf("cannot watch %w", err)
			}
			return nil
		case path != root && o.ignore.match(path, d.IsDir()):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !d.IsDir():
			if found != nil {
				found(path)
			}
			return nil
		}
		o.ignore.read(path)
		o.dirs[path] = true
		return o.add(path)
	})
}

func (o *Watcher) add(dir string) error {
	if len(o.dirs) > o.maxDirectories {
		return fmt.Errorf("cannot watch %s: more than %d directories; name those that matter with --watch=PATH", dir, o.maxDirectories)
	}
	if err := o.w.Add(dir); err != nil {
		return limitError(dir, err)
	}
	return nil
}

// limitError says what to do about the limits of inotify.
func limitError(what string, err error) error {
	switch {
	case system.IsErrno(err, syscall.ENOSPC):
		return fmt.Errorf("cannot watch %s: %w; raise fs.inotify.max_user_watches, or name fewer directories with --watch=PATH", what, err)
	case system.IsErrno(err, syscall.EMFILE):
		return fmt.Errorf("cannot watch %s: %w; raise fs.inotify.max_user_instances, or the limit of open files", what, err)
	}
	return fmt.Errorf("cannot watch %s: %w", what, err)
}

// run collects changes until none has come for a while, and sends them. While there is no receiver it collects more.
func (o *Watcher) run(ctx context.Context, events <-chan fsnotify.Event, failed <-chan error) {
	defer close(o.changes)
	changes := make(map[string]*change)
	var ready []Change
	due := false    // ready must be sent, even if it is empty: then no source has changed
	var sent uint64 // the generation of the newest burst
	var first time.Time
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	add := func(path string, n nature, server int, created bool) {
		if n == written {
			return
		}
		generation := o.generation.Add(1)
		if len(changes) == 0 {
			first = time.Now()
		}
		c := changes[path]
		if c == nil {
			c = &change{Change: Change{Path: path, First: generation, Created: created}}
			changes[path] = c
		}
		c.Last, c.server = generation, server
		c.natures |= n
		due = false
		timer.Reset(min(quiet, max(0, maxDelay-time.Since(first))))
	}
	for {
		var send chan<- Burst
		if due {
			send = o.changes
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			settles := o.settling.Load() > 0
			if o.marks.isOne(e.Name) {
				if settles {
					timer.Reset(0)
				}
				break
			}
			created := e.Has(fsnotify.Create)
			o.event(e, func(path string) {
				n, server := o.sources.at(path, o.marks.over)
				add(path, n, server, created)
			})
		case err := <-failed:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // events are lost: any file may have changed
				for dir := range o.dirs {
					add(dir, source, 0, false)
					break
				}
			}
		case <-timer.C:
			maps.DeleteFunc(changes, func(path string, c *change) bool { return c.Created && o.isGone(path) })
			ready, due = o.sources.end(changes), o.Generation() > sent
			if len(ready) == 0 {
				clear(changes)
			}
		case send <- Burst{Changes: ready, Generation: o.Generation()}:
			sent = o.Generation()
			clear(changes)
			due = false
		}
	}
}

// change is a change with what is known of its origin.
type change struct {
	Change
	natures nature // of all changes of the path in the burst
	server  int    // that may have made the newest of them
}

// isGone reports whether a path does not exist. A file that was created and is gone at the end of
// a burst was a temporary one: of an editor, or of sed -i.
func (o *Watcher) isGone(path string) bool {
	_, err := o.lookUp(path)
	return errors.Is(err, os.ErrNotExist)
}

// event handles one event. What only changes attributes is not a change.
func (o *Watcher) event(e fsnotify.Event, send func(string)) {
	if e.Op&^fsnotify.Chmod == 0 {
		return
	}
	path := filepath.Clean(e.Name)
	dir := filepath.Dir(path)
	if e.Has(fsnotify.Remove | fsnotify.Rename) {
		if o.dirs[path] {
			o.forget(path)
		}
		o.removed(path, send)
	}
	o.find(dir, send)
	if o.files[path] {
		send(path)
		return
	}
	if !o.dirs[dir] {
		return
	}
	if filepath.Base(path) == ignoreFile {
		o.ignore.read(dir)
		_ = o.addTree(dir, nil) // directories that it does not exclude any more
		return
	}
	info, err := os.Lstat(path)
	isDir := err == nil && info.IsDir()
	if o.ignore.match(path, isDir) {
		return
	}
	if isDir {
		if e.Has(fsnotify.Create) { // files may be in it already
			_ = o.addTree(path, send) // a directory that cannot be watched stays without
		}
		return
	}
	send(path)
}

// forget ends the watch of a directory that has another name or was removed.
func (o *Watcher) forget(path string) {
	for dir := range o.dirs {
		if dir == path || strings.HasPrefix(dir, path+string(filepath.Separator)) {
			delete(o.dirs, dir)
			_ = o.w.Remove(dir) // the system may have ended it already
		}
	}
}

// removed waits for the files and roots in a directory that was removed, or that has another
// name: a build may make it again.
func (o *Watcher) removed(dir string, send func(string)) {
	isIn := func(path string) bool {
		return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
	}
	for path := range o.roots {
		if isIn(path) {
			o.await(path, send)
		}
	}
	for path := range o.files {
		if path != dir && isIn(path) {
			o.await(path, send)
		}
	}
	o.find(dir, send)
}

// find looks for the missing paths that wait for an event in a directory.
func (o *Watcher) find(dir string, send func(string)) {
	for path, above := range o.missing {
		if above == dir {
			o.await(path, send)
		}
	}
}

// await watches a file or root again if its directory exists; else the nearest directory
// above it that does.
func (o *Watcher) await(path string, send func(string)) {
	at := path
	if o.files[path] {
		at = filepath.Dir(path)
	}
	for {
		above := nearestDirectory(at)
		if above == at {
			delete(o.missing, path)
			o.appeared(path, send)
			return
		}
		o.missing[path] = above
		_ = o.add(above)                   // it may have been removed meanwhile
		if nearestDirectory(at) == above { // nothing was made before the watch began
			return
		}
	}
}

// nearestDirectory returns the path, or the nearest directory above it that exists.
func nearestDirectory(path string) string {
	for {
		info, err := os.Stat(path)
		above := filepath.Dir(path)
		if err == nil && info.IsDir() || above == path {
			return path
		}
		path = above
	}
}

// appeared watches a file or root whose directory exists.
func (o *Watcher) appeared(path string, send func(string)) {
	if !o.files[path] {
		_ = o.addTree(path, send) // a directory that cannot be watched stays without
		return
	}
	if o.add(filepath.Dir(path)) != nil {
		return
	}
	if _, err := os.Lstat(path); err == nil {
		send(path)
	}
}
