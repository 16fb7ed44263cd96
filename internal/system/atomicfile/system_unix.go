//go:build unix

package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// Rename gives a file the name of another, which it replaces.
func Rename(from, to string) error { return os.Rename(from, to) }

// TryLock locks a file until it is closed, for this holder alone or together with others that
// do not want it exclusively, and reports whether another holder keeps it from that, which is
// never so on a file system without locks.
func TryLock(f *os.File, exclusive bool) (taken bool) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	return err == unix.EWOULDBLOCK || err == unix.EINTR
}
