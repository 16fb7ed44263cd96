package recordings

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mcptea/internal/signal"
	"mcptea/internal/system"
	"mcptea/record"
	"mcptea/record/store"
)

// Catalog is a directory of recordings with their summaries. Its methods may be called
// from any goroutine.
type Catalog struct {
	options Options
	changed chan struct{} // 1 slot

	mu     sync.Mutex
	list   []Recording
	err    error
	first  string // path of the recording that is read next
	listed bool

	// The fields below are owned by the reading goroutine.
	cache map[string]cached  // summaries by file name
	stale bool               // the cache has summaries that its file has not
	live  map[string]*reader // readers of recordings that are being written, by path
}

// cached is a summary in the file of summaries. It is valid for a file of that size
// and time, and for the version of mcptea that made it: rules change.
type cached struct {
	Name     string    `json:"name"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Version  string    `json:"version"`
	Summary  *Summary  `json:"summary"`
}

const (
	maxCache = 64 << 20 // bytes of the file of summaries
	// interval is the time between two checks of the directory.
	interval = time.Second
	// maxLive is the number of recordings followed while they are being written.
	maxLive = 8
)

// Options configure a catalog.
type Options struct {
	Dir string
	// HostDir is another directory, or "". Taps that are started by hosts record there.
	HostDir string
	// Cache is the file with cached summaries, with mode 0600. If "", none are cached.
	Cache string
	// Version is the version of the program. A different version discards the cached summaries.
	Version string
	// Taps returns the active taps by the absolute path of the recording; may be nil.
	Taps func(ctx context.Context) map[string]Tap
	// Lint returns a linter for one recording, which reports the findings about the server. If nil, findings
	// are not counted.
	Lint func(report func(record.Severity)) Linter
}

// Linter reads the events of a recording.
type Linter interface {
	Open(h record.Header)
	Event(e *record.Event, row int32)
}

// NewCatalog returns the catalog of a directory.
func NewCatalog(o Options) *Catalog {
	return &Catalog{options: o, changed: make(chan struct{}, 1), live: map[string]*reader{}}
}

// Dir returns the directory.
func (c *Catalog) Dir() string { return c.options.Dir }

// HostDir returns the directory in which taps record that are started by hosts. It returns "" if
// that is Dir.
func (c *Catalog) HostDir() string { return c.options.HostDir }

// Changed returns a channel with one slot that receives a token when the list or a summary has changed.
func (c *Catalog) Changed() <-chan struct{} { return c.changed }

// Recordings returns the recordings in the order of [List], and the error of the
// directory. listed reports whether the directory was read. The summaries must not be
// changed.
func (c *Catalog) Recordings() (list []Recording, listed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list), c.listed, c.err
}

// ReadFirst makes a recording the next one that is read.
func (c *Catalog) ReadFirst(path string) {
	c.mu.Lock()
	c.first = path
	c.mu.Unlock()
}

// Delete deletes recordings and returns the first error.
func (c *Catalog) Delete(paths ...string) error {
	var failed error
	for _, path := range paths {
		if err := Delete(path); err != nil && failed == nil {
			failed = err
		}
	}
	c.scan(context.Background())
	return failed
}

// Follow lists the directory and reads its recordings, repeatedly, until the context is done.
func (c *Catalog) Follow(ctx context.Context) {
	defer c.end()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		c.readAll(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Read lists the directory and reads each recording once. The error is from the directory or the context.
func (c *Catalog) Read(ctx context.Context) error {
	defer c.end()
	c.readAll(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// end closes the files and writes the summaries.
func (c *Catalog) end() {
	for _, r := range c.live {
		r.close()
	}
	clear(c.live)
	c.save()
}

// scan lists the directory, and keeps the summaries of unchanged files.
func (c *Catalog) scan(ctx context.Context) {
	list, err := List(c.options.Dir)
	if c.options.Taps != nil {
		list = withTaps(list, c.options.Taps(ctx))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := make(map[string]*Recording, len(c.list))
	for i := range c.list {
		before[c.list[i].Path] = &c.list[i]
	}
	changed := !c.listed || len(list) != len(c.list) || err != nil
	for i := range list {
		old := before[list[i].Path]
		if old == nil {
			changed = true
			continue
		}
		changed = changed || (old.Tap == nil) != (list[i].Tap == nil)
		if old.Live == list[i].Live && old.Size == list[i].Size && old.Modified.Equal(list[i].Modified) {
			list[i].Summary, list[i].Err, list[i].Error = old.Summary, old.Err, old.Error
			continue
		}
		changed = true
		if old.Summary != nil { // summary of the previous content
			list[i].Summary = old.Summary
			list[i].stale = true
		}
	}
	c.list, c.err, c.listed = list, err, true
	if changed {
		c.notify()
	}
}

func (c *Catalog) notify() {
	signal.Wake(c.changed)
}

// readAll lists the directory and reads the files that have no summary.
func (c *Catalog) readAll(ctx context.Context) {
	if c.cache == nil {
		c.load()
	}
	c.scan(ctx)
	c.closeEnded()
	tried := map[string]bool{}
	for ctx.Err() == nil {
		r, ok := c.next(tried)
		if !ok {
			break
		}
		tried[r.Path] = true
		summary, err := c.summarize(ctx, &r)
		if ctx.Err() != nil {
			return
		}
		c.set(r.Path, summary, err)
	}
	if ctx.Err() == nil {
		c.save()
	}
}

// next returns the next recording without a current summary.
func (c *Catalog) next(tried map[string]bool) (Recording, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := -1
	for i, r := range c.list {
		if tried[r.Path] || (r.Summary != nil || r.Err != nil) && !r.stale {
			continue
		}
		if found < 0 || r.Path == c.first {
			found = i
		}
	}
	if found < 0 {
		return Recording{}, false
	}
	return c.list[found], true
}

func (c *Catalog) set(path string, s *Summary, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.list {
		if r := &c.list[i]; r.Path == path {
			r.Summary, r.Err, r.stale = s, err, false
			if err != nil {
				r.Error = err.Error()
			}
		}
	}
	c.notify()
}

// summarize reads a recording, or returns its cached summary.
func (c *Catalog) summarize(ctx context.Context, r *Recording) (*Summary, error) {
	name := filepath.Base(r.Path)
	if old, ok := c.cache[name]; ok && !r.Live && old.Size == r.Size && old.Modified.Equal(r.Modified) {
		return old.Summary, nil
	}
	from := c.live[r.Path]
	if from == nil {
		var err error
		if from, err = newReader(r.Path, c.options.Lint); err != nil {
			return nil, err
		}
		if r.Live && len(c.live) < maxLive {
			c.live[r.Path] = from
		} else {
			defer from.close()
		}
	}
	s, err := from.read(ctx, r.Live)
	if err == nil && !r.Live {
		c.cache[name] = cached{name, r.Size, r.Modified, c.options.Version, s}
		c.stale = true
	}
	return s, err
}

// closeEnded closes the recordings that are no longer written.
func (c *Catalog) closeEnded() {
	for path, r := range c.live {
		if !store.InUse(path) {
			r.close()
			delete(c.live, path)
		}
	}
}

// load reads the file of summaries. An unreadable file counts as empty.
func (c *Catalog) load() {
	c.cache = map[string]cached{}
	path := c.options.Cache
	if path == "" {
		return
	}
	text, _, err := system.ReadRegular(path, maxCache)
	if err != nil {
		return
	}
	var list []cached
	if json.Unmarshal(text, &list) != nil {
		return
	}
	for _, entry := range list {
		if entry.Version == c.options.Version && entry.Summary != nil {
			c.cache[entry.Name] = entry
		}
	}
}

// save writes the file of summaries, of the recordings that exist, if it can be written.
func (c *Catalog) save() {
	if !c.stale || c.options.Cache == "" {
		return
	}
	c.stale = false
	list, _, _ := c.Recordings()
	entries := []cached{}
	for _, r := range list {
		if entry, ok := c.cache[filepath.Base(r.Path)]; ok {
			entries = append(entries, entry)
		}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return
	}
	// Without the file, the next start makes the summaries again.
	_ = system.WriteFileBytes(c.options.Cache, text)
}
