package store

import (
	"os"
	"time"

	"mcptea/internal/system"
)

// lock marks a recording as being written, until the file is closed. On a file system without
// locks, it does nothing. A process that checks the mark holds a shared lock for a moment.
func lock(f *os.File) {
	for range 50 {
		if !system.TryLockFile(f, true) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// InUse reports whether a process is writing a recording.
func InUse(path string) bool {
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // closing the file releases the lock
	// A shared lock, so that checking processes do not exclude each other.
	return system.TryLockFile(f, false)
}
