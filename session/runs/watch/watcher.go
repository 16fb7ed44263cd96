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
	// maxDelay bounds the delay of a burst that does not end.
	maxDelay = 2 * time.Second
	// maxDirectories bounds the number of watched directories: each takes an operating system watch.
	maxDirectories = 10_000
)

// A Watcher reports file changes.
type Watcher struct {
	w       *fsnotify.Watcher
	changes chan Burst
	stop    context.CancelFunc
	running sync.WaitGroup
	// generation is the number of changes seen, before anything decides whether they matter.
	generation atomic.Uint64
	settling   atomic.Int32 // calls of Settle

	marks   marks    // see Sync
	sources *Sources // filter, or nil to report all files

	// The fields below are owned by the goroutine of run.
	files  map[string]bool // files watched one by one, through their directories
	dirs   map[string]bool // directories watched with everything in them
	roots  map[string]bool // directories passed to Open; in dirs while they exist
	ignore ignore
	// missing maps a file or root whose directory was removed to its nearest existing parent, which is watched
	// until the directory is back.
	missing map[string]string

	maxDirectories int

	lookUp func(path string) (fs.FileInfo, error) // os.Lstat; tests replace it
}

// A Burst is a set of changes that was followed by quiet, or that [Watcher.Settle] has requested.
type Burst struct {
	// Changes is sorted by path. It is empty if no source has changed.
	Changes []Change
	// Generation counts these changes and all changes before them.
	Generation uint64
}

// A Change is the change of one path in a burst.
type Change struct {
	Path string // absolute
	// First and Last are the generations of its first and its last change.
	First, Last uint64
	// Created reports whether the first change created the path.
	Created bool
}

// Open starts watching files and directories.
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

// Changes returns the channel of changes, one element per burst. A path may no longer exist; temporary files
// that were created and removed within the burst are left out. Close closes the channel.
func (o *Watcher) Changes() <-chan Burst { return o.changes }

// Generation returns the number of changes seen. A server that is started now includes all of them. See
// [Watcher.Now] for changes that are not reported yet.
func (o *Watcher) Generation() uint64 { return o.generation.Load() }

// Close stops watching.
func (o *Watcher) Close() {
	o.stop()
	o.running.Wait()
	_ = o.w.Close() // only releases resources of this process
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

// leavesOut reports whether a path is not watched: it is ignored, or mcptea keeps it and it is below a directory of
// others. The directories of mcptea itself are watched for the sockets of taps.
func (o *Watcher) leavesOut(path string, isDir bool) bool {
	if o.ignore.match(path, isDir) {
		return true
	}
	if !isOwn(path) {
		return false
	}
	for root := range o.roots {
		if isOwn(root) {
			return false
		}
	}
	return true
}

// addTree watches root and all directories below it. It calls found, if not nil, for each file.
func (o *Watcher) addTree(root string, found func(string)) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // removed or unreadable
			if path == root && found == nil {
				return fmt.Errorf("cannot watch %w", err)
			}
			return nil
		case path != root && o.leavesOut(path, d.IsDir()):
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

// limitError adds advice about inotify limits to an error.
func limitError(what string, err error) error {
	switch {
	case system.IsErrno(err, syscall.ENOSPC):
		return fmt.Errorf("cannot watch %s: %w; raise fs.inotify.max_user_watches, or name fewer directories with --watch=PATH", what, err)
	case system.IsErrno(err, syscall.EMFILE):
		return fmt.Errorf("cannot watch %s: %w; raise fs.inotify.max_user_instances, or the limit of open files", what, err)
	}
	return fmt.Errorf("cannot watch %s: %w", what, err)
}

// run collects changes until none has arrived for a while, and sends them. While there is no receiver, it
// continues to collect.
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
			if errors.Is(err, fsnotify.ErrEventOverflow) { // events were lost: any file may have changed
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

// A change is a change with its origin.
type change struct {
	Change
	natures nature // kinds of all changes of the path in the burst
	server  int    // server that may have made the newest change
}

// isGone reports whether the path no longer exists. A file created and gone within a burst was temporary, as
// editors and sed -i create them.
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
		_ = o.addTree(dir, nil) // add directories that are no longer excluded
		return
	}
	info, err := os.Lstat(path)
	isDir := err == nil && info.IsDir()
	if o.leavesOut(path, isDir) {
		return
	}
	if isDir {
		if e.Has(fsnotify.Create) { // the new directory may already contain files
			_ = o.addTree(path, send) // if it fails, the directory is not watched
		}
		return
	}
	send(path)
}

// forget stops watching a directory that was removed or renamed.
func (o *Watcher) forget(path string) {
	for dir := range o.dirs {
		if dir == path || strings.HasPrefix(dir, path+string(filepath.Separator)) {
			delete(o.dirs, dir)
			_ = o.w.Remove(dir) // the system may have removed the watch already
		}
	}
}

// removed waits for the files and roots in a directory that was removed or renamed: a build may recreate it.
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

// find checks the missing paths that wait for an event in dir.
func (o *Watcher) find(dir string, send func(string)) {
	for path, above := range o.missing {
		if above == dir {
			o.await(path, send)
		}
	}
}

// await resumes watching a file or root if its directory exists. Otherwise it watches the nearest existing
// parent.
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
		_ = o.add(above)                   // may have been removed in the meantime
		if nearestDirectory(at) == above { // nothing was created before the watch started
			return
		}
	}
}

// nearestDirectory returns the path or its nearest parent that is an existing directory.
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

// appeared resumes watching a file or root whose directory exists.
func (o *Watcher) appeared(path string, send func(string)) {
	if !o.files[path] {
		_ = o.addTree(path, send) // if it fails, the directory is not watched
		return
	}
	if o.add(filepath.Dir(path)) != nil {
		return
	}
	if _, err := os.Lstat(path); err == nil {
		send(path)
	}
}
