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

	mu  sync.Mutex // of one Sync at a time
	now int        // the mark whose turn it is
}

func (m *marks) init() {
	for i := range m.seen {
		m.seen[i] = make(chan struct{}, 1)
	}
}

// Sync returns when the changes that were made before are known, so that [Watcher.Pending] reports them; at
// the latest after a limit.
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
		at := time.Now()
		if os.Chtimes(m.paths.Load()[m.now], at, at) != nil {
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
