package store

import (
	"os"
	"time"

	"mcptea/internal/system"
)

// lock marks a recording as one that is being written, until the file is
// closed. On a file system without locks nothing is marked. A process that looks at the
// mark shares the lock for a moment.
func lock(f *os.File) {
	for range 50 {
		if !system.TryLockFile(f, true) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// InUse reports whether a recording is being written by some process.
func InUse(path string) bool {
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // closing the file releases the lock
	// A shared lock, so that processes that check do not exclude each other.
	return system.TryLockFile(f, false)
}
