//go:build unix

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// RenameFile renames a file, replacing the file with the new name.
func RenameFile(from, to string) error { return os.Rename(from, to) }

// TryLockFile locks a file until it is closed, exclusively or shared, without waiting. taken reports whether
// another holder prevents that, which never happens on a file system without locks.
func TryLockFile(f *os.File, exclusive bool) (taken bool) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	return err == unix.EWOULDBLOCK || err == unix.EINTR
}
