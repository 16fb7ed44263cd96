package watch

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// marks are two files that a [Watcher] changes itself, in a temporary directory. The system reports changes
// in their order: when that of a mark is known, all before it are. They take turns, so that a late report is
// not taken for the next one.
type marks struct {
	paths atomic.Pointer[[2]string] // nil before the first Sync
	seen  [2]chan struct{}          // its change was reported; 1 slot

	touch func(path string) error // changes a mark; nil sets its modification time

	mu  sync.Mutex // of one Sync at a time
	now int        // the mark whose turn it is
}

func (m *marks) init() {
	for i := range m.seen {
		m.seen[i] = make(chan struct{}, 1)
	}
}

// Sync waits until [Watcher.Generation] counts all changes made before the call, at most for limit.
func (o *Watcher) Sync(limit time.Duration) {
	m := &o.marks
	m.mu.Lock()
	defer m.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var seen <-chan struct{}
	if m.paths.Load() != nil || m.begin(o) {
		m.now = 1 - m.now
		seen = m.seen[m.now]
		select {
		case <-seen: // late
		default:
		}
		touch := m.touch
		if touch == nil {
			touch = touchTime
		}
		if touch(m.paths.Load()[m.now]) != nil {
			seen = nil
		}
	}
	if seen == nil { // without a mark nothing says that the changes are known
		timer.Reset(min(limit, unmarked))
	}
	select {
	case <-seen:
	case <-timer.C:
	}
}

// Now returns the generation of the files as they are now. It waits for the system to report them, at most for limit.
func (o *Watcher) Now(limit time.Duration) uint64 {
	o.Sync(limit)
	return o.Generation()
}

// touchTime changes the time of a mark.
func touchTime(path string) error {
	at := time.Now()
	return os.Chtimes(path, at, at)
}

// unmarked is how long a change may take to be known where there are no marks.
const unmarked = 50 * time.Millisecond

// begin makes the marks, and reports false if that fails.
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

// isOne reports the path of a mark, whose change has come.
func (m *marks) isOne(path string) bool {
	paths := m.paths.Load()
	if paths == nil {
		return false
	}
	for i := range paths {
		if path == paths[i] {
			select {
			case m.seen[i] <- struct{}{}:
			default:
			}
			return true
		}
	}
	return path == filepath.Dir(paths[0]) // it is removed
}

// remove removes the marks at the end.
func (m *marks) remove() {
	if paths := m.paths.Load(); paths != nil {
		_ = os.RemoveAll(filepath.Dir(paths[0]))
	}
}
