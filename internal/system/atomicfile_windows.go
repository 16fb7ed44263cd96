package system

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const (
	// renameTimeout bounds the wait for other programs that have the file open: a file
	// cannot be replaced here while one reads it.
	renameTimeout  = 2 * time.Second
	renameInterval = 5 * time.Millisecond
)

// RenameFile renames a file, replacing the file with the new name.
func RenameFile(from, to string) error {
	for deadline := time.Now().Add(renameTimeout); ; time.Sleep(renameInterval) {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(deadline) {
			return err
		}
	}
}

// TryLockFile locks a file until it is closed, exclusively or shared, without waiting. taken reports whether
// another holder prevents that. Locks are mandatory on Windows, so the locked byte is beyond all data, and
// other processes can read the file.
func TryLockFile(f *os.File, exclusive bool) (taken bool) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
