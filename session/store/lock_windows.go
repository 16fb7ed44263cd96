package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// markedByte is the byte that is locked of a recording. Locks are mandatory here, so it
// is beyond all data: other processes can read what is written.
func markedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

func tryLock(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, markedByte())
}

// lock marks a recording as one that is being written, until the file is
// closed. On a file system without locks nothing is marked. A process that looks at the
// mark shares the lock for a moment.
func lock(f *os.File) {
	for range 50 {
		if !errors.Is(tryLock(f, windows.LOCKFILE_EXCLUSIVE_LOCK), windows.ERROR_LOCK_VIOLATION) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// InUse reports whether a recording is being written by some process.
func InUse(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // which gives the lock back
	// Shared, so that processes that look do not see each other.
	return errors.Is(tryLock(f, 0), windows.ERROR_LOCK_VIOLATION)
}
