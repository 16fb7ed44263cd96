package watch

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// marks are two files in a temporary directory that a [Watcher] touches in turn. The operating system reports
// changes in order, so once it reports a mark, every earlier change has been reported. Alternating between two
// files keeps a late report of one mark from being mistaken for the next.
type marks struct {
	paths atomic.Pointer[[2]string] // paths, or nil before the first Sync
	seen  [2]chan struct{}          // signaled when a mark is reported; capacity 1

	touch func(path string) error // changes a mark; nil sets its modification time

	turn chan struct{} // has an element while a Sync runs
	now  int           // the mark whose turn it is; of the Sync that runs

	// ended is the number of calls that had ended when a mark was changed, and over the highest such number of a
	// mark that was reported: all that these calls have changed is reported, too.
	ended [2]atomic.Uint64
	over  uint64 // owned by the goroutine that reads the events
}

func (m *marks) init() {
	m.turn = make(chan struct{}, 1)
	for i := range m.seen {
		m.seen[i] = make(chan struct{}, 1)
	}
}

// Sync waits until [Watcher.Generation] counts all changes made before the call, at most for limit.
func (o *Watcher) Sync(limit time.Duration) {
	m := &o.marks
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case m.turn <- struct{}{}:
	case <-timer.C:
		return
	}
	defer func() { <-m.turn }()
	var seen <-chan struct{}
	if m.paths.Load() != nil || m.begin(o) {
		m.now = 1 - m.now
		seen = m.seen[m.now]
		select {
		case <-seen: // drain a late report
		default:
		}
		m.ended[m.now].Store(o.sources.callsEnded())
		touch := m.touch
		if touch == nil {
			touch = touchTime
		}
		if touch(m.paths.Load()[m.now]) != nil {
			seen = nil
		}
	}
	if seen == nil { // without a mark, assume that changes arrive within unmarked
		timer.Reset(min(limit, unmarked))
	}
	select {
	case <-seen:
	case <-timer.C:
	}
}

// Now returns the current generation of the files. It waits for the system to report them, at most for limit.
func (o *Watcher) Now(limit time.Duration) uint64 {
	o.Sync(limit)
	return o.Generation()
}

// Settle is like Now, but also sends pending changes immediately, without waiting for more.
func (o *Watcher) Settle(limit time.Duration) uint64 {
	o.settling.Add(1)
	defer o.settling.Add(-1)
	return o.Now(limit)
}

// markCalls marks the end of calls until the context ends, so that their changes can be distinguished from
// later ones.
func (o *Watcher) markCalls(ctx context.Context, settled <-chan struct{}) {
	for {
		select {
		case <-settled:
			o.Sync(maxMark)
		case <-ctx.Done():
			return
		}
	}
}

// maxMark bounds the wait for a mark after a call.
const maxMark = time.Second

// touchTime changes the time of a mark.
func touchTime(path string) error {
	at := time.Now()
	return os.Chtimes(path, at, at)
}

// unmarked is the maximum time until a change is known if there are no marks.
const unmarked = 50 * time.Millisecond

// begin creates the marks and reports whether it succeeded.
func (m *marks) begin(o *Watcher) bool {
	dir, err := os.MkdirTemp("", "mcptea-watch-")
	if err != nil {
		return false
	}
	paths := [2]string{filepath.Join(dir, "0"), filepath.Join(dir, "1")}
	for _, path := range paths {
		if os.WriteFile(path, nil, 0o600) != nil {
			_ = os.RemoveAll(dir)
			return false
		}
	}
	m.paths.Store(&paths)
	if o.w.Add(dir) != nil {
		m.paths.Store(nil)
		_ = os.RemoveAll(dir)
		return false
	}
	return true
}

// isOne reports whether the path is a mark, and signals the mark if so.
func (m *marks) isOne(path string) bool {
	paths := m.paths.Load()
	if paths == nil {
		return false
	}
	for i := range paths {
		if path == paths[i] {
			m.over = max(m.over, m.ended[i].Load())
			select {
			case m.seen[i] <- struct{}{}:
			default:
			}
			return true
		}
	}
	return path == filepath.Dir(paths[0]) // the removal of the directory
}

// remove deletes the marks.
func (m *marks) remove() {
	if paths := m.paths.Load(); paths != nil {
		_ = os.RemoveAll(filepath.Dir(paths[0]))
	}
}
