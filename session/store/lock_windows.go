package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks a file until it is closed, and reports whether another process has it. Locks
// are mandatory here, so the byte that is locked is beyond all data: other processes can
// read what is written.
func tryLock(f *os.File, exclusive bool) (taken bool) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
